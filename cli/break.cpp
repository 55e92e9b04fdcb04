// holdfast break NAME
#include "exit_code.hpp"
#include "status/lock_text.hpp"
#include "stop.hpp"
#include "target.hpp"
#include "terminal.hpp"
#include "verb.hpp"

#include <holdfast/inspect.hpp>

#include <unistd.h>

#include <cerrno>
#include <cstdio>

namespace holdfast::cli {
namespace {

const manual break_page{
    .name = "break",
    .usage = "NAME",
    .summary = "take a lock from its holder by force",
    .description =
        {"Shows the holder and the waiters, asks, and takes the lock away: the first waiter has it then, or nobody. "
         "Where several hold it (readers, permits), it is taken from all of them. The "
         "old holder's process hears of it at once and stops as after any loss (cause: broken); but what it has "
         "already begun "
         "may still be under way. A guarded resource that checks fences refuses it.",
         "If the holder changes between the look and the act, nothing is broken. Locks of other libraries are deleted, "
         "and Redisson's waiters are woken; what is not a lock is left alone. Without a terminal to ask on, --yes is "
         "needed."},
    .examples = {{"holdfast break nightly", "look, ask, break"}, {"holdfast break nightly --yes", "for scripts"}},
    .exits = {{"0", "the lock was taken from its holder"},
              {"1", "nobody holds it, the holder has changed, or the answer was no"},
              {"65", "the key holds something that is not a lock"}},
};

// One line of standard input, a byte at a time: what follows belongs to whoever reads after us.
bool says_yes() {
  std::string line;
  for (char byte = 0;;) {
    const ssize_t got = ::read(STDIN_FILENO, &byte, 1);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0 || byte == '\n') break;
    if (line.size() < 16) line += byte;
  }
  return line == "y" || line == "Y" || line == "yes";
}

class break_verb final : public verb {
 public:
  [[nodiscard]] const manual& text() const override { return break_page; }

  void define(CLI::App& app) override {
    app.add_option("NAME", name_, "the lock's name")->required();
    app.add_flag("-y,--yes", yes_, "do not ask");
    app.add_flag("--json", json_, "print a JSON object");
    target_.define(app);
  }

  int act() override {
    if (!yes_ && ::isatty(STDIN_FILENO) != 1) {
      throw stop{exit_usage, "there is no terminal to ask on; look with 'holdfast status', then give --yes"};
    }
    client redis = target_.connect();
    const lock_info seen = inspect(redis, name_, {.patience = std::chrono::milliseconds{yes_ ? 0 : 500}}).value();
    if (seen.meeting) {
      throw stop{exit_wrong_type, seen.name + " is a " + std::string{to_string(seen.kind)} +
                                      ", which nobody holds: there is nothing to break"};
    }
    if (seen.layout == lock_layout::other) {
      throw stop{exit_wrong_type, "the key " + seen.key + " holds a " + seen.type + ", not a lock; nothing was broken"};
    }
    if (!seen.held) throw stop{exit_not_acquired, "nobody holds " + name_ + ": there is nothing to break"};
    if (!yes_) {
      std::fputs((lock_text(seen, has_colours(STDERR_FILENO)) + "Take it from its holder? [y/N] ").c_str(), stderr);
      if (!says_yes()) throw stop{exit_not_acquired, "nothing was broken"};
    }
    report(seen, break_lock(redis, name_, seen.owner).value());
    return exit_ok;
  }

 private:
  static std::string what_now(const lock_info& seen, const broken_lock& done) {
    if (!done.next_owner.empty()) return "now held by " + printable(done.next_owner);
    // Of shares the waiters themselves find out who fits.
    return seen.layout == lock_layout::shares && seen.waiting > 0 ? "those who wait go on" : "it is free";
  }

  void report(const lock_info& seen, const broken_lock& done) const {
    if (json_) {
      json_object out;
      out.add("name", seen.name).add("broken", true).add("owner", done.owner).add("told", done.told);
      out.add("holders", done.holders);
      out.add("next_owner", done.next_owner.empty() ? std::nullopt : std::optional{done.next_owner});
      return print(out.text() + "\n");
    }
    print("broke " + printable(seen.name) + ", held by " + holder_text(seen) + "; " + what_now(seen, done) + "\n");
  }

  target target_;
  std::string name_;
  bool yes_ = false;
  bool json_ = false;
};

}  // namespace

std::unique_ptr<verb> make_break() { return std::make_unique<break_verb>(); }

}  // namespace holdfast::cli
