// Random steps of many owners on shares, by the scripts themselves, against a model of a few lines.
//
// Each step is one script call with its own reply; after each one the server's sorted sets must be what the model says: who
// holds which weight, their sum, and who waits in which order. The steps are taken one at a time, so the order is known; time
// does not pass for the model (long ttls), except where the model itself lets a share end.
#include <gtest/gtest.h>

#include <algorithm>
#include <list>
#include <map>
#include <random>

#include "lock/shares.hpp"
#include "redis/common.hpp"
#include "scripts/sources.hpp"
#include "support/seed.hpp"

namespace holdfast::test {
namespace {

using lock::flavour;

constexpr long long all = static_cast<long long>(lock::most_shares);

struct model {
  struct wish {
    std::string owner;
    long long weight;
    bool upgrade;
    friend bool operator==(const wish&, const wish&) = default;
  };
  long long capacity = 0;
  std::map<std::string, long long> holds;
  std::list<wish> queue;

  [[nodiscard]] long long sum() const {
    long long total = 0;
    for (const auto& [owner, weight] : holds) total += weight;
    return total;
  }
  [[nodiscard]] bool waits(const std::string& owner) const {
    return std::ranges::any_of(queue, [&](const wish& each) { return each.owner == owner; });
  }
  void leave(const std::string& owner) {
    queue.remove_if([&](const wish& each) { return each.owner == owner; });
  }
  // Lets in from the head while they fit; returns who was.
  std::vector<std::string> serve() {
    std::vector<std::string> in;
    while (!queue.empty()) {
      const wish head = queue.front();
      const bool possible = head.weight <= capacity && (!head.upgrade || holds.contains(head.owner));
      if (sum() >= capacity) break;  // nothing is looked at
      if (possible && sum() - (head.upgrade ? 1 : 0) + head.weight > capacity) break;
      queue.pop_front();
      if (!possible) continue;
      holds[head.owner] = head.weight;
      in.push_back(head.owner);
    }
    return in;
  }
};

struct shares_model : testing::TestWithParam<bool> {
  redis_server server;
  redis_connection inbox = server.connect();
  model expected;
  std::mt19937_64 random;
  std::uint64_t last_writer = 0;  // fences of writers increase

  static constexpr int owners = 12;
  bool read_write() const { return GetParam(); }
  int pick(int count) { return static_cast<int>(random() % static_cast<unsigned>(count)); }
  std::string name(int i) const { return "owner" + std::to_string(i); }

  std::shared_ptr<const flavour> what(long long weight, bool upgrade) const {
    if (!read_write()) return lock::permits(static_cast<std::uint64_t>(weight), 5);
    if (upgrade) return lock::upgrader();
    return weight == 1 ? lock::reader() : lock::writer();
  }
  std::string entry(const std::string& owner, const flavour& kind) const {
    return kind.mark + "60000:abcdef:" + owner.substr(5) + ":" + owner;
  }
  reply run(const scripts::script& script, std::vector<std::string> args, int keys) {
    static const std::vector<std::string> names{"pool", "{pool}:waiters", "{pool}:seen", "holdfast:fence:{1}"};
    std::vector<std::string> words{"EVAL", std::string{script.source}, std::to_string(keys)};
    words.insert(words.end(), names.begin(), names.begin() + keys);
    words.insert(words.end(), args.begin(), args.end());
    return server.command(words);
  }
  static std::vector<std::string> with(std::vector<std::string> args, const flavour& kind) {
    args.insert(args.end(), kind.extra.begin(), kind.extra.end());
    return args;
  }

  // Writers' numbers increase whichever way they come.
  void note(const std::string& owner, std::uint64_t fence) {
    if (!read_write() || expected.holds[owner] != all) {
      if (read_write()) {
        EXPECT_GT(fence, last_writer) << "a reader's is above those of the writers before it";
      }
      return;
    }
    EXPECT_GT(fence, last_writer);
    last_writer = fence;
  }

  // The messages must name exactly those whom the model let in, in its order.
  void expect_grants(const std::vector<std::string>& in) {
    for (const std::string& owner : in) {
      const auto message = inbox.receive();
      ASSERT_EQ(message.items.size(), 3U);
      const std::string& text = message.items[2].text;
      const auto space = text.find(' ');
      EXPECT_EQ("owner" + text.substr(0, space), owner);
      note(owner, std::stoull(text.substr(space + 1)));
    }
  }

