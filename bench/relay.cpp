// The relay: a crew (crew.hpp) whose members take turns; the parent starts, stops and counts.
#include "relay.hpp"

#include "crew.hpp"
#include "floor.hpp"
#include "recording.hpp"
#include "server.hpp"
#include "statistics.hpp"

#include <holdfast/mutex.hpp>
#include <holdfast/recursive_mutex.hpp>
#include <holdfast/semaphore.hpp>
#include <holdfast/shared_mutex.hpp>

#include <array>
#include <charconv>
#include <thread>

namespace holdfast::bench {
namespace {

using namespace std::chrono_literals;

// A semaphore's permit as a lock.
struct permit_lock {
  semaphore permits;
  explicit permit_lock(client& redis) : permits{redis, "bench:handoff:permit", 1} {}
  void lock() { permits.acquire(); }
  void unlock() { permits.release(); }
};

void run_ours(runner who, crew_board& shared, const std::string& url, unsigned me) {
  client redis{quiet_settings(url)};
  static_cast<void>(redis.ping().value());
  if (who == runner::recursive) {
    take_turns(shared, me, recursive_mutex{redis, "bench:handoff:recursive"});
  } else if (who == runner::writer) {
    take_turns(shared, me, shared_mutex{redis, "bench:handoff:writer"});
  } else if (who == runner::permit) {
    take_turns(shared, me, permit_lock{redis});
  } else {
    take_turns(shared, me, mutex{redis, "bench:handoff"});
  }
  shared.through_queue += redis.stats().handoffs_received;
  ++shared.finished;
  // A connection that closes while others still queue would disturb the figures.
  while (shared.go.load()) nap(1ms);
}

void run_floor(crew_board& shared, const std::string& url, unsigned me) {
  struct raw_lock {
    floor_connection raw;
    floor_connection inbox;  // Debian's hiredis does not speak RESP3: messages need a connection of their own
    floor_lock& commands;
    void lock() {
      if (!raw.acquire_or_queue(commands)) inbox.take_message();
    }
    void unlock() { raw.give_back(commands); }
  };
  // The children take turns at recording: they would overhear one another.
  while (shared.ready.load() != me) nap(1ms);
  const auto commands = record(url, "bench:handoff:floor");
  raw_lock lock{floor_connection{url}, floor_connection{url}, *commands};
  lock.inbox.listen(commands->inbox);
  take_turns(shared, me, lock);
  ++shared.finished;
  while (shared.go.load()) nap(1ms);
}

struct server_work {
  std::uint64_t commands = 0;
  std::uint64_t microseconds = 0;
};

// What clients send, by INFO commandstats. Commands that only scripts run are not in this list: Redis counts both alike.
server_work work_so_far(floor_connection& raw) {
  static constexpr std::array<std::string_view, 14> sent_by_clients{
      "evalsha", "eval",        "ping",           "hello",   "auth", "select",     "subscribe",
      "type",    "client|kill", "client|setname", "command", "info", "config|get", "script|load"};
  const std::string stats = raw.ask({"INFO", "commandstats"});
  server_work total;
  for (const std::string_view name : sent_by_clients) {
    const std::string label = "cmdstat_" + std::string{name} + ":calls=";
    const std::size_t found = stats.find(label);
    if (found == std::string::npos) continue;
    std::uint64_t calls = 0;
    std::uint64_t microseconds = 0;
    const char* const end = stats.data() + stats.size();
    const char* const comma = std::from_chars(stats.data() + found + label.size(), end, calls).ptr;
    std::from_chars(comma + std::string_view{",usec="}.size(), end, microseconds);
    total.commands += calls;
    total.microseconds += microseconds;
  }
  return total;
}

}  // namespace

relay_result relay(runner who, const std::string& url, unsigned processes, std::chrono::milliseconds length) {
  const shared_board shared;
  floor_connection raw{url};
  const double processor_before = processor_seconds(whose::children);
  crew all;
  for (unsigned me = 0; me < processes; ++me) {
    all.start([&, me] { who == runner::floor ? run_floor(*shared, url, me) : run_ours(who, *shared, url, me); });
  }
  all.wait_for(shared->ready, processes);

  const server_work before = work_so_far(raw);
  shared->go = true;
  std::this_thread::sleep_for(length);
  shared->over = true;
  all.wait_for(shared->finished, processes);
  relay_result found;
  const server_work after = work_so_far(raw);
  found.commands = after.commands - before.commands - 1;  // the second question counts itself not, the first does
  found.server = static_cast<double>(after.microseconds - before.microseconds) / 1e6;
  shared->go = false;
  all.wait_for_all();

  found.processor = processor_seconds(whose::children) - processor_before;
  found.handoffs = shared->all_samples();
  for (unsigned me = 0; me < processes; ++me) {
    found.turns.push_back(shared->turns[me].load());
    found.taken += found.turns.back();
  }
  found.through_queue = shared->through_queue.load();
  return found;
}

}  // namespace holdfast::bench
