// Two candidates for one seat; an observer hears who leads.
#include <holdfast/holdfast.hpp>

#include <chrono>
#include <iostream>
#include <latch>
#include <optional>
#include <thread>

using namespace std::chrono_literals;

int main() {
  holdfast::client redis;
  std::latch both_led{2};
  const auto lead = [&](std::uint64_t term, const std::stop_token& over) {
    std::cout << "leads under term " << term << ", over: " << over.stop_requested() << "\n";
    both_led.count_down();
  };
  holdfast::elector one{redis, "scheduler", {.id = "http://10.0.0.1:8080", .elected = lead}};
  holdfast::elector two{redis, "scheduler", {.id = "http://10.0.0.2:8080", .elected = lead}};
  const holdfast::leader_watch watch{redis, "scheduler", [](const std::optional<holdfast::leader>& who) {
                                       std::cout << (who ? "leader: " + who->id : "no leader") << std::endl;
                                     }};
  one.start();
  while (!one.leads()) std::this_thread::sleep_for(1ms);
  two.start();
  one.stop();  // the other follows at once
  both_led.wait();
  return two.term() > one.term() ? 0 : 1;
}
