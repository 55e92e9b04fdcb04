// growth: whether a million other locks make a lock slower. lock+unlock on a server that holds them against an empty one,
// by turns; over a thousand names, so that the lookups do not all hit the same cache line.
#include "floor.hpp"
#include "server.hpp"
#include "statistics.hpp"
#include "suite.hpp"

#include <holdfast/mutex.hpp>

#include <memory>
#include <stdexcept>
#include <vector>

namespace holdfast::bench {

using namespace std::chrono_literals;

namespace {

constexpr unsigned others = 1'000'000;
constexpr unsigned batch = 10'000;
constexpr unsigned names = 1000;

// Held locks as they are between acquire and release: an owner under a key that expires.
void fill(const std::string& url) {
  floor_connection raw{url};
  const std::string owner = "host:12345:00112233445566778899aabbccddeeff";
  for (unsigned done = 0; done < others; done += batch) {
    for (unsigned i = 0; i < batch; ++i) {
      command set{{"SET", "bench:growth:other:" + std::to_string(done + i), owner, "NX", "PX", "3600000"}};
      raw.send(set);
    }
    for (unsigned i = 0; i < batch; ++i) static_cast<void>(raw.take_answer());
  }
  if (raw.ask({"EVAL", "return tostring(redis.call('DBSIZE'))", "0"}) != std::to_string(others)) {
    throw std::runtime_error{"the server does not hold the other locks"};
  }
}

class side {
 public:
  explicit side(const std::string& url) : redis_{quiet_settings(url)} {
    for (unsigned i = 0; i < names; ++i) {
      locks_.push_back(std::make_unique<mutex>(redis_, "bench:growth:" + std::to_string(i)));
    }
  }
  double measure() {
    return rate(250ms, [this] {
      mutex& lock = *locks_[next_++ % names];
      lock.lock();
      lock.unlock();
    });
  }

 private:
  client redis_;
  std::vector<std::unique_ptr<mutex>> locks_;
  unsigned next_ = 0;
};

}  // namespace

report growth(const run_options& how) {
  if (!how.url.empty()) throw std::runtime_error{"growth compares two servers of its own; leave out --url"};
  const server empty{{}, placement::together};
  const server full{{}, placement::together};
  fill(full.url());
  side few{empty.url()};
  side many{full.url()};

  const rounds all = interleave(
      how.rounds.value_or(21), [&] { return few.measure(); }, [&] { return many.measure(); });

  report out{"growth", "lock+unlock with 1,000,000 other locks in the server, time against an empty one",
             sense::at_most};
  const auto ratios = all.time_ratio();
  out.judge("ratio", median(ratios), 1.1);
  add_figures(out, all, ratios, "empty", "full");
  return out;
}

}  // namespace holdfast::bench
