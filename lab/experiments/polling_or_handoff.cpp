// Eight clients want one lock: first by asking again every 100 ms, then in the library's queue. How long is it nobody's
// between a release and the next holder, and in which order do they get it?
#include <lab/experiment.hpp>

#include <backstage/interrupts.hpp>

#include <algorithm>
#include <array>
#include <cstdio>
#include <string_view>

namespace lab {
namespace {

constexpr int clients = 8;
constexpr const char* hold_ms = "20";

struct turn {
  std::size_t who = 0;
  std::int64_t got = 0;
  std::int64_t released = 0;
  int tries = 0;
};

struct round {
  std::vector<turn> turns;  // in the order in which they got it

  [[nodiscard]] std::int64_t median_gap() const {
    std::vector<std::int64_t> gaps;
    for (std::size_t i = 1; i < turns.size(); ++i) gaps.push_back(turns[i].got - turns[i - 1].released);
    std::ranges::sort(gaps);
    return gaps[gaps.size() / 2];
  }
  [[nodiscard]] bool in_order() const { return std::ranges::is_sorted(turns, {}, &turn::who); }
  [[nodiscard]] int in_vain() const {
    int sum = 0;
    for (const turn& each : turns) sum += each.tries - 1;
    return sum;
  }
};

// Counts how often the lock became nobody's: Redis itself tells of every key that is deleted or expires. Counted and not
// timed, because time on a busy machine says more about the machine.
class frees {
 public:
  explicit frees(const place& where) : link_{where.process->socket()} {
    static_cast<void>(link_.ask({"SUBSCRIBE", "__keyspace@0__:" + std::string{trial::key}}));
  }
  // Since the last time.
  std::string count() {
    int sum = 0;
    // What has been told so far comes before the answer to this.
    for (std::string told; !(told = link_.ask({"PING"})).starts_with("pong");) {
      if (told.ends_with(" del") || told.ends_with(" expired")) ++sum;
    }
    return std::to_string(sum);
  }

 private:
  redis_link link_;
};

// Hears all answers, and notes them in the order of time.
round gather(trial& t, const std::vector<actor*>& all) {
  round out;
  // Meanwhile the server is asked who has the lock, for the drawing.
  while (!std::ranges::all_of(all, [](const actor* each) { return each->has_answer(); })) {
    t.look();
    backstage::pause_for(std::chrono::milliseconds{1});
  }
  for (std::size_t i = 0; i < all.size(); ++i) {
    const answer told = all[i]->hear();
    if (told.texts.size() < 3) throw std::runtime_error{all[i]->name() + ": " + told.text()};
    out.turns.push_back({i, std::stoll(told.texts[0]), std::stoll(told.texts[1]), std::stoi(told.texts[2])});
  }
  std::ranges::sort(out.turns, {}, &turn::got);
  for (const turn& each : out.turns) {
    const std::string tries = each.tries > 1 ? "at try " + std::to_string(each.tries) : "";
    t.note(all[each.who]->name(), "got the lock", tries, each.got);
    t.note(all[each.who]->name(), "releases it", "", each.released);
    t.believes(*all[each.who], each.got);
    t.believes_no_more(*all[each.who], each.released);
  }
  return out;
}

std::string gap_text(std::int64_t ns) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.3f ms", static_cast<double>(ns) / 1e6);
  return text.data();
}

void steps(trial& t) {
  place& redis = t.server("redis", {.settings = {"--notify-keyspace-events", "Kgx"}});
  std::vector<actor*> all;
  for (int i = 0; i < clients; ++i) all.push_back(&t.client("P" + std::to_string(i + 1)));

  frees polling_frees{redis};
  // Nobody starts before all have been told: until then the lock is the laboratory's.
  t.operate(redis, {"SET", trial::key, "nobody", "NX", "PX", "30000"});
  for (actor* const each : all) {
    each->tell({"poll", redis.process->socket(), trial::key, trial::owner(*each), "100", hold_ms});
  }
  for (actor* const each : all) t.note(each->name(), "asks every 100 ms");
  t.await(redis, {"INFO", "commandstats"}, [](const std::string& told) {
    constexpr std::string_view head = "cmdstat_set:calls=";
    const auto at = told.find(head);
    return at != std::string::npos && std::stoi(told.substr(at + head.size())) >= 2 * clients;
  });
  t.note("redis", "they ask in vain");
  t.operate(redis, {"DEL", trial::key});
  const round polled = gather(t, all);
  const std::string polled_frees = polling_frees.count();

  frees queue_frees{redis};
  // The library's queue; each joins when the one before it is seen there.
  t.operate(redis, {"SET", trial::key, "nobody", "NX", "PX", "30000"});
  for (std::size_t i = 0; i < all.size(); ++i) {
    all[i]->tell({"queue", redis.process->url(), trial::key, trial::owner(*all[i]), hold_ms});
    t.await(redis, {"ZCARD", "{" + std::string{trial::key} + "}:waiters"}, std::to_string(i + 1));
    t.note(all[i]->name(), "waits in the queue");
  }
  t.operate(redis, {"PEXPIRE", trial::key, "1"});
  const round queued = gather(t, all);
  const std::string queued_frees = queue_frees.count();

  t.note("", "polling: nobody's lock for (median)", gap_text(polled.median_gap()));
  t.note("", "hand-off: nobody's lock for (median)", gap_text(queued.median_gap()));
  t.expect("polling: questions in vain", true, polled.in_vain() > 0);
  t.expect("polling: times that the lock is nobody's (before, between and after 8 turns)", "9", polled_frees);
  t.expect("hand-off: times that the lock is nobody's (only before and after)", "2", queued_frees);
  t.expect("hand-off: first come, first served", true, queued.in_order());
  t.expect("two believe to hold it at once", false, t.overlapped());
}

}  // namespace

experiment polling_or_handoff() {
  return {"polling-or-handoff", "eight clients take turns: by asking every 100 ms, and by direct hand-off",
          "A poller finds a free lock when it happens to look; a release that hands over makes the next holder in the "
          "same step and tells only that one.",
          steps};
}

}  // namespace lab
