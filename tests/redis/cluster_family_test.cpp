// Every member of the family once on every node of a Redis Cluster: one has it, another waits, and is told by message.
#include <array>
#include <atomic>
#include <future>
#include <ostream>
#include <thread>
#include <tuple>

#include "redis/cluster_fixture.hpp"

namespace holdfast::test {
namespace {

// Two processes, as far as Redis can tell, and a name in the slots of one node.
struct ground {
  client& first;
  client& second;
  cluster_group& group;
  std::size_t node;
  [[nodiscard]] std::string name(const std::string& stem) const { return group.key_at(node, stem + ":"); }

  // `wait` is done by the second client, and `free` by the first once the server has the other in its queue.
  template <class Wait, class Free>
  void hand_over(Wait wait, Free free) const {
    const auto before = second.stats();
    auto waiting = std::async(std::launch::async, wait);
    EXPECT_TRUE(eventually(patience, [&] { return second.stats().waiting_now == 1; })) << "it did not wait";
    free();
    waiting.get();
    EXPECT_GT(second.stats().woken_by_push, before.woken_by_push);
    EXPECT_EQ(second.stats().woken_by_timer, before.woken_by_timer);
  }
};

template <class Mutex>
void exclusive(const ground& at, const std::string& stem) {
  Mutex mine{at.first, at.name(stem)};
  Mutex theirs{at.second, at.name(stem)};
  mine.lock();
  EXPECT_FALSE(theirs.try_lock());
  at.hand_over([&] { theirs.lock(); }, [&] { mine.unlock(); });
  EXPECT_FALSE(mine.try_lock());
  theirs.unlock();
}

template <class Mutex>
void shared(const ground& at, const std::string& stem) {
  exclusive<Mutex>(at, stem);
  Mutex mine{at.first, at.name(stem)};
  Mutex theirs{at.second, at.name(stem)};
  mine.lock_shared();
  EXPECT_TRUE(theirs.try_lock_shared());
  theirs.unlock_shared();
  at.hand_over([&] { theirs.lock(); }, [&] { mine.unlock_shared(); });
  EXPECT_FALSE(mine.try_lock_shared());
  theirs.unlock();
}

void recursive(const ground& at) {
  recursive_mutex mine{at.first, at.name("recursive")};
  recursive_mutex theirs{at.second, at.name("recursive")};
  mine.lock();
  mine.lock();
  mine.unlock();
  EXPECT_FALSE(theirs.try_lock()) << "one of two";
  at.hand_over(
      [&] {
        theirs.lock();
        theirs.unlock();
      },
      [&] { mine.unlock(); });
}

void permits(const ground& at) {
  semaphore mine{at.first, at.name("permits"), 2};
  semaphore theirs{at.second, at.name("permits"), 2};
  lease both = mine.take(2);
  EXPECT_EQ(theirs.try_take().code(), errc::held);
  at.hand_over([&] { EXPECT_EQ(theirs.take().release(), release_outcome::released); },
               [&] { EXPECT_EQ(both.release(), release_outcome::released); });
  EXPECT_TRUE(mine.set_capacity(std::nothrow, 3).has_value());
  EXPECT_TRUE(theirs.try_take(3).has_value());
}

void counted_down(const ground& at) {
  latch mine{at.first, at.name("kept:latch"), 2};
  latch theirs{at.second, at.name("kept:latch"), 2};
  mine.count_down();
  at.hand_over([&] { theirs.wait(); }, [&] { mine.count_down(); });
  EXPECT_TRUE(theirs.try_wait());
}

void met(const ground& at) {
  barrier mine{at.first, at.name("kept:barrier"), 2};
  barrier theirs{at.second, at.name("kept:barrier"), 2};
  for (int phase = 0; phase < 3; ++phase) {
    at.hand_over([&] { theirs.arrive_and_wait(); }, [&] { static_cast<void>(mine.arrive()); });
  }
}

void loaded_once(const ground& at) {
  const cache_options how{.prefix = ""};
  cache<int> mine{at.first, how};
  cache<int> theirs{at.second, how};
  const std::string key = at.name("kept:cache");
  std::atomic<bool> go{false};
  auto loading = std::async(std::launch::async, [&] {
    return mine.get_or_load(key, 60s, [&] {
      while (!go) std::this_thread::sleep_for(1ms);
      return 42;
    });
  });
  EXPECT_TRUE(eventually(patience, [&] { return at.first.stats().held_now == 1; }));
  auto waiting = std::async(std::launch::async, [&] { return theirs.get_or_load(key, 60s, [] { return 7; }); });
  EXPECT_TRUE(eventually(patience, [&] { return at.second.stats().waiting_now == 1; }));
  const auto before = at.second.stats().acquired;
  go = true;
  EXPECT_EQ(loading.get(), 42);
  EXPECT_EQ(waiting.get(), 42) << "told that it is there";
  EXPECT_EQ(at.second.stats().acquired, before) << "without a turn of the lock";
}

void elected(const ground& at) {
  const std::string name = at.name("seat");
  elector mine{at.first, name, {.id = "one"}};
  elector theirs{at.second, name, {.id = "two"}};
  lease leading = mine.campaign();
  EXPECT_EQ(leader_of(at.second, name).value()->id, "one");
  std::atomic<int> heard{0};
  const leader_watch watch{at.second, name, [&](const std::optional<leader>& who) {
                             if (who && who->id == "two") ++heard;
                           }};
  lease next;
  at.hand_over([&] { next = theirs.campaign(); }, [&] { EXPECT_EQ(leading.release(), release_outcome::released); });
  EXPECT_GT(next.fence(), leading.fence());
  EXPECT_TRUE(eventually(patience, [&] { return heard == 1; })) << "over the bus, whichever node we listen to";
  EXPECT_EQ(next.release(), release_outcome::released);
}

void several(const ground& at) {
  std::vector<std::string> names{at.name("several")};
  for (std::size_t other = 0; other < 3; ++other) {
    if (other != at.node) names.push_back(at.group.key_at(other, "several:"));
  }
  multi_lease all = acquire_all(at.first, names);
  EXPECT_EQ(try_acquire_all(at.second, names).code(), errc::held);
  multi_lease next;
  at.hand_over(
      [&] {
        next = acquire_all(at.second, {names[2], names[1], names[0]}, {.wait = 20s});
      },
      [&] { EXPECT_EQ(all.release(), release_outcome::released); });
  for (const std::string& each : names) EXPECT_GT(next.fence(each), all.fence(each));
  EXPECT_EQ(next.release(), release_outcome::released);
}

struct member {
  const char* name;
  void (*try_it)(const ground& at);
};
std::ostream& operator<<(std::ostream& out, const member& what) { return out << what.name; }

constexpr std::array members{
    member{"mutex", [](const ground& at) { exclusive<mutex>(at, "mutex"); }},
    member{"recursive_mutex", recursive},
    member{"shared_mutex", [](const ground& at) { shared<shared_mutex>(at, "shared"); }},
    member{"redisson_shared_mutex", [](const ground& at) { shared<redisson_shared_mutex>(at, "redisson"); }},
    member{"semaphore", permits},
    member{"latch", counted_down},
    member{"barrier", met},
    member{"cache", loaded_once},
    member{"elector", elected},
    member{"multi_lock", several},
};

class cluster_family : public in_a_cluster, public ::testing::WithParamInterface<std::tuple<member, std::size_t>> {};

TEST_P(cluster_family, is_excluded_waited_for_and_handed_over_by_message) {
  client first{where()};
  client second{where()};
  std::get<0>(GetParam()).try_it({first, second, group(), std::get<1>(GetParam())});
}

INSTANTIATE_TEST_SUITE_P(, cluster_family,
                         testing::Combine(testing::ValuesIn(members), testing::Range<std::size_t>(0, 3)),
                         [](const auto& shown) {
                           return std::string{std::get<0>(shown.param).name} + "_on_node_" +
                                  std::to_string(std::get<1>(shown.param));
                         });

}  // namespace
}  // namespace holdfast::test