  void acquire(const std::string& owner, long long weight, bool upgrade, bool queue) {
    const auto kind = what(weight, upgrade);
    const auto answer =
        run(*kind->acquire, with({owner, "600000", queue ? entry(owner, *kind) : "", "1", "0"}, *kind), 4);
    ASSERT_FALSE(answer.is_error()) << answer.text;
    std::string result;
    const bool first =
        expected.queue.empty() || !expected.queue.front().upgrade || expected.queue.front().owner == owner;
    if (weight > expected.capacity) {
      if (queue) expected.leave(owner);
      result = "refused";
    } else if (upgrade && !expected.holds.contains(owner)) {
      if (queue) expected.leave(owner);
      result = "refused";
    } else if (expected.holds.contains(owner) && expected.holds[owner] == weight) {
      if (queue) expected.leave(owner);
      result = "granted";
    } else if (upgrade && !first) {
      result = "refused";
    } else if (upgrade && expected.sum() == 1) {
      expected.leave(owner);
      expected.holds[owner] = weight;
      result = "granted";
    } else if (upgrade) {
      if (queue && !expected.waits(owner)) expected.queue.push_front({owner, weight, true});
      result = queue ? "queued" : "held";
    } else {
      if (!expected.waits(owner) && expected.queue.empty() && expected.sum() + weight <= expected.capacity) {
        expected.holds[owner] = weight;
        result = "granted";
      } else {
        if (queue && !expected.waits(owner)) expected.queue.push_back({owner, weight, false});
        result = queue ? "queued" : "held";
      }
    }
    ASSERT_TRUE(answer.text.starts_with(result + " ")) << "expected " << result << ", was " << answer.text;
    if (result == "granted") note(owner, std::stoull(answer.text.substr(8)));
  }

  void release(const std::string& owner, long long weight, bool upgrade, bool queue) {
    const auto kind = what(weight, upgrade);
    const auto answer = run(*kind->release, with({owner, queue ? entry(owner, *kind) : ""}, *kind), 4);
    if (queue) {
      expected.queue.remove_if(
          [&](const auto& each) { return each.owner == owner && each.weight == weight && each.upgrade == upgrade; });
    }
    const bool mine = expected.holds.contains(owner) && (read_write() || expected.holds[owner] == weight);
    if (mine && upgrade) {
      expected.holds[owner] = 1;
    } else if (mine) {
      expected.holds.erase(owner);
    }
    const auto in = expected.serve();
    ASSERT_EQ(answer.number, !mine ? 0 : in.empty() ? 1 : 2) << answer.text;
    expect_grants(in);
  }

  void renew(const std::string& owner, long long weight) {
    const auto kind = what(weight, false);
    const auto answer = run(*kind->renew, with({owner, "600000"}, *kind), 1);
    const bool mine = expected.holds.contains(owner) && (read_write() || expected.holds[owner] == weight);
    EXPECT_EQ(answer.text, mine ? "kept" : "gone");
  }

  // The share of this owner ends: what a crash comes to. The next step takes it off.
  void expire(const std::string& owner) {
    if (!expected.holds.contains(owner)) return;
    server.number({"ZADD", "pool", "XX", "2000000000", std::to_string(expected.holds[owner]) + ":" + owner});
    expected.holds.erase(owner);
    release("owner99", read_write() ? all : 1, false, false);  // any step, of somebody who has nothing
  }

  // Nobody is silent here, however long the test takes.
  void keep_waiters_alive() {
    const auto time = server.list({"TIME"});
    const long long old = std::stoll(time[0]) * 1'000'000 + std::stoll(time[1]) - 1'000'000;
    const auto waiters = server.list({"ZRANGE", "{pool}:waiters", "0", "-1", "WITHSCORES"});
    for (std::size_t i = 0; i < waiters.size(); i += 2) {
      if (std::stoll(waiters[i + 1]) > old) continue;  // as by the scripts: not before it has waited for a second
      server.number({"HSET", "{pool}:seen", waiters[i], "9000000000000000"});
    }
    server.number({"PEXPIRE", "{pool}:seen", "600000"});
    server.number({"PEXPIRE", "{pool}:waiters", "600000"});
  }

