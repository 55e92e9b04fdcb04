// holdfast leader NAME: who leads, once or whenever it changes.
#include "exit_code.hpp"
#include "json.hpp"
#include "target.hpp"
#include "terminal.hpp"
#include "verb.hpp"

#include <holdfast/elector.hpp>

#include <condition_variable>
#include <deque>
#include <mutex>

namespace holdfast::cli {
namespace {

const manual leader_page{
    .name = "leader",
    .usage = "NAME",
    .summary = "show who leads, and with -f every change",
    .description =
        {"Prints what the leader of NAME said with --id (or its owner's text), its term and its owner, or 'nobody'. "
         "With "
         "--follow a line for the present state and one for every change, until a signal ends it. Leaders announce "
         "themselves, so nothing is polled: a change is seen at once, the end of a leader that crashed when its lease "
         "ends, "
         "and what a lost message hid after 5 s.",
         "Whoever holds the lock by other means (holdfast run NAME) does not count as a leader."},
    .examples = {{"holdfast leader scheduler", "who it is"},
                 {"holdfast leader -f scheduler --json", "every change, for scripts"}},
    .exits = {{"0", "somebody leads"}, {"1", "nobody does"}},
};

class leader_verb final : public verb {
 public:
  [[nodiscard]] const manual& text() const override { return leader_page; }

  void define(CLI::App& app) override {
    app.add_option("NAME", name_, "what is led")->required();
    app.add_flag("-f,--follow", follow_, "go on, and print every change");
    app.add_flag("--id", only_id_, "print the id alone");
    app.add_flag("--json", json_, "print a JSON object (with -f one per line)");
    where_.define(app);
  }

  int act() override {
    client redis = where_.connect();
    // Before a watch: a wrong URL or password is told as by any other verb.
    const auto now = leader_of(redis, name_).value();
    if (follow_) follow(redis);
    print(line(now));
    return now ? exit_ok : exit_not_acquired;
  }

 private:
  [[nodiscard]] std::string line(const std::optional<leader>& who) const {
    if (json_) {
      json_object out;
      out.add("name", name_).add("id", who ? std::optional{who->id} : std::nullopt);
      out.add("term", who ? std::optional{who->term} : std::nullopt);
      out.add("owner", who ? std::optional{who->owner} : std::nullopt);
      out.add("remaining_ms", who ? std::optional<std::int64_t>{who->remaining.count()} : std::nullopt);
      return out.text() + "\n";
    }
    if (!who) return "nobody\n";
    const std::string id = printable(who->id.empty() ? who->owner : who->id);
    if (only_id_) return id + "\n";
    const std::string owner = who->id.empty() ? "" : "  " + printable(who->owner);
    return id + "  term " + std::to_string(who->term) + owner + "\n";
  }

  // Printed on this thread, where a standard output that is gone ends the program as it should.
  [[noreturn]] void follow(client& redis) {
    std::mutex guard;
    std::condition_variable came;
    std::deque<std::string> lines;
    const leader_watch watch{redis, name_, [&](const std::optional<leader>& who) {
                               const std::lock_guard lock{guard};
                               lines.push_back(line(who));
                               came.notify_one();
                             }};
    for (;;) {
      std::unique_lock lock{guard};
      came.wait(lock, [&] { return !lines.empty(); });
      const std::string next = std::move(lines.front());
      lines.pop_front();
      lock.unlock();
      print(next);
    }
  }

  std::string name_;
  bool follow_ = false;
  bool only_id_ = false;
  bool json_ = false;
  target where_;
};

}  // namespace

std::unique_ptr<verb> make_leader() { return std::make_unique<leader_verb>(); }

}  // namespace holdfast::cli
