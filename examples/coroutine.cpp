// A hundred coroutines on one thread wait for one lock; none of them costs a thread.
#include <holdfast/asio.hpp>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <chrono>
#include <iostream>

namespace asio = boost::asio;
using namespace std::chrono_literals;

asio::awaitable<void> visit(holdfast::client& redis, int& inside, int& visits) {
  const holdfast::options how{.wait = 30s};
  holdfast::lease lease = co_await holdfast::async_acquire(redis, "counter", how, asio::use_awaitable);
  if (++inside == 1) ++visits;
  --inside;
  co_await holdfast::async_release(std::move(lease), asio::use_awaitable);
}

int main() {
  holdfast::client redis;
  asio::io_context loop;
  int inside = 0;
  int visits = 0;
  for (int i = 0; i < 100; ++i) asio::co_spawn(loop, visit(redis, inside, visits), asio::detached);
  loop.run();
  std::cout << visits << " visits, one at a time\n";
  return visits == 100 ? 0 : 1;
}
