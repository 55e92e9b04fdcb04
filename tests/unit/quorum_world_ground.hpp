// Somebody who takes locks in the made-up world (quorum_world.hpp): what it knows, and what quorum_world.cpp, which
// makes it, and quorum_world_client.cpp, which says what it does, both need of it.
#pragma once

#include "unit/quorum_world.hpp"

#include <algorithm>
#include <utility>

namespace holdfast::lock {

struct quorum_world::client {
  quorum_world& world;
  std::string name;
  drifting_clock clock;
  std::uint64_t serial = 0;  // of what it is doing: answers to anything else come too late
  std::string owner{};
  bool writes = true;
  std::string wanted{};   // the owner of the upgrade under way
  unsigned attempts = 0;  // answers to an earlier one are not for the machine of this one
  runtime::duration ttl{};
  std::uint64_t hint = 0;
  unsigned tries = 0;
  bool believes = false;
  runtime::duration deadline{};
  std::optional<quorum_acquire> acquiring{};
  std::optional<quorum_renew> renewing{};
  runtime::random_source random{};

  [[nodiscard]] runtime::time_point local() const { return runtime::time_point{clock.read(world.now_)}; }
  [[nodiscard]] bool holds() const { return believes && clock.read(world.now_) < deadline; }

  // Runs on this client's clock, unless it has gone on to something else.
  void later(runtime::time_point when, std::function<void()> what) {
    if (when == runtime::never) return;
    world.at(std::max(world.now_, clock.real_of(when.time_since_epoch()) + real{1}),
             [this, mine = serial, what = std::move(what)] {
               if (mine == serial) what();
             });
  }
  template <class Answer>
  void ask(std::size_t to, std::function<Answer(quorum_node&)> execute, std::function<void(const Answer&)> hear) {
    world.send<Answer>(to, std::move(execute), [this, mine = serial, hear = std::move(hear)](const Answer& answer) {
      if (mine == serial) hear(answer);
    });
  }

  void begin();
  void attempt();
  // For whom votes are asked, or noted.
  [[nodiscard]] const std::string& asking() const { return wanted.empty() ? owner : wanted; }
  void act(quorum_step step);
  std::function<vote_reply(quorum_node&)> voter(const std::string& who, bool as_writer, const std::string& stead);
  // To all, whatever becomes of it.
  void tell(std::function<bool(quorum_node&)> what);
  void write_back();
  void count_overlaps();
  // From now on it is used.
  void use(const acquisition& got);
  void change();
  void upgraded();
  void not_upgraded();
  void hold();
  void look();
  void renew();
  void renewed(quorum_renewal what);
  // Lost, released or refused: gives back on all nodes, and begins anew after a while.
  void retreat();
  void open_if_fresh();
};

template <class Answer>
void quorum_world::send(std::size_t to, std::function<Answer(quorum_node&)> execute,
                        std::function<void(const Answer&)> hear) {
  if (is_lost()) return;
  quorum_node& target = *nodes_[to];
  at(now_ + travel(), [this, &target, process = target.process, execute = std::move(execute), hear = std::move(hear)] {
    if (target.process != process) return;  // the connection broke
    const Answer answer = execute(target);
    if (is_lost()) return;
    at(now_ + travel(), [answer, hear] { hear(answer); });
  });
}

}  // namespace holdfast::lock
