// inflight: 256 coroutines, each on a lock of its own, on one io_context thread and one connection; the floor is hiredis
// that sends 256 acquires in one pipeline, then 256 releases.
#include "recording.hpp"
#include "server.hpp"
#include "statistics.hpp"
#include "suite.hpp"

#include <holdfast/asio.hpp>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <memory>
#include <stdexcept>
#include <vector>

namespace holdfast::bench {

using namespace std::chrono_literals;
namespace asio = boost::asio;

namespace {

constexpr unsigned depth = 256;
constexpr auto length = 400ms;

asio::awaitable<void> take_turns(client& redis, std::string name, clock::time_point end, std::uint64_t& total) {
  do {
    lease held = co_await async_acquire(redis, name, asio::use_awaitable);
    const release_outcome outcome = co_await async_release(std::move(held), asio::use_awaitable);
    if (outcome != release_outcome::released) throw std::runtime_error{"a release failed"};
    ++total;
  } while (clock::now() < end);
}

double coroutines(client& redis) {
  asio::io_context context{1};
  std::uint64_t total = 0;
  const auto begin = clock::now();
  for (unsigned index = 0; index < depth; ++index) {
    asio::co_spawn(context, take_turns(redis, "bench:inflight:ours_:" + std::to_string(index), begin + length, total),
                   [](std::exception_ptr problem) {
                     if (problem) std::rethrow_exception(problem);
                   });
  }
  context.run();
  return static_cast<double>(total) / std::chrono::duration<double>{clock::now() - begin}.count();
}

}  // namespace

report inflight(const run_options& how) {
  const server redis{how.url};
  floor_connection raw{redis.url()};
  client connected{quiet_settings(redis.url())};
  std::vector<std::string> names;
  for (unsigned index = 0; index < depth; ++index) {
    names.push_back("bench:inflight:floor:" + std::to_string(index));
  }
  const auto raw_locks = record(redis.url(), names);

  const rounds all = interleave(
      how.rounds.value_or(15), [&] { return depth * rate(length, [&] { raw.pipelined_pairs(raw_locks); }); },
      [&] { return coroutines(connected); });

  report out{"inflight", "256 coroutines on 256 locks, throughput against hiredis pipelining 256 deep",
             sense::at_least};
  const auto ratios = all.ours_to_floor();
  out.judge("ratio", median(ratios), 0.75);
  add_figures(out, all, ratios, "floor", "ours");
  return out;
}

}  // namespace holdfast::bench
