// renew: 100,000 leases of 30 s, held by one process for a minute: none may be lost, and keeping them must be cheap.
//
// Acquired and released by coroutines. Memory is what the process has resident with the leases minus what it had before,
// after a first few came and went, so that the connection's buffers are not counted as theirs.
#include "server.hpp"
#include "statistics.hpp"
#include "suite.hpp"

#include <holdfast/asio.hpp>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <malloc.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <numeric>
#include <thread>
#include <vector>

namespace holdfast::bench {

using namespace std::chrono_literals;
namespace asio = boost::asio;

namespace {

constexpr std::size_t count = 100'000;
constexpr std::size_t workers = 256;

double resident_bytes() {
  std::ifstream in{"/proc/self/statm"};
  double size = 0;
  double resident = 0;
  in >> size >> resident;
  return resident * static_cast<double>(::sysconf(_SC_PAGESIZE));
}

asio::awaitable<void> acquire_some(client& redis, std::vector<lease>& all, std::size_t worker, std::size_t up_to) {
  for (std::size_t i = worker; i < up_to; i += workers) {
    const std::string name = "bench:renew:" + std::to_string(i);
    all[i] = co_await async_acquire(redis, name, asio::use_awaitable);
  }
}

asio::awaitable<void> release_some(std::vector<lease>& all, std::size_t worker, std::size_t up_to, std::size_t& good) {
  for (std::size_t i = worker; i < up_to; i += workers) {
    const auto outcome = co_await async_release(std::move(all[i]), asio::use_awaitable);
    if (outcome == release_outcome::released) ++good;
  }
}

template <class Job>
void with_workers(Job job) {
  asio::io_context context{1};
  for (std::size_t worker = 0; worker < workers; ++worker) {
    asio::co_spawn(context, job(worker), [](std::exception_ptr problem) {
      if (problem) std::rethrow_exception(problem);
    });
  }
  context.run();
}

}  // namespace

report renew(const run_options& how) {
  const server redis{how.url};
  client connected{quiet_settings(redis.url())};
  std::vector<lease> all(count);
  std::size_t released = 0;
  with_workers([&](std::size_t worker) { return acquire_some(connected, all, worker, count / 20); });
  with_workers([&](std::size_t worker) { return release_some(all, worker, count / 20, released); });
  ::malloc_trim(0);
  released = 0;

  const double before = resident_bytes();
  const auto begin = clock::now();
  with_workers([&](std::size_t worker) { return acquire_some(connected, all, worker, count); });
  const std::chrono::duration<double> acquiring = clock::now() - begin;
  const double per_lease = (resident_bytes() - before) / static_cast<double>(count);

  const double used_before = processor_seconds(whose::own);
  const auto held_from = clock::now();
  std::this_thread::sleep_for(how.hold.value_or(60s));
  const std::chrono::duration<double> held = clock::now() - held_from;
  const double share = (processor_seconds(whose::own) - used_before) / held.count();
  const double per_lease_later = (resident_bytes() - before) / static_cast<double>(count);

  const auto lost = std::count_if(all.begin(), all.end(), [](const lease& each) { return !each; });
  const stats counted = connected.stats();
  with_workers([&](std::size_t worker) { return release_some(all, worker, count, released); });

  report out{"renew", "100,000 leases of 30 s held by one process", sense::at_most};
  // A lease that the server no longer knows at the release was lost too, though nobody noticed.
  const auto unnoticed = static_cast<double>(count - released) - static_cast<double>(lost);
  out.judge("lost", static_cast<double>(lost) + std::max(unnoticed, 0.0), 0);
  out.judge("core_share", share, 0.25);
  out.judge("bytes_per_lease", std::max(per_lease, per_lease_later), 1024);
  out.figure("seconds_held", held.count(), "s");
  out.figure("renewals", static_cast<double>(counted.renewals), "");
  out.figure("us_per_renewal", share * held.count() * 1e6 / static_cast<double>(counted.renewals), "µs of a core");
  out.figure("bytes_per_lease_at_first", per_lease, "B");
  out.figure("bytes_per_lease_later", per_lease_later, "B");
  out.figure("acquired_per_second", static_cast<double>(count) / acquiring.count(), "leases/s");
  return out;
}

}  // namespace holdfast::bench
