// The steps of a trial that happen to its servers.
#include <backstage/interrupts.hpp>

#include "clock.hpp"
#include "trial.hpp"

namespace lab {
namespace {

constexpr std::int64_t patience = 15'000'000'000;

}  // namespace

void trial::kill(place& where) {
  where.process->kill();
  where.up = false;
  const auto at = now_ns();
  notes_.drawn.end(where.row, span_kind::held, since(at));
  notes_.drawn.begin(where.row, span_kind::down, "", since(at));
  note(where.name, "killed (SIGKILL)", "", at);
}

void trial::restart(place& where) {
  where.process->start();
  where.link = std::make_unique<redis_link>(where.process->socket());
  await(where, {"PING"}, "PONG");  // not while it reads its data
  where.up = true;
  notes_.drawn.end(where.row, span_kind::down, since(now_ns()));
  note(where.name, "started again");
  look();
}

void trial::freeze(place& where) {
  where.process->stop();
  where.up = false;
  notes_.drawn.begin(where.row, span_kind::paused, "", since(now_ns()));
  note(where.name, "paused (SIGSTOP)");
}

void trial::thaw(place& where) {
  notes_.drawn.end(where.row, span_kind::paused, since(now_ns()));
  note(where.name, "runs again (SIGCONT)");
  where.process->resume();
  where.up = true;
  // What was sent to it while it stood is done in order of arrival; a new connection comes after all of it.
  where.link = std::make_unique<redis_link>(where.process->socket());
  look();
}

std::string trial::peek(place& where, const words& command) { return where.link->ask(command); }

std::string trial::operate(place& where, const words& command) {
  std::string told = where.link->ask(command);
  std::string text;
  for (const std::string& each : command) text += (text.empty() ? "" : " ") + each;
  note(where.name, text, told);
  look();
  return told;
}

void trial::await(place& where, const words& command, const std::string& wanted) {
  await(where, command, [&wanted](const std::string& told) { return told.find(wanted) != std::string::npos; });
}

void trial::await(place& where, const words& command, const std::function<bool(const std::string&)>& good) {
  std::string last = "nothing";
  for (const auto until = now_ns() + patience; now_ns() < until;) {
    try {
      last = where.link->ask(command);
      if (good(last)) return;
    } catch (const link_broken&) {
      last = "nothing";  // not up yet: the next try tells
    }
    backstage::pause_for(std::chrono::milliseconds{1});
  }
  throw std::runtime_error{where.name + " did not come to what was awaited within 15 s; to " + command.front() +
                           " it answers: " + last};
}

void trial::await_free(place& where) {
  for (const auto until = now_ns() + patience; now_ns() < until;) {
    if (where.link->ask({"EXISTS", key}) == "0") {
      look();
      note(where.name, "the lock's expiry has passed");
      return;
    }
    backstage::pause_for(std::chrono::milliseconds{1});
  }
  throw std::runtime_error{where.name + " still has the lock after 15 s"};
}

}  // namespace lab
