// Memory runs out while locks are held: what each policy of eviction does to them.
//
// 200 locks with the expiry of a lock, then cached pages without one until the limit has been passed many times over.
// Nothing reads the locks in between, except by EXISTS, which does not count as use.
#include <lab/experiment.hpp>
#include <lab/plain_lock.hpp>

#include <algorithm>

namespace lab {
namespace {

constexpr int locks = 200;
constexpr int pages = 8000;  // of 4 KB: 30 times the memory that is left

std::string name_of(int lock) { return lock == 0 ? std::string{trial::key} : "lock:" + std::to_string(lock); }

int locks_left(trial& t, place& redis) {
  words command{"EXISTS"};
  for (int i = 0; i < locks; ++i) command.push_back(name_of(i));
  return std::stoi(t.peek(redis, command));
}

void steps(trial& t, const std::string& policy) {
  place& redis = t.server("redis", {.settings = {"--maxmemory-policy", policy}});
  actor& a = t.client("A");
  actor& b = t.client("B");

  t.look_without_touching();
  const bool first = t.take(a, redis, set_if_absent(trial::owner(a), "60000"));
  for (int i = 1; i < locks; ++i) t.peek(redis, {"SET", name_of(i), "somebody's", "NX", "PX", "60000"});
  const std::string memory = t.peek(redis, {"INFO", "memory"});
  const long long used = std::stoll(memory.substr(memory.find("used_memory:") + 12));
  t.operate(redis, {"CONFIG", "SET", "maxmemory", std::to_string(used + 1'000'000)});

  // Until A's own lock is gone, or for as long as pages are taken.
  const std::string page(4096, 'x');
  int taken = 0;
  bool full = false;
  for (; taken < pages && !full; ++taken) {
    full = t.peek(redis, {"SET", "page:" + std::to_string(taken), page}).starts_with("-OOM");
    if (taken % 16 == 0 && t.peek(redis, {"EXISTS", trial::key}) == "0") break;
  }
  t.note("redis", "pages of 4 KB were written", full ? "until -OOM" : std::to_string(taken));
  const int left = locks_left(t, redis);
  t.note("redis", "locks that are left of " + std::to_string(locks), std::to_string(left));
  // At the limit no lock is given to anybody; a cache that lets go of its last pages is what happens next.
  words last{"DEL"};
  for (int i = std::max(taken - 20, 0); i < taken; ++i) last.push_back("page:" + std::to_string(i));
  t.note("redis", "pages that those who wrote them delete again", t.peek(redis, last));
  t.look();
  const bool second = t.take(b, redis, set_if_absent(trial::owner(b), "60000"));

  const bool evicts = policy != "noeviction";
  t.expect("A takes the lock", true, first);
  t.expect("locks were evicted", evicts, left < locks);
  t.expect("B gets A's lock while A works", evicts, second);
  t.expect("two believe to hold it at once", evicts, t.overlapped());
}

}  // namespace

std::vector<experiment> eviction() {
  std::vector<experiment> all;
  for (const char* const policy : {"noeviction", "volatile-ttl", "volatile-lru", "volatile-lfu", "volatile-random",
                                   "allkeys-lru", "allkeys-lfu", "allkeys-random"}) {
    const std::string name{policy};
    all.push_back({"eviction-" + name, "memory runs out under the policy " + name + " while locks are held",
                   name == "noeviction" ? "Nothing is evicted; what has no room is refused, a new lock included: safe. "
                                          "The only policy for a Redis that has locks."
                                        : "A lock is a key with an expiry like any other, and went to make room. Locks "
                                          "belong on a Redis with noeviction.",
                   [name](trial& t) { steps(t, name); }});
  }
  return all;
}

}  // namespace lab