  void compare() {
    std::map<std::string, long long> holds;
    long long sum = 0;
    for (const auto& member : server.list({"ZRANGE", "pool", "0", "-1"})) {
      if (member == "#") {
        sum = server.number({"ZSCORE", "pool", "#"});
      } else if (member == "/") {
        ASSERT_FALSE(read_write());
        ASSERT_LE(server.number({"ZSCORE", "pool", "/"}), 1'000'000'000) << "it would be taken for a share";
      } else if (member.front() != '^') {
        holds[member.substr(member.find(':') + 1)] = std::stoll(member);
      }
    }
    ASSERT_EQ(holds, expected.holds);
    ASSERT_EQ(sum, expected.sum());
    std::list<model::wish> queue;
    for (const auto& waits : server.list({"ZRANGE", "{pool}:waiters", "0", "-1"})) {
      queue.push_back({waits.substr(waits.rfind(':') + 1), std::stoll(waits), waits.find('^') != std::string::npos});
    }
    ASSERT_EQ(queue, expected.queue);
    ASSERT_TRUE(server.keys_without_expiry().empty());
  }

  void step() {
    const std::string owner = name(pick(owners));
    const long long weight = read_write() ? (pick(3) == 0 ? all : 1) : 1 + pick(6);
    const auto waiting = std::ranges::find(expected.queue, owner, &model::wish::owner);
    switch (pick(8)) {
      case 0:
      case 1:
      case 2:
        // Somebody who waits asks again for the same; who holds for reading may want to write.
        if (waiting != expected.queue.end()) return acquire(owner, waiting->weight, waiting->upgrade, true);
        if (const auto held = expected.holds.find(owner); held != expected.holds.end()) {
          if (read_write() && pick(2) == 0) {
            // Not where 15 have passed the same waiter: that has a test of its own.
            if (expected.sum() == 1 && !expected.queue.empty()) return;
            return acquire(owner, all, true, pick(2) == 0);
          }
          // Its answer was lost. A writer's again draws one of the 15 numbers, too.
          if (!expected.queue.empty()) return;
          return acquire(owner, held->second, false, true);
        }
        return acquire(owner, weight, false, pick(4) != 0);
      case 3:
      case 4:
        if (const auto held = expected.holds.find(owner); held != expected.holds.end()) {
          if (waiting != expected.queue.end()) return release(owner, all, true, true);  // gives up the upgrade
          return release(owner, held->second, read_write() && held->second == all && pick(3) == 0, false);
        }
        if (waiting != expected.queue.end()) return release(owner, waiting->weight, false, true);
        return release(owner, weight, false, false);
      case 5:
        return renew(owner, expected.holds.contains(owner) ? expected.holds[owner] : weight);
      case 6:
        if (pick(3) == 0) return expire(owner);
        return;
      default:
        if (read_write() || pick(4) != 0) return;
        expected.capacity = 2 + pick(5);
        ASSERT_EQ(run(scripts::share_capacity, {std::to_string(expected.capacity)}, 4).number, 0);
        expect_grants(expected.serve());
    }
  }
};

TEST_P(shares_model, agrees_after_every_step) {
  const unsigned seed = make_seed();
  random.seed(seed);
  expected.capacity = read_write() ? all : 5;
  if (!read_write()) run(scripts::share_capacity, {"5"}, 4);
  inbox.command({"SUBSCRIBE", "holdfast:inbox:abcdef"});
  for (int i = 0; i < 10'000; ++i) {
    if (i % 50 == 0) keep_waiters_alive();
    step();
    compare();
    if (HasFailure()) FAIL() << "at step " << i;
  }
  while (!expected.queue.empty()) {
    const model::wish next = expected.queue.front();
    release(next.owner, next.weight, next.upgrade, true);
  }
  while (!expected.holds.empty()) {
    release(expected.holds.begin()->first, expected.holds.begin()->second, false, false);
  }
  compare();
  EXPECT_EQ(server.number({"EXISTS", "pool", "{pool}:waiters", "{pool}:seen"}), 0);
}

INSTANTIATE_TEST_SUITE_P(, shares_model, testing::Bool(),
                         [](const auto& chosen) { return chosen.param ? "read_write" : "permits"; });

}  // namespace
}  // namespace holdfast::test
