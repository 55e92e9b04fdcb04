// holdfast-demo: eight processes share a lock on a Redis of their own, lose a holder, and go on.
//
//   HOLDFAST_URL set: that Redis is used. NO_COLOR, or output that is no terminal: plain text.
//   Exit code: 0; 1 when two holds overlapped, a fence went back, or a loss was told late; 2 when it could not run.
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string>

#include "scenes.hpp"
#include "server.hpp"

namespace {

int run() {
  demo::catch_interrupts();
  const char* const given = std::getenv("HOLDFAST_URL");
  std::optional<demo::server> own;
  if (given == nullptr) own.emplace();
  const std::string url = own ? own->url() : std::string{};

  demo::screen out;
  out.title("Holdfast: one lock, eight processes",
            own ? "on a redis-server of its own, over a Unix socket; it is gone when this ends"
                : "on the Redis that HOLDFAST_URL names");
  demo::crew eight{url, "holdfast-demo:" + std::to_string(::getpid())};
  demo::ledger book;
  demo::stage stage{eight, book, out};
  out.begin_clock(demo::now_ns());

  demo::take_turns(stage);
  const auto measured = demo::sprint(stage);
  demo::kill_a_holder(stage);
  const bool told = demo::stop_a_holder(stage);
  return demo::sum_up(stage, measured, told) ? 0 : 1;
}

}  // namespace

int main() {
  try {
    return run();
  } catch (const demo::interrupted&) {
    std::fprintf(stderr, "\ninterrupted; the server and the eight processes are gone\n");
    return 130;
  } catch (const std::exception& problem) {
    std::fprintf(stderr, "holdfast-demo: %s\n", problem.what());
    return 2;
  }
}
