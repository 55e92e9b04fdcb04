// failover: 100 threads of 4 clients contend for one lock behind three Sentinels; the primary is killed. Measured: from the
// moment when the new primary takes its first write (a raw connection tries all the time) to the first grant after it; and
// whether everybody gets the lock again.
//
// How long the Sentinels take to agree (down-after-milliseconds), and then to look whether the promotion came about (every second)
// before they name the new primary, is theirs, and only shown. The latter is part of what is judged.
#include "statistics.hpp"
#include "suite.hpp"

#include <holdfast/holdfast.hpp>

#include <csignal>

#include <algorithm>
#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "support/eventually.hpp"
#include "support/sentinel_group.hpp"

namespace holdfast::bench {

using namespace std::chrono_literals;

namespace {

constexpr std::size_t clients = 4;
constexpr std::size_t waiters = 100;
constexpr auto patience = 60s;

// Who contends, and when each of them was granted the lock last.
class crowd {
 public:
  explicit crowd(const std::string& url) {
    for (std::size_t i = 0; i < clients; ++i) {
      settings how = settings::from_url(url).value();
      how.connect_timeout = patience;
      how.on_warning = [](const warning&) {};
      clients_.push_back(std::make_unique<client>(how));
    }
    for (std::size_t i = 0; i < waiters; ++i) threads_.emplace_back([this, i] { contend(i); });
  }
  ~crowd() {
    stop_ = true;
    for (auto& each : threads_) each.join();
  }

  [[nodiscard]] std::size_t granted_since(clock::time_point when) {
    const std::lock_guard guard{mutex_};
    return static_cast<std::size_t>(std::count_if(last_.begin(), last_.end(), [&](auto each) { return each >= when; }));
  }
  // The first grant from `when` on.
  [[nodiscard]] std::optional<clock::time_point> first_since(clock::time_point when) {
    const std::lock_guard guard{mutex_};
    const auto at = std::lower_bound(grants_.begin(), grants_.end(), when);
    if (at == grants_.end()) return std::nullopt;
    return *at;
  }

 private:
  void contend(std::size_t me) {
    while (!stop_) {
      auto got = clients_[me % clients]->acquire(std::nothrow, "bench:failover", {.wait = 5s});
      if (!got) continue;
      const std::lock_guard guard{mutex_};
      last_[me] = clock::now();
      grants_.push_back(last_[me]);
    }
  }

  std::vector<std::unique_ptr<client>> clients_;
  std::mutex mutex_;
  std::vector<clock::time_point> last_ = std::vector<clock::time_point>(waiters);
  std::vector<clock::time_point> grants_;  // in order
  std::atomic<bool> stop_ = false;
  std::vector<std::thread> threads_;
};

// Tries to write to each of these servers until one takes it.
clock::time_point first_write(const std::vector<std::uint16_t>& ports) {
  const auto end = clock::now() + patience;
  while (clock::now() < end) {
    for (const std::uint16_t port : ports) {
      try {
        auto raw = test::redis_connection::tcp(port, 1s);
        for (int i = 0; i < 20; ++i) {
          if (!raw.command({"SET", "bench:probe", "x", "PX", "1000"}).is_error()) return clock::now();
        }
      } catch (const test::redis_error&) {
        continue;  // the Sentinels close all connections of a server that they promote
      }
    }
  }
  throw std::runtime_error{"no replica was promoted within a minute"};
}

// A Sentinel names another primary than this one.
clock::time_point first_word(test::sentinel_group& group, std::uint16_t old) {
  const auto end = clock::now() + patience;
  while (clock::now() < end) {
    for (std::size_t i = 0; i < 3; ++i) {
      if (group.watcher(i).primary() != old) return clock::now();
    }
  }
  throw std::runtime_error{"no Sentinel named the new primary within a minute"};
}

double seconds(clock::duration span) { return std::chrono::duration<double>{span}.count(); }

}  // namespace

report failover(const run_options& how) {
  std::signal(SIGPIPE, SIG_IGN);  // raw connections to servers that die
  std::vector<double> to_grant;
  std::vector<double> to_write;
  std::vector<double> to_word;
  std::size_t stuck = 0;
  for (unsigned round = 0; round < how.rounds.value_or(5); ++round) {
    test::sentinel_group group;
    crowd all{group.url()};
    const auto begin = clock::now();
    if (!test::eventually(patience, [&] { return all.granted_since(begin) == waiters; })) {
      throw std::runtime_error{"the waiters did not get the lock before the failover"};
    }
    const std::uint16_t old = group.server(0).port();
    group.server(0).kill();
    const auto killed = clock::now();
    const auto written = first_write({group.server(1).port(), group.server(2).port()});
    const auto told = first_word(group, old);
    static_cast<void>(test::eventually(patience, [&] { return all.granted_since(written) == waiters; }));
    stuck += waiters - all.granted_since(written);
    const auto granted = all.first_since(written).value_or(clock::now());
    to_grant.push_back(seconds(granted - written));
    to_word.push_back(seconds(told - written));
    to_write.push_back(seconds(written - killed));
  }
  report out{"failover", "the primary is killed under 100 waiters, behind three Sentinels", sense::at_most};
  out.judge("seconds_to_first_grant", *std::max_element(to_grant.begin(), to_grant.end()), 1.0);
  out.judge("stuck_waiters", static_cast<double>(stuck), 0);
  out.figure("median_to_first_grant", median(to_grant), "s");
  out.figure("median_to_first_word_of_a_sentinel", median(to_word), "s");
  out.figure("worst_to_first_word_of_a_sentinel", *std::max_element(to_word.begin(), to_word.end()), "s");
  out.figure("median_from_kill_to_first_write", median(to_write), "s");
  return out;
}

}  // namespace holdfast::bench
