// holdfast run NAME [--] COMMAND…: take the lock, run the command, release. The work is in run/job.hpp.
#include "duration.hpp"
#include "run/job.hpp"
#include "run/words.hpp"
#include "target.hpp"
#include "verb.hpp"

namespace holdfast::cli {
namespace {

// The paragraphs of the man page.
constexpr std::string_view what_it_does =
    "Takes the lock NAME, runs COMMAND, and releases the lock when COMMAND has ended. Of all hosts that use the "
    "same Redis, one runs at a time; the others wait in a queue, first come, first served. The letters are those "
    "of flock(1) where they mean the same. Options end at COMMAND, or at --.";
constexpr std::string_view kinds =
    "With -s many may run at once, and with -x one alone while nobody has -s: the two sides of a read-write lock. With "
    "--permits K/N at most N permits are out at a time, in the whole fleet, and this command has K of them; say the "
    "same N "
    "everywhere. One name is one kind of lock: without these options it is a plain lock, which those who say -s, -x or "
    "--permits cannot use, and the command is refused with 65.";
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

const manual run_page{
    .name = "run",
    .usage = "NAME [--] COMMAND [ARGUMENT...]",
    .summary = "run a command while holding a lock",
    .description = {what_it_does, kinds, what_the_command_gets, what_a_loss_does, the_environment, ticks, what_it_says,
                    passwords},
    .examples = {{"holdfast run nightly -- ./report.sh", "wait, then run"},
                 {"holdfast run -n -E 0 nightly -- ./report.sh", "or do nothing"},
                 {"holdfast run -s catalogue -- ./export.sh", "with other readers"},
                 {"holdfast run --permits 1/4 render -- ./render.sh", "four at a time"}},
    .exits = {{"as COMMAND", "it ran to its end; 128+n if signal n ended it, or ended the wait"},
              {"1", "the lock was held by another (-E changes it)"},
              {"64", "wrong words on the command line"},
              {"65", "NAME is in use as another kind of lock"},
              {"69", "Redis cannot be reached"},
              {"70", "a failure of this program or of the system"},
              {"77", "Redis refused us: password, rights, certificate"},
              {"79", "the lock was lost while COMMAND ran"},
              {"126", "COMMAND cannot be executed"},
              {"127", "COMMAND was not found"}},
};

class run_verb final : public verb {
 public:
  [[nodiscard]] const manual& text() const override { return run_page; }

  void define(CLI::App& app) override {
    app_ = &app;
    app.add_option("NAME", asked_.name, "the lock's name")->required();
    app.add_flag("-n,--nonblock", asked_.nonblock, "do not wait");
    add_duration(app, "-w,--wait", asked_.wait, "wait at most so long (seconds, fractions)");
    add_conflict_code(app, asked_, "exit with this if not acquired (1)");
    app.add_flag("-s,--shared", asked_.shared, "together with others who say -s");
    app.add_flag("-x,--exclusive", asked_.exclusive, "alone, where others say -s");
    app.add_option("--permits", asked_.permits, "take K of N permits, instead of all")->type_name("K/N");
    add_command(app, asked_);
    add_duration(app, "--ttl", asked_.ttl, "how long the lock outlives a crash (30s)");
    app.add_flag("--no-renew", asked_.no_renew, "the lock ends after --ttl");
    add_duration(app, "--max-hold", asked_.max_hold, "hold it no longer than this");
    add_duration(app, "--min-hold", asked_.min_hold, "hold it at least so long");
    add_duration(app, "--once-per", asked_.once_per, "run once per tick of this length");
    add_loss(app, asked_, "kill, ignore or signal:NAME (kill)");
    add_duration(app, "--jitter", asked_.jitter, "start after a random delay up to this");
    app.add_option("--owner", asked_.owner, "id of this run (host:pid:random)")->type_name("ID");
    app.add_flag("--json", asked_.json, "end with a JSON object on standard error");
    where_.define(app);
  }

  int act() override {
    read_command(*app_, asked_);
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
