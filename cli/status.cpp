// holdfast status NAME
#include "duration.hpp"
#include "exit_code.hpp"
#include "status/kind_text.hpp"
#include "status/lock_text.hpp"
#include "target.hpp"
#include "terminal.hpp"
#include "verb.hpp"

#include <holdfast/inspect.hpp>

#include <unistd.h>

namespace holdfast::cli {
namespace {

const manual status_page{
    .name = "status",
    .usage = "NAME",
    .summary = "show who holds a lock, since when, and who waits",
    .description =
        {"Shows the holder (host and process, where the owner's text tells), for how long it has held the lock, how "
         "much of the lease remains, the fence, and the waiters in order; of a shared lock or semaphore all holders "
         "with "
         "their shares, of an elector the leader and its term, of a latch or barrier how many are missing. Locks of "
         "other libraries are shown "
         "too: plain strings (redis-py and others) and Redisson's hashes; the layout says which it is.",
         "Since when and under which fence only the holder knows; its process is asked, and is given --patience to "
         "answer. Nothing is changed on the server."},
    .examples = {{"holdfast status nightly", "who holds it"},
                 {"holdfast status nightly --json", "for scripts"},
                 {"holdfast status -q nightly && exit", "only the exit code"}},
    .exits = {{"0", "the lock is held, the latch closed; the barrier waits"},
              {"1", "the lock is free, the latch open"},
              {"65", "the key holds something that is not a lock"}},
};

class status_verb final : public verb {
 public:
  [[nodiscard]] const manual& text() const override { return status_page; }

  void define(CLI::App& app) override {
    app.add_option("NAME", name_, "the lock's name")->required();
    app.add_flag("--json", json_, "print a JSON object");
    app.add_flag("-q,--quiet", quiet_, "print nothing; the exit code tells");
    app.add_option("--waiters", waiters_, "show N waiters at most (100)")->type_name("N");
    add_duration(app, "--patience", patience_, "wait so long for the holder's answer (0.5)");
    target_.define(app);
  }

  int act() override {
    client redis = target_.connect();
    inspect_options how{.most_waiters = waiters_};
    if (patience_) how.patience = *patience_;
    if (quiet_) how = {.patience = std::chrono::milliseconds{0}, .most_waiters = 0};
    const lock_info seen = inspect(redis, name_, how).value();
    if (!quiet_) print(json_ ? lock_json(seen).text() + "\n" : lock_text(seen, has_colours(STDOUT_FILENO)));
    if (seen.layout == lock_layout::other) return exit_wrong_type;
    return is_closed(seen) ? exit_ok : exit_not_acquired;
  }

 private:
  target target_;
  std::string name_;
  bool json_ = false;
  bool quiet_ = false;
  std::size_t waiters_ = 100;
  std::optional<std::chrono::milliseconds> patience_;
};

}  // namespace

std::unique_ptr<verb> make_status() { return std::make_unique<status_verb>(); }

}  // namespace holdfast::cli
