// holdfast run NAME [--] COMMAND…: take the lock, run the command, release. The work is in run/job.hpp.
#include "duration.hpp"
#include "run/job.hpp"
#include "target.hpp"
#include "verb.hpp"

namespace holdfast::cli {
namespace {

// The paragraphs of the man page.
constexpr std::string_view what_it_does =
    "Takes the lock NAME, runs COMMAND, and releases the lock when COMMAND has ended. Of all hosts that use the "
    "same Redis, one runs at a time; the others wait in a queue, first come, first served. The letters are those "
    "of flock(1) where they mean the same. Options end at COMMAND, or at --.";
constexpr std::string_view what_the_command_gets =
    "COMMAND runs in a process group of its own, with our standard input, output and terminal. INT, TERM, HUP, "
    "QUIT, USR1, USR2, WINCH, TSTP and CONT are passed on to the group.";
constexpr std::string_view what_a_loss_does =
    "The lock is renewed while COMMAND runs. If it is lost all the same, COMMAND is stopped before anybody else "
    "can get the lock: it is sent TERM (or --on-lost=signal:NAME), has --grace to end, and is then killed with "
    "its whole process group. The exit status is 79 then, whatever COMMAND returned. If holdfast itself is "
    "killed, COMMAND is killed with it.";
constexpr std::string_view the_environment =
    "COMMAND finds in its environment HOLDFAST_NAME, HOLDFAST_KEY, HOLDFAST_OWNER, HOLDFAST_FENCE (a number that "
    "grows from holder to holder, for storage to check), HOLDFAST_TTL_MS, and HOLDFAST_LOST_FD, the number of a "
    "descriptor that becomes readable when the lock is lost.";
constexpr std::string_view ticks =
    "--once-per runs once in every tick across all hosts, not one after the other: the first takes the tick, "
    "those who come later in it exit with 0 (or -E) without running. Ticks are multiples of the period in UTC by "
    "the clock of the Redis server; each begins a tenth of the period, at most 30 s, early, so that hosts whose "
    "clocks differ by less agree.";
constexpr std::string_view what_it_says =
    "When it did not run, or not to its end, one line on standard error says why. With --json there is always "
    "one, an object with name, reason, exit_code, waited_ms, held_ms, fence, cause and detail.";
constexpr std::string_view passwords =
    "A password in --url is overwritten in the list of processes, but may be seen for an instant; use "
    "HOLDFAST_URL or the configuration file.";

const manual page{
    .name = "run",
    .usage = "NAME [--] COMMAND [ARGUMENT...]",
    .summary = "run a command while holding a lock",
    .description = {what_it_does, what_the_command_gets, what_a_loss_does, the_environment, ticks, what_it_says,
                    passwords},
    .examples = {{"holdfast run nightly -- ./report.sh", "wait, then run"},
                 {"holdfast run -n -E 0 nightly -- ./report.sh", "or do nothing"}},
    .exits = {{"as COMMAND", "it ran to its end; 128+n if signal n ended it, or ended the wait"},
              {"1", "the lock was held by another (-E changes it)"},
              {"64", "wrong words on the command line"},
              {"69", "Redis cannot be reached"},
              {"70", "a failure of this program or of the system"},
              {"77", "Redis refused us: password, rights, certificate"},
              {"79", "the lock was lost while COMMAND ran"},
              {"126", "COMMAND cannot be executed"},
              {"127", "COMMAND was not found"}},
};

class run_verb final : public verb {
 public:
  [[nodiscard]] const manual& text() const override { return page; }

  void define(CLI::App& app) override {
    app_ = &app;
    app.prefix_command();  // what follows COMMAND is the command's
    app.add_option("NAME", asked_.name, "the lock's name")->required();
    app.add_flag("-n,--nonblock", asked_.nonblock, "do not wait");
    add_duration(app, "-w,--wait", asked_.wait, "wait at most so long (seconds, fractions)");
    app.add_option("-E,--conflict-exit-code", asked_.conflict_code, "exit with this if not acquired (1)")
        ->type_name("N")
        ->check([](const std::string& given) {
          return given.empty() || given.size() > 3 || given.find_first_not_of("0123456789") != std::string::npos ||
                         std::stoi(given) > 255
                     ? "'" + given + "' is not an exit code; write 0 to 255"
                     : std::string{};
        });
    app.add_flag("-x,--exclusive", asked_.exclusive, "an exclusive lock, which it always is");
    app.add_option("-c,--command", asked_.shell_text, "run this with sh -c")->type_name("TEXT");
    app.add_flag("-v,--verbose", asked_.verbose, "say what is going on");
    add_duration(app, "--ttl", asked_.ttl, "how long the lock outlives a crash (30s)");
    app.add_flag("--no-renew", asked_.no_renew, "the lock ends after --ttl");
    add_duration(app, "--max-hold", asked_.max_hold, "hold it no longer than this");
    add_duration(app, "--min-hold", asked_.min_hold, "hold it at least so long");
    add_duration(app, "--once-per", asked_.once_per, "run once per tick of this length");
    app.add_option("--on-lost", asked_.on_lost, "kill, ignore or signal:NAME (kill)")->type_name("WHAT");
    add_duration(app, "--grace", asked_.grace, "from the signal to SIGKILL (5s)");
    add_duration(app, "--jitter", asked_.jitter, "start after a random delay up to this");
    app.add_option("--owner", asked_.owner, "id of this run (host:pid:random)")->type_name("ID");
    app.add_flag("--json", asked_.json, "end with a JSON object on standard error");
    where_.define(app);
  }

  int act() override {
    asked_.command = app_->remaining();
    std::size_t marks = 0;
    while (marks < asked_.command.size() && asked_.command[marks] == "--") ++marks;
    if (marks == 0 && !asked_.command.empty() && asked_.command.front().starts_with("-")) {
      asked_.unknown_option = asked_.command.front();
    }
    asked_.command.erase(asked_.command.begin(), asked_.command.begin() + static_cast<std::ptrdiff_t>(marks));
    return job{asked_, where_}.run();
  }

 private:
  CLI::App* app_ = nullptr;
  run_request asked_;
  target where_;
};

}  // namespace

std::unique_ptr<verb> make_run() { return std::make_unique<run_verb>(); }

}  // namespace holdfast::cli
