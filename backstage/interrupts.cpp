#include "interrupts.hpp"

#include <poll.h>
#include <signal.h>

#include <csignal>

namespace backstage {
namespace {

volatile std::sig_atomic_t asked_to_end = 0;

}  // namespace

void catch_interrupts() {
  struct sigaction how {};
  how.sa_handler = [](int) { asked_to_end = 1; };
  for (const int number : {SIGINT, SIGTERM, SIGHUP}) ::sigaction(number, &how, nullptr);
  ::signal(SIGPIPE, SIG_IGN);  // a dead process is told by its answers ending
}

void uncatch_interrupts() {
  for (const int number : {SIGINT, SIGTERM, SIGHUP, SIGPIPE}) ::signal(number, SIG_DFL);
}

void check_interrupts() {
  if (asked_to_end != 0) throw interrupted{};
}

void pause_for(std::chrono::milliseconds length) {
  ::poll(nullptr, 0, static_cast<int>(length.count()));
  check_interrupts();
}

}  // namespace backstage
