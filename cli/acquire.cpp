// holdfast acquire NAME
#include "acquire/shell_quote.hpp"
#include "duration.hpp"
#include "exit_code.hpp"
#include "json.hpp"
#include "signals/inbox.hpp"
#include "signals/wait_watch.hpp"
#include "stop.hpp"
#include "target.hpp"
#include "terminal.hpp"
#include "verb.hpp"

#include <csignal>

namespace holdfast::cli {
namespace {

using std::chrono::milliseconds;

const manual acquire_page{
    .name = "acquire",
    .usage = "NAME",
    .summary = "take a lock and keep it after the command ends",
    .description =
        {"Takes the lock and leaves it held for --ttl; nobody renews it. Prints owner, fence and ttl in a form that "
         "the "
         "shell can evaluate; the owner is what 'holdfast extend' and 'holdfast release' want. If the script dies, the "
         "lock ends with its ttl. Prefer 'holdfast run' where one command does all the work: it renews, and stops "
         "the command when the lock is lost.",
         "INT, TERM, HUP and QUIT end the wait: the place in the queue is given up. If the output cannot be written, "
         "the "
         "lock "
         "is released again, as nobody would know its owner."},
    .examples = {{"eval \"$(holdfast acquire deploy --ttl 5m)\"", "sets owner, fence, ttl"},
                 {"holdfast release deploy --owner \"$owner\"", "and gives it back"}},
    .exits = {{"0", "the lock is ours"},
              {"1", "it is held by another (-n), or the wait was over (-w)"},
              {"128+n", "signal n ended the wait"}},
};

class acquire_verb final : public verb {
 public:
  [[nodiscard]] const manual& text() const override { return acquire_page; }

  void define(CLI::App& app) override {
    app.add_option("NAME", name_, "the lock's name")->required();
    auto* const no_wait = app.add_flag("-n,--nonblock", no_wait_, "do not wait: exit 1 if it is held");
    add_duration(app, "-w,--wait", wait_, "wait so long at most, then exit 1")->excludes(no_wait);
    add_duration(app, "--ttl", ttl_, "hold it for so long (30)");
    app.add_option("--owner", owner_, "id of this acquisition (made up)")->type_name("ID");
    app.add_flag("--json", json_, "print a JSON object");
    target_.define(app);
  }

  int act() override {
    if (owner_ && owner_->empty()) throw stop{exit_usage, "--owner is empty; give 1 to 256 bytes, or leave it out"};
    signal_inbox signals;
    wait_watch watch{signals};
    std::signal(SIGPIPE, SIG_IGN);  // a reader that is gone is noticed below
    client redis = target_.connect();
    options how{.stop = watch.token()};
    if (ttl_) how.ttl = *ttl_;
    if (owner_) how.owner = *owner_;
    if (no_wait_ || (wait_ && wait_->count() == 0)) {
      return take(redis.try_acquire(name_, how), redis, watch, how.ttl);
    }
    how.wait = wait_;
    return take(redis.acquire(std::nothrow, name_, how), redis, watch, how.ttl);
  }

 private:
  int take(result<lease> got, client& redis, wait_watch& watch, milliseconds ttl) const {
    if (const auto signal = watch.finish()) {
      if (got) got->release();
      throw stop{exit_signal + *signal, "ended by the signal " + signal_name(*signal) + "; nothing was acquired"};
    }
    if (!got) throw error{got.failure()};
    got->leave().value();
    try {
      print(report(*got, ttl));
    } catch (...) {
      static_cast<void>(redis.release(got->key(), got->owner()));
      throw;
    }
    return exit_ok;
  }

  [[nodiscard]] std::string report(const lease& got, milliseconds ttl) const {
    if (!json_) {
      return "owner=" + shell_quoted(got.owner()) + " fence=" + std::to_string(got.fence()) +
             " ttl=" + std::to_string(ttl.count()) + "ms\n";
    }
    json_object out;
    out.add("name", got.name()).add("key", got.key()).add("owner", got.owner());
    return out.add("fence", got.fence()).add("ttl_ms", ttl.count()).text() + "\n";
  }

  target target_;
  std::string name_;
  std::optional<std::string> owner_;
  bool no_wait_ = false;
  bool json_ = false;
  std::optional<milliseconds> wait_;
  std::optional<milliseconds> ttl_;
};

}  // namespace

std::unique_ptr<verb> make_acquire() { return std::make_unique<acquire_verb>(); }

}  // namespace holdfast::cli
