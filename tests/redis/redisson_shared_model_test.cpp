// Random steps of many owners of ours and of Java's on Redisson's read-write lock, by the scripts themselves, against a model of a
// few lines. After each step the hash, the readers' timeouts and our queue must be what the model says.
//
// Time does not pass for the model (long ttls), except where it lets a reader end.
#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <random>

#include "lock/read_write.hpp"
#include "redis/common.hpp"
#include "redis/read_write_model.hpp"
#include "scripts/sources.hpp"
#include "support/left_behind.hpp"
#include "support/redisson_read_write.hpp"
#include "support/seed.hpp"

namespace holdfast::test {
namespace {

// Owners 0 … 9 are ours, 10 … 12 are threads of Java.
constexpr int ours = 10;
constexpr int all = 13;
constexpr auto long_lease = 25'000ms;

// All readers that have a timeout, with their counts; then the writer; then the queue.
constexpr auto look = R"(
local seen = {}
for _, field in ipairs(redis.call('hkeys', KEYS[1])) do
  local count, live = tonumber(redis.call('hget', KEYS[1], field)), 0
  for i = 1, count or 0 do live = live + redis.call('exists', '{door}:' .. field .. ':rwlock_timeout:' .. i) end
  if string.find(field, ':write$') then live = count end
  if live > 0 then seen[#seen + 1] = field .. '=' .. live end
end
table.sort(seen)
seen[#seen + 1] = 'mode=' .. (redis.call('hget', KEYS[1], 'mode') or 'none')
for _, entry in ipairs(redis.call('zrange', KEYS[2], 0, -1)) do seen[#seen + 1] = entry end
return seen)";

struct redisson_shared_model : testing::Test {
  redis_server server;
  redis_connection inbox = server.connect();
  std::deque<redisson_read_write_lock> java;
  const lock::flavour_ptr reader = lock::redisson_reader("door");
  const lock::flavour_ptr writer = lock::redisson_writer("door");
  read_write_model expected;
  std::mt19937_64 random;
  std::uint64_t last_writer = 0;  // fences of writers increase

  redisson_shared_model() {
    for (int who = ours; who < all; ++who) java.emplace_back(server, "door", who);
  }
  int pick(int count) { return static_cast<int>(random() % static_cast<unsigned>(count)); }
  redisson_read_write_lock& java_of(int who) { return java[static_cast<std::size_t>(who - ours)]; }
  std::string name(int who) {
    if (who >= ours) return java_of(who).read.owner();
    return "abcdef01-2345-8678-b9aa-00000000000" + std::to_string(who) + ":7";
  }
  const lock::flavour& kind(bool writes) const { return writes ? *writer : *reader; }
  std::string entry(int who, bool writes) {
    return kind(writes).mark + "20000:abcdef0123456789:" + std::to_string(who) + ":" + name(who);
  }
  reply run(const scripts::script& script, std::vector<std::string> args, bool writes, int keys) {
    static const std::vector<std::string> names{"door", "{door}:waiters", "{door}:seen", "holdfast:fence:{1}"};
    std::vector<std::string> words{"EVAL", std::string{script.source}, std::to_string(keys)};
    words.insert(words.end(), names.begin(), names.begin() + keys);
    words.insert(words.end(), args.begin(), args.end());
    const auto& extra = kind(writes).extra;
    words.insert(words.end(), extra.begin(), extra.end());
    return server.command(words);
  }

  // `again`: the answer to an acquire of a hold that is there already. The number of the first one was never seen, so it may
  // be told once more; while somebody waits there is only one left below their ticket.
  void note(int who, std::uint64_t fence, bool again = false) {
    if (again) {
      EXPECT_GE(fence, last_writer) << "not below a writer before it";
    } else {
      EXPECT_GT(fence, last_writer) << "above all writers before it";
    }
    if (expected.writer == who) last_writer = fence;
  }
  // The messages must name exactly those whom the model let in, in its order.
  void expect_grants(const std::vector<int>& in) {
    for (const int who : in) {
      const std::string text = inbox.receive().items.at(2).text;
      const auto space = text.find(' ');
      EXPECT_EQ(text.substr(0, space), std::to_string(who));
      note(who, std::stoull(text.substr(space + 1)));
    }
  }

  void acquire(int who, bool writes, bool queue) {
    const auto answer =
        run(scripts::read_write_acquire, {name(who), "25000", queue ? entry(who, writes) : "", "1", "0"}, writes, 4);
    ASSERT_FALSE(answer.is_error()) << answer.text;
    std::string result = queue ? "queued" : "held";
    std::vector<int> told;
    const bool again = expected.has(who, writes);
    if (again) {
      result = "granted";
    } else {
      told = expected.serve();
      if (const auto me = std::ranges::find(told, who); me != told.end()) {
        told.erase(me);
        result = "granted";
      } else if (expected.find(who) == expected.queue.end()) {
        if (expected.queue.empty() && expected.fits(writes)) {
          expected.put(who, writes);
          result = "granted";
        } else if (queue) {
          expected.queue.push_back({who, writes});
        }
      }
    }
    ASSERT_TRUE(answer.text.starts_with(result + " ")) << "expected " << result << ", was " << answer.text;
    expect_grants(told);
    if (result == "granted") note(who, std::stoull(answer.text.substr(8)), again);
  }

  void release(int who, bool writes, bool queue) {
    const auto answer = run(scripts::read_write_release, {name(who), queue ? entry(who, writes) : ""}, writes, 4);
    if (queue) expected.leave(who);
    const bool wrote = expected.writer == who;
    const bool mine = wrote || expected.readers.contains(who);
    if (wrote) expected.writer.reset();
    expected.readers.erase(who);
    const auto in = queue || (mine && expected.free()) ? expected.serve() : std::vector<int>{};
    ASSERT_EQ(answer.number, !mine ? 0 : in.empty() ? 1 : 2) << answer.text;
    expect_grants(in);
  }

  void renew(int who, bool writes) {
    const auto answer = run(scripts::read_write_renew, {name(who), "25000"}, writes, 1);
    const bool mine = expected.writer == who || expected.readers.contains(who);
    EXPECT_EQ(answer.text, mine ? "kept" : expected.writer ? "taken" : "gone");
  }

  void downgrade(int who) {
    const auto answer = run(scripts::read_write_downgrade, {name(who), ""}, true, 4);
    const bool mine = expected.writer == who || expected.readers.contains(who);
    ASSERT_EQ(answer.number, mine ? 1 : 0) << answer.text;
    if (expected.writer != who) return;
    expected.writer.reset();
    expected.readers[who] = 1;
    expect_grants(expected.serve());
  }

  // The hold ends: what a crash comes to. The hash would end with the last one.
  void expire(int who) {
    if (expected.writer == who) {
      expected.writer.reset();
      server.number({"DEL", "door"});
    } else if (expected.readers.erase(who) == 1) {
      server.number({"DEL", "{door}:" + name(who) + ":rwlock_timeout:1"});
      if (expected.readers.empty()) server.number({"DEL", "door"});
    }
  }

  void java_step(int who, bool writes) {
    redisson_locking& half = writes ? java_of(who).write : java_of(who).read;
    const bool writing = expected.writer == who;
    const bool reading = expected.readers.contains(who);
    switch (pick(5)) {
      case 0:
      case 1:
        if (writes ? reading : writing) return;  // which Java may do; it is tested by itself
        if (writes) {
          ASSERT_EQ(half.try_lock(long_lease), writing || expected.free());
          if (writing) {
            ++expected.writer_count;
          } else if (expected.free()) {
            expected.put(who, true);
          }
        } else {
          ASSERT_EQ(half.try_lock(long_lease), !expected.writer);
          if (!expected.writer) ++expected.readers[who];
        }
        return;
      case 2:
      case 3: {
        const auto done = half.unlock();
        if (expected.free()) return;  // told as released, whoever asks: Redisson's way
        if (writes) {
          ASSERT_EQ(done.has_value(), writing);
          if (!writing) return;
          ASSERT_EQ(*done, --expected.writer_count == 0);
          if (expected.writer_count == 0) expected.writer.reset();
        } else {
          ASSERT_EQ(done.has_value(), reading);
          if (!reading) return;
          if (--expected.readers[who] == 0) expected.readers.erase(who);
          ASSERT_EQ(*done, expected.free());
        }
        return;
      }
      default:
        ASSERT_EQ(half.renew(long_lease), writes ? writing : reading);
    }
  }

  // Nobody is silent here, however long the test takes.
  void keep_waiters_alive() {
    for (const auto& each : expected.queue) {
      server.number({"HSET", "{door}:seen", entry(each.owner, each.writes), "9000000000000000"});
    }
    server.number({"PEXPIRE", "{door}:seen", "600000"});
    server.number({"PEXPIRE", "{door}:waiters", "600000"});
  }

  void compare() {
    std::vector<std::string> seen;
    for (const auto& [who, count] : expected.readers) seen.push_back(name(who) + "=" + std::to_string(count));
    if (expected.writer) {
      seen.push_back(name(*expected.writer) + ":write=" + std::to_string(expected.writer_count));
    }
    std::ranges::sort(seen);
    seen.emplace_back(expected.writer ? "mode=write" : expected.readers.empty() ? "mode=none" : "mode=read");
    for (const auto& each : expected.queue) seen.push_back(entry(each.owner, each.writes));
    ASSERT_EQ(server.list({"EVAL", look, "2", "door", "{door}:waiters"}), seen);
  }

  void step() {
    const int who = pick(all);
    const bool writes = pick(3) == 0;
    if (who >= ours) return java_step(who, writes);
    const bool writing = expected.writer == who;
    const bool inside = writing || expected.readers.contains(who);
    const auto waiting = expected.find(who);
    const bool waits = waiting != expected.queue.end();
    switch (pick(8)) {
      case 0:
      case 1:
      case 2:
        if (waits) return acquire(who, waiting->writes, true);
        if (inside) return acquire(who, writing, true);  // its answer was lost
        return acquire(who, writes, pick(4) != 0);
      case 3:
      case 4:
        return release(who, waits ? waiting->writes : writes, waits);
      case 5:
        return renew(who, writes);
      case 6:
        if (pick(3) == 0) expire(who);
        return;
      default:
        return downgrade(who);
    }
  }
};

TEST_F(redisson_shared_model, agrees_after_every_step) {
  const unsigned seed = make_seed();
  random.seed(seed);
  inbox.command({"SUBSCRIBE", "holdfast:inbox:abcdef0123456789"});
  for (int i = 0; i < 12'000; ++i) {
    if (i % 50 == 0) {
      keep_waiters_alive();
      ASSERT_EQ(server.keys_without_expiry(), std::vector<std::string>{});
    }
    step();
    compare();
    if (HasFailure()) FAIL() << "at step " << i;
  }
  while (!expected.queue.empty()) release(expected.queue.front().owner, expected.queue.front().writes, true);
  for (int who = 0; who < all; ++who) {
    if (who < ours) {
      release(who, false, false);
      continue;
    }
    while (expected.writer == who || expected.readers.contains(who)) {
      const bool writes = expected.writer == who;
      ASSERT_TRUE(writes ? java_of(who).write.unlock() : java_of(who).read.unlock());
      if (writes && --expected.writer_count == 0) expected.writer.reset();
      if (!writes && --expected.readers[who] == 0) expected.readers.erase(who);
    }
  }
  compare();
  auto keys = left_behind(server);
  std::erase(keys, "{door}:seen");
  EXPECT_EQ(keys, std::vector<std::string>{});
}

}  // namespace
}  // namespace holdfast::test
