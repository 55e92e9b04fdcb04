// An HTTP endpoint, in several processes, that raises one number in Redis with each request.
//
//   http_counter PORT PROCESSES lock       under a holdfast::mutex: exact, and as fast as hand-offs are
//                               poll MS    as many write it by hand: SET NX PX, and sleep MS before the next try
//                               none       without a lock: requests are lost
//
// Redis is where $HOLDFAST_URL says. Try:  ab -l -n 1000 -c 100 http://127.0.0.1:PORT/  and then  redis-cli get num
#include <holdfast/holdfast.hpp>

#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <mutex>
#include <random>

#include "number.hpp"
#include "serve.hpp"

namespace {

std::string under_the_lock(number& num, holdfast::mutex& lock) {
  const std::lock_guard hold{lock};
  return std::to_string(num.bump());
}

// A unique owner, an expiry, compare-and-delete in a script: right, but everybody sleeps through the releases.
std::string by_polling(number& num, std::chrono::milliseconds pause) {
  const std::string owner = std::to_string(std::random_device{}()) + std::to_string(std::random_device{}());
  while (num.ask({"SET", "num-poll", owner, "NX", "PX", "2000"}) != "OK") std::this_thread::sleep_for(pause);
  const std::string bumped = std::to_string(num.bump());
  num.ask({"EVAL", "if redis.call('get', KEYS[1]) == ARGV[1] then return redis.call('del', KEYS[1]) end return 0", "1",
           "num-poll", owner});
  return bumped;
}

[[noreturn]] void work(unsigned short port, const std::string& how, std::chrono::milliseconds pause) {
  holdfast::client redis;
  holdfast::mutex lock{redis, "num-lock"};
  const holdfast::settings& where = redis.where();
  serve(port, [&] {
    return [&, num = std::make_shared<number>(where.host, where.port)] {
      if (how == "lock") return under_the_lock(*num, lock);
      return how == "poll" ? by_polling(*num, pause) : std::to_string(num->bump());
    };
  });
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 4) return 64;
  const auto port = static_cast<unsigned short>(std::stoi(argv[1]));
  const std::chrono::milliseconds pause{argc > 4 ? std::stoi(argv[4]) : 100};
  for (int left = std::stoi(argv[2]); left > 0; --left) {
    if (fork() != 0) continue;
    prctl(PR_SET_PDEATHSIG, SIGKILL);  // not longer than this process
    work(port, argv[3], pause);
  }
  while (wait(nullptr) > 0) {
  }
}
