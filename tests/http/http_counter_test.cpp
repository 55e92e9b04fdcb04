// S1-2: several server processes raise one number in Redis, under `ab -n 1000 -c 100`: with the lock exactly 1,000. The
// same with the polling lock of many articles, and without any, for comparison; speeds are printed, not judged.
#include <gtest/gtest.h>

#include <cstdio>
#include <optional>
#include <regex>
#include <string>
#include <vector>

#include "support/loopback.hpp"
#include "support/process.hpp"
#include "support/redis_server.hpp"

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;

constexpr int requests = 1000;
constexpr int processes = 4;

struct outcome {
  long long number = 0;  // what is in Redis afterwards
  int complete = 0;
  int refused = 0;
  double per_second = 0;
};

double figure(const std::string& report, const std::string& label) {
  std::smatch found;
  return std::regex_search(report, found, std::regex{label + R"(:\s+([0-9.]+))"}) ? std::stod(found[1]) : 0;
}

outcome run(const std::vector<std::string>& how) {
  redis_server server;
  std::optional<process> counter;
  std::string port;
  // Somebody else may take the port in between.
  for (int attempt = 0; attempt < 5 && !counter; ++attempt) {
    port = std::to_string(free_port());
    std::vector<std::string> words{HOLDFAST_HTTP_COUNTER, port, std::to_string(processes)};
    words.insert(words.end(), how.begin(), how.end());
    counter.emplace(words, process_options{.environment = {{"HOLDFAST_URL", server.url()}}});
    for (int i = 0; i < processes && counter; ++i) {
      if (counter->read_line(20s) != "listening") counter.reset();
    }
  }
  EXPECT_TRUE(counter) << "no server came up";
  process ab{
      {"ab", "-q", "-l", "-s", "100", "-n", std::to_string(requests), "-c", "100", "http://127.0.0.1:" + port + "/"}};
  const std::string report = ab.read_rest(100s);
  EXPECT_EQ(ab.wait(5s), (exit_status{0, 0})) << report;
  return {server.number({"GET", "num"}), static_cast<int>(figure(report, "Complete requests")),
          static_cast<int>(figure(report, "Non-2xx responses")), figure(report, "Requests per second")};
}

TEST(HttpCounter, EveryRequestCountsOnceUnderTheLock) {
  const outcome locked = run({"lock"});
  EXPECT_EQ(locked.complete, requests);
  EXPECT_EQ(locked.refused, 0);
  EXPECT_EQ(locked.number, requests);

  const outcome slow = run({"poll", "200"});
  const outcome polled = run({"poll", "100"});
  EXPECT_EQ(slow.number, requests);
  EXPECT_EQ(polled.number, requests);

  const outcome open = run({"none"});
  EXPECT_EQ(open.complete, requests);
  EXPECT_LT(open.number, requests) << "the number is raised in one step, so the lock was not put to the test";

  std::printf("%d processes, ab -n %d -c 100            number   requests/s\n", processes, requests);
  const auto line = [](const char* name, const outcome& what) {
    std::printf("  %-40s %6lld %12.0f\n", name, what.number, what.per_second);
  };
  line("holdfast::mutex", locked);
  line("polling every 100 ms", polled);
  line("polling every 200 ms", slow);
  line("no lock", open);
}

}  // namespace
}  // namespace holdfast::test
