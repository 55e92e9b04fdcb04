// holdfast list [PATTERN]
#include "duration.hpp"
#include "exit_code.hpp"
#include "status/kind_text.hpp"
#include "status/lock_text.hpp"
#include "target.hpp"
#include "terminal.hpp"
#include "verb.hpp"

#include <holdfast/inspect.hpp>

#include <unistd.h>

#include <cstdio>

namespace holdfast::cli {
namespace {

using std::chrono::duration_cast;
using std::chrono::milliseconds;

const manual list_page{
    .name = "list",
    .usage = "[PATTERN]",
    .summary = "show the locks that are held, of every kind",
    .description =
        {"Without a pattern, everything that is recognisably a lock: owners in the form that Holdfast makes, locks "
         "that "
         "somebody queues for, shared ones and semaphores, latches and barriers, and Redisson's. With a pattern (as "
         "for Redis's KEYS: * ? [ab]) that matches the name, "
         "also other strings that have an expiry, as the locks of other libraries do.",
         "Walks over the keys with SCAN, in small steps, and never uses KEYS. --limit and --keys bound its cost; a "
         "line on standard error tells when one of them ended the walk."},
    .examples = {{"holdfast list", "all locks"}, {"holdfast list 'invoice:*' --json", "some of them, for scripts"}},
    .exits = {{"0", "also if there are none"}},
};

class list_verb final : public verb {
 public:
  [[nodiscard]] const manual& text() const override { return list_page; }

  void define(CLI::App& app) override {
    app.add_option("PATTERN", pattern_, "names to show");
    app.add_flag("--json", json_, "print a JSON object");
    app.add_flag("-1,--names", names_, "print only the names, one per line");
    app.add_option("--limit", limit_, "show N locks at most (1000)")->type_name("N");
    app.add_option("--keys", keys_, "walk over N keys at most (200000)")->type_name("N");
    add_duration(app, "--patience", patience_, "wait so long for the holders' answers (0.5)");
    target_.define(app);
  }

  int act() override {
    client redis = target_.connect();
    list_options how{.most_locks = limit_, .most_keys = keys_};
    if (patience_) how.patience = *patience_;
    if (names_) how.patience = milliseconds{0};
    const lock_list found = list(redis, pattern_, how).value();
    print(json_ ? json_of(found) : names_ ? names_of(found) : table_of(found));
    if (!found.complete && !json_) {
      std::fputs("holdfast: the list is not complete; raise --limit or --keys, or give a pattern\n", stderr);
    }
    return exit_ok;
  }

 private:
  static std::string json_of(const lock_list& found) {
    json_array locks;
    for (const lock_info& each : found.locks) locks.raw(lock_json(each).text());
    json_object out;
    out.raw("locks", locks.text()).add("complete", found.complete).add("keys_walked", found.keys);
    return out.text() + "\n";
  }

  static std::string names_of(const lock_list& found) {
    std::string out;
    for (const lock_info& each : found.locks) out += printable(each.name) + "\n";
    return out;
  }

  static std::string table_of(const lock_list& found) {
    if (found.locks.empty()) return {};
    std::vector<std::vector<std::string>> rows{
        {"NAME", "HOLDER", "HELD FOR", "REMAINING", "WAITERS", "PROCESS", "KIND", "LAYOUT"}};
    for (const lock_info& each : found.locks) {
      rows.push_back({printable(each.name), holder_text(each),
                      each.held_for ? duration_text(duration_cast<milliseconds>(*each.held_for)) : "-",
                      each.remaining ? duration_text(*each.remaining) : "for ever", std::to_string(each.waiting),
                      std::string{each.contact == contact::unasked ? "-" : to_string(each.contact)}, kind_text(each),
                      std::string{to_string(each.layout)}});
    }
    return table_text(rows, has_colours(STDOUT_FILENO));
  }

  target target_;
  std::string pattern_;
  bool json_ = false;
  bool names_ = false;
  std::size_t limit_ = 1000;
  std::size_t keys_ = 200'000;
  std::optional<milliseconds> patience_;
};

}  // namespace

std::unique_ptr<verb> make_list() { return std::make_unique<list_verb>(); }

}  // namespace holdfast::cli
