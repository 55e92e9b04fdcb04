// holdfast watch [PATTERN]: the locks as they change. A picture on a terminal, lines of events in a pipe.
#include "watch/board.hpp"

#include "duration.hpp"
#include "exit_code.hpp"
#include "json.hpp"
#include "stop.hpp"
#include "target.hpp"
#include "terminal.hpp"
#include "verb.hpp"
#include "watch/keys.hpp"
#include "watch/picture.hpp"
#include "watch/screen.hpp"

#include <holdfast/inspect.hpp>

#include <signal.h>
#include <time.h>
#include <unistd.h>

#include <array>
#include <thread>

namespace holdfast::cli {
namespace {

using std::chrono::milliseconds;
using namespace std::chrono_literals;

const manual watch_page{
    .name = "watch",
    .usage = "[PATTERN]",
    .summary = "a live view of locks, holders and waiters",
    .description =
        {"On a terminal: one row per lock, with its holder, how long it has been held, what is left of the lease as a "
         "bar, how many wait, the hand-offs seen since the look before and the leases that ran out. Keys: q quits, s "
         "changes the order, / filters by a part of the name, space holds the picture, ? explains the rest.",
         "In a pipe or a file: one line per event (seen, handed over, released, lost), or one JSON object with --json.",
         "A look costs the server one SCAN and a few commands for each lock. What happens and is over between two "
         "looks "
         "is not seen: hand-offs are counted from below."},
    .examples = {{"holdfast watch", "all locks"},
                 {"holdfast watch 'job:*' | tee locks.log", "events of some, as lines"}},
    .exits = {{"0", "quit by q"}, {"69", "Redis cannot be reached at the start"}, {"128+n", "ended by signal n"}},
};

std::string who(const std::string& host, std::optional<std::int64_t> pid, const std::string& owner) {
  return host.empty() ? owner : host + (pid ? ":" + std::to_string(*pid) : "");
}

std::vector<watch::sight> look_at(client& redis, const std::string& pattern) {
  std::vector<watch::sight> out;
  const lock_list found = list(redis, pattern, {.patience = 400ms}).value();
  for (const lock_info& each : found.locks) {
    if (each.meeting) continue;  // nobody holds it
    watch::sight now{.name = each.name,
                     .owner = each.owner,
                     .holder = who(each.host, each.pid, each.owner),
                     .remaining = each.remaining,
                     .held_for = {},
                     .waiters = {},
                     .waiting = each.waiting};
    if (each.held_for) now.held_for = std::chrono::duration_cast<milliseconds>(*each.held_for);
    for (const lock_waiter& waiter : each.waiters) now.waiters.push_back(waiter.owner);
    out.push_back(std::move(now));
  }
  return out;
}

std::string_view word(watch::happening what) {
  switch (what) {
    case watch::happening::seen:
      return "held";
    case watch::happening::handed_over:
      return "handed";
    case watch::happening::released:
      return "released";
    case watch::happening::lost:
      return "lost";
  }
  return "";
}

std::string wall_time() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  ::localtime_r(&now, &parts);
  std::array<char, 16> text{};
  std::strftime(text.data(), text.size(), "%H:%M:%S", &parts);
  return text.data();
}

class watch_verb final : public verb {
 public:
  [[nodiscard]] const manual& text() const override { return watch_page; }

  void define(CLI::App& app) override {
    app.add_option("PATTERN", pattern_, "names to show, in the way of Redis's KEYS: job:*");
    add_duration(app, "-i,--interval", interval_, "time between two looks (1 s)");
    app.add_flag("--json", json_, "one JSON object per event, also on a terminal");
    where_.define(app);
  }

  int act() override {
    const milliseconds pause = interval_.value_or(1s);
    if (pause < 100ms) throw stop{exit_usage, "--interval must be at least 100ms: each look costs the server a SCAN"};
    const settings there = where_.where();
    client redis{there};
    // Before the terminal is taken over: a wrong URL or password is told as by any other verb.
    const std::vector<watch::sight> first = look_at(redis, pattern_);
    if (json_ || ::isatty(STDOUT_FILENO) == 0 || ::isatty(STDIN_FILENO) == 0) return lines(redis, first, pause);
    return picture(redis, first, pause, there.display());
  }

 private:
  int picture(client& redis, const std::vector<watch::sight>& first, milliseconds pause, const std::string& display) {
    watch::board known;
    watch::controls state;
    watch::screen shown;
    std::string trouble;
    known.look(first, watch::clock::now());
    auto next = watch::clock::now() + pause;
    while (!state.quit && shown.ended() == 0) {
      const watch::canvas on = shown.size();
      shown.show(watch::draw(known, state, on, display, trouble));
      // In short steps: a signal that came to another thread, or just before, is seen soon.
      const auto left = std::chrono::duration_cast<milliseconds>(next - watch::clock::now());
      const std::string keys = shown.wait(std::clamp(left, milliseconds{1}, milliseconds{200}));
      const std::size_t page_rows = on.height > watch::frame_lines ? on.height - watch::frame_lines : 1;
      watch::press(state, keys, page_rows, known.rows(state.sorted, state.filter).size());
      if (watch::clock::now() < next) continue;
      next = watch::clock::now() + pause;
      if (state.paused) continue;
      try {
        known.look(look_at(redis, pattern_), watch::clock::now());
        trouble.clear();
      } catch (const error& failed) {
        trouble = failed.what();  // the picture stays, and the next look may succeed
      }
    }
    return shown.ended() == 0 ? static_cast<int>(exit_ok) : exit_signal + shown.ended();
  }

  int lines(client& redis, const std::vector<watch::sight>& first, milliseconds pause) {
    watch::board known;
    tell(known.look(first, watch::clock::now()));
    for (;;) {
      std::this_thread::sleep_for(pause);
      tell(known.look(look_at(redis, pattern_), watch::clock::now()));
    }
  }

  void tell(const std::vector<watch::event>& events) const {
    for (const watch::event& each : events) {
      if (json_) {
        print(json_object{}
                  .add("time", static_cast<std::int64_t>(std::time(nullptr)))
                  .add("event", word(each.what))
                  .add("name", each.name)
                  .add("holder", each.holder)
                  .add("waiting", each.waiting)
                  .text() +
              "\n");
      } else {
        std::string kind{word(each.what)};
        kind.resize(9, ' ');
        print(wall_time() + " " + kind + printable(each.name) + "  " + printable(each.holder) + "  " +
              std::to_string(each.waiting) + " waiting\n");
      }
    }
  }

  std::string pattern_;
  std::optional<milliseconds> interval_;
  bool json_ = false;
  target where_;
};

}  // namespace

std::unique_ptr<verb> make_watch() { return std::make_unique<watch_verb>(); }

}  // namespace holdfast::cli
