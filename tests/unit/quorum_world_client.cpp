// What a client of the made-up world (quorum_world.hpp) does: takes, renews, changes and gives back what the machines
// tell it to. The world around it: quorum_world.cpp.
#include "unit/quorum_world_ground.hpp"

namespace holdfast::lock {

using runtime::time_point;
using std::chrono::milliseconds;
using std::chrono::seconds;

namespace {

constexpr milliseconds node_limit{50};

}  // namespace

void quorum_world::client::begin() {
  owner = name + std::to_string(++serial);
  writes = world.dice() >= world.shape_.readers;
  ttl = milliseconds{100 + world.random_() % 201};
  attempt();
}

void quorum_world::client::attempt() {
  ++attempts;
  acquiring.emplace(quorum_terms{.nodes = world.nodes_.size(), .ttl = ttl, .node_limit = node_limit});
  act(acquiring->start(local()));
}

void quorum_world::client::act(quorum_step step) {
  if (step == quorum_step::ask) {
    for (std::size_t i = 0; i < world.nodes_.size(); ++i) {
      const bool upgrades = !wanted.empty();
      ask<vote_reply>(i, voter(asking(), writes || upgrades, upgrades ? owner : std::string{}),
                      [this, i, mine = attempts](const vote_reply& reply) {
                        if (mine == attempts) act(acquiring->answered(local(), i, reply));
                      });
    }
  }
  if (step == quorum_step::note) write_back();
  if (step == quorum_step::won) return wanted.empty() ? hold() : upgraded();
  if (step == quorum_step::refused) return wanted.empty() ? retreat() : not_upgraded();
  if (step != quorum_step::wait) {
    later(acquiring->wake_at(), [this, mine = attempts] {
      if (mine == attempts) act(acquiring->timer(local()));
    });
  }
}

std::function<vote_reply(quorum_node&)> quorum_world::client::voter(const std::string& who, bool as_writer,
                                                                    const std::string& stead) {
  return [this, who, ttl = ttl, hint = hint, as_writer, stead](quorum_node& at) {
    return at.acquire(at.clock.read(world.now_), who, ttl, hint, as_writer, stead);
  };
}

void quorum_world::client::tell(std::function<bool(quorum_node&)> what) {
  for (std::size_t i = 0; i < world.nodes_.size(); ++i) world.send<bool>(i, what, [](bool) {});
}

void quorum_world::client::write_back() {
  ++world.report_.write_backs;
  const std::uint64_t number = acquiring->number();
  for (const std::size_t i : acquiring->take_unnoted()) {
    if (!world.rules_.write_back) {
      world.at(world.now_, [this, i, mine = serial, of = attempts] {
        if (mine == serial && of == attempts) act(acquiring->noted(local(), i, note_reply::noted));
      });
      continue;
    }
    ask<note_reply>(
        i, [this, who = asking(), number](quorum_node& at) { return at.note(at.clock.read(world.now_), who, number); },
        [this, i, mine = attempts](const note_reply& reply) {
          if (mine == attempts) act(acquiring->noted(local(), i, reply));
        });
  }
}

void quorum_world::client::count_overlaps() {
  for (const auto& other : world.clients_) {
    if (other.get() != this && other->holds() && (writes || other->writes)) ++world.report_.overlaps;
  }
}

void quorum_world::client::use(const acquisition& got) {
  count_overlaps();
  if (got.fence <= (writes ? world.last_fence_ : world.last_writer_)) ++world.report_.inversions;
  world.last_fence_ = std::max(world.last_fence_, got.fence);
  if (writes) world.last_writer_ = std::max(world.last_writer_, got.fence);
  hint = got.fence + 1;
  believes = true;
  deadline = deadline_of(got.held, {}).time_since_epoch();
}

void quorum_world::client::change() {
  if (!writes) {
    wanted = world.rules_.own_owner ? owner + '+' + std::to_string(attempts) : owner;
    return attempt();
  }
  ++world.report_.downgrades;
  writes = false;
  tell([who = owner](quorum_node& at) { return at.downgrade(who); });
}

void quorum_world::client::upgraded() {
  if (!holds()) return retreat();
  ++world.report_.upgrades;
  const std::string old = std::exchange(owner, std::exchange(wanted, {}));
  writes = true;
  use(*acquiring->won());
  if (old != owner) tell([old](quorum_node& at) { return at.give_back(old); });
}

void quorum_world::client::not_upgraded() {
  std::string tried;
  tried.swap(wanted);
  if (tried == owner) {
    tell([tried](quorum_node& at) { return at.downgrade(tried); });
  } else {
    tell([tried](quorum_node& at) { return at.give_back(tried); });
  }
  later(local() + milliseconds{2 + world.random_() % 20}, [this] {
    if (holds() && !writes && wanted.empty()) change();
  });
}

void quorum_world::client::hold() {
  const acquisition got = *acquiring->won();
  use(got);
  if (!world.report_.first_hold) world.report_.first_hold = world.now_;
  ++world.report_.holds;
  tries = 0;
  if (world.dice() < world.shape_.changes) {
    later(local() + milliseconds{world.random_() % 20}, [this] {
      if (holds()) change();
    });
  }
  const auto work = milliseconds{world.random_() % 600};
  later(local() + (world.dice() < 0.7 ? work / 20 : work), [this] { retreat(); });
  later(time_point{deadline}, [this] { look(); });
  later(got.held.sent + ttl / 3, [this] { renew(); });
}

void quorum_world::client::look() {
  if (!believes) return;
  if (!holds()) return retreat();
  later(time_point{deadline}, [this] { look(); });
}

void quorum_world::client::renew() {
  renewing.emplace(world.nodes_.size(), node_limit);
  renewing->start(local(), ttl);
  for (std::size_t i = 0; i < world.nodes_.size(); ++i) {
    ask<keep_reply>(
        i,
        [this, who = owner, ttl = ttl, writes = writes](quorum_node& at) {
          return at.keep(at.clock.read(world.now_), who, ttl, writes);
        },
        [this, i, round = renewing->held().sent](const keep_reply& reply) {
          if (renewing->held().sent == round) renewed(renewing->answered(i, reply));
        });
  }
  later(renewing->wake_at(), [this, round = renewing->held().sent] {
    if (renewing->held().sent == round) renewed(renewing->timer(local()));
  });
}

void quorum_world::client::renewed(quorum_renewal what) {
  if (!holds()) return;
  if (what == quorum_renewal::lost) return retreat();
  if (what == quorum_renewal::failed) later(local() + milliseconds{5}, [this] { renew(); });
  if (what == quorum_renewal::kept) {
    count_overlaps();
    ++world.report_.renewals;
    deadline = std::max(deadline, deadline_of(renewing->held(), {}).time_since_epoch());
    later(renewing->held().sent + ttl / 3, [this] { renew(); });
  }
  for (const std::size_t i : renewing->take_gone()) {
    ++world.report_.re_added;
    ask<vote_reply>(i, voter(owner, writes, {}), [](const vote_reply&) {});
  }
}

void quorum_world::client::retreat() {
  if (acquiring && !believes) open_if_fresh();
  believes = false;
  ++serial;
  for (const std::string& each : {owner, std::exchange(wanted, {})}) {
    if (!each.empty()) tell([each](quorum_node& at) { return at.give_back(each); });
  }
  later(local() + milliseconds{1} + split_pause(tries++, milliseconds{4}, random), [this] { begin(); });
}

void quorum_world::client::open_if_fresh() {
  const auto seats = acquiring->fresh();
  for (std::size_t i = 0; i < seats.size(); ++i) {
    const auto up = std::chrono::floor<seconds>(world.now_ - world.nodes_[i]->born);
    if (!may_open(up, max_ttl)) return;
  }
  for (std::size_t i = 0; i < seats.size(); ++i) {
    world.send<bool>(
        i, [this, seat = seats[i]](quorum_node& at) { return at.open(at.clock.read(world.now_), seat); },
        [this](bool opened) { world.report_.opened += opened ? 1 : 0; });
  }
}

}  // namespace holdfast::lock
