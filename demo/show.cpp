#include "show.hpp"

#include <backstage/interrupts.hpp>
#include <backstage/server.hpp>

#include <unistd.h>

#include <cstdio>
#include <optional>

#include "scenes.hpp"

namespace demo {
namespace {

verdict all_scenes(const std::string& given) {
  std::optional<backstage::server> own;
  if (given.empty()) own.emplace();

  screen out;
  out.title("Holdfast: one lock, eight processes",
            own ? "on a redis-server of its own, over a Unix socket; it is gone when this ends"
                : "on the Redis that you named");
  crew eight{own ? own->url() : given, "holdfast-demo:" + std::to_string(::getpid())};
  ledger book;
  stage on{eight, book, out};
  out.begin_clock(now_ns());

  take_turns(on);
  const auto measured = sprint(on);
  kill_a_holder(on);
  const bool told = stop_a_holder(on);
  return sum_up(on, measured, told) ? verdict::good : verdict::bad;
}

}  // namespace

verdict show(const std::string& url) {
  backstage::catch_interrupts();
  try {
    return all_scenes(url);
  } catch (const backstage::interrupted&) {
    std::fprintf(stderr, "\ninterrupted; the server and the eight processes are gone\n");
    return verdict::interrupted;
  }
}

}  // namespace demo
