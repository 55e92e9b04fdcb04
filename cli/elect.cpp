// holdfast elect NAME [--] COMMAND…: run the command on the one host that leads. The work is in elect/candidate.hpp.
#include "duration.hpp"
#include "elect/candidate.hpp"
#include "run/words.hpp"
#include "target.hpp"
#include "verb.hpp"

namespace holdfast::cli {
namespace {

// The paragraphs of the man page.
constexpr std::string_view the_campaign =
    "Campaigns for the leadership of NAME, and runs COMMAND while it leads. Of all candidates that use the same Redis "
    "one "
    "leads at a time; the others stand by, in a queue, and one of them follows as soon as the leader ends, or --ttl "
    "after it "
    "was cut off or killed. For services of which one must run; for jobs that come to an end, see run.";
constexpr std::string_view the_end =
    "When COMMAND ends, the leadership is given up and the exit status is COMMAND's. With --again it campaigns again "
    "instead, a second later, until INT, TERM or QUIT ends it, or COMMAND cannot be executed.";
constexpr std::string_view a_deposition =
    "When the leadership is in danger (Redis does not answer, somebody breaks the lock), COMMAND is stopped before "
    "another "
    "can lead: it is sent TERM (or --on-lost=signal:NAME), has --grace to end, and is then killed with its whole "
    "process "
    "group; also if holdfast itself is killed or stopped. One line on standard error says why, and it campaigns again; "
    "with "
    "--once it exits with 79. Once Redis has answered, an outage does not end it.";
constexpr std::string_view the_term =
    "COMMAND finds in its environment what run gives it, and HOLDFAST_TERM: a number that grows from leader to leader, "
    "for "
    "storage to check; it is HOLDFAST_FENCE as well.";
constexpr std::string_view observers =
    "Observers see --id, or the owner's text where there is none: holdfast leader NAME. The lock is a plain one of the "
    "same "
    "name, so list, status, break and run know it.";

const manual elect_page{
    .name = "elect",
    .usage = "NAME [--] COMMAND [ARGUMENT...]",
    .summary = "run a command on the one host that leads",
    .description = {the_campaign, the_end, a_deposition, the_term, observers},
    .examples = {{"holdfast elect scheduler -- ./scheduler", "on every host"},
                 {"holdfast elect --again --id web-1 feed -- ./feed", "for a service"}},
    .exits = {{"as COMMAND", "it ran to its end; 128+n if signal n ended it, or the campaign"},
              {"1", "not elected within -w (-E changes it)"},
              {"70", "a failure of this program or of the system"},
              {"79", "deposed, with --once"},
              {"126", "COMMAND cannot be executed"},
              {"127", "COMMAND was not found"}},
};

class elect_verb final : public verb {
 public:
  [[nodiscard]] const manual& text() const override { return elect_page; }

  void define(CLI::App& app) override {
    app_ = &app;
    run_request& work = asked_.work;
    app.add_option("NAME", work.name, "what is led")->required();
    app.add_option("--id", asked_.id, "what observers see of this candidate")->type_name("TEXT");
    app.add_flag("--again", asked_.again, "campaign again when COMMAND has ended");
    app.add_flag("--once", asked_.once, "exit with 79 when deposed");
    add_duration(app, "-w,--wait", work.wait, "campaign at most so long (seconds, fractions)");
    add_conflict_code(app, work, "exit with this if not elected (1)");
    add_command(app, work);
    add_duration(app, "--ttl", work.ttl, "how long a leader that crashed is missed (10s)");
    add_loss(app, work, "kill or signal:NAME (kill)");
    app.add_flag("--json", work.json, "end each term with a JSON object on standard error");
    where_.define(app);
  }

  int act() override {
    read_command(*app_, asked_.work);
    return candidate{asked_, where_}.run();
  }

 private:
  CLI::App* app_ = nullptr;
  elect_request asked_;
  target where_;
};

}  // namespace

std::unique_ptr<verb> make_elect() { return std::make_unique<elect_verb>(); }

}  // namespace holdfast::cli
