#include "unit/quorum_world.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace holdfast::lock {

using runtime::duration;
using runtime::time_point;
using std::chrono::microseconds;
using std::chrono::milliseconds;
using std::chrono::seconds;

namespace {

constexpr milliseconds node_limit{50};

}  // namespace

struct quorum_world::client {
  quorum_world& world;
  std::string name;
  drifting_clock clock;
  std::uint64_t serial = 0;  // of what it is doing: answers to anything else come too late
  std::string owner{};
  bool writes = true;
  std::string wanted{};   // the owner of the upgrade under way
  unsigned attempts = 0;  // answers to an earlier one are not for the machine of this one
  duration ttl{};
  std::uint64_t hint = 0;
  unsigned tries = 0;
  bool believes = false;
  duration deadline{};
  std::optional<quorum_acquire> acquiring{};
  std::optional<quorum_renew> renewing{};
  runtime::random_source random{};

  [[nodiscard]] time_point local() const { return time_point{clock.read(world.now_)}; }
  [[nodiscard]] bool holds() const { return believes && clock.read(world.now_) < deadline; }

  // Runs on this client's clock, unless it has gone on to something else.
  void later(time_point when, std::function<void()> what) {
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

  void begin() {
    owner = name + std::to_string(++serial);
    writes = world.dice() >= world.shape_.readers;
    ttl = milliseconds{100 + world.random_() % 201};
    attempt();
  }

  void attempt() {
    ++attempts;
    acquiring.emplace(quorum_terms{.nodes = world.nodes_.size(), .ttl = ttl, .node_limit = node_limit});
    act(acquiring->start(local()));
  }

  // For whom votes are asked, or noted.
  [[nodiscard]] const std::string& asking() const { return wanted.empty() ? owner : wanted; }

  void act(quorum_step step) {
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

  std::function<vote_reply(quorum_node&)> voter(const std::string& who, bool as_writer, const std::string& stead) {
    return [this, who, ttl = ttl, hint = hint, as_writer, stead](quorum_node& at) {
      return at.acquire(at.clock.read(world.now_), who, ttl, hint, as_writer, stead);
    };
  }
  // To all, whatever becomes of it.
  void tell(std::function<bool(quorum_node&)> what) {
    for (std::size_t i = 0; i < world.nodes_.size(); ++i) world.send<bool>(i, what, [](bool) {});
  }

  void write_back() {
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
          i,
          [this, who = asking(), number](quorum_node& at) { return at.note(at.clock.read(world.now_), who, number); },
          [this, i, mine = attempts](const note_reply& reply) {
            if (mine == attempts) act(acquiring->noted(local(), i, reply));
          });
    }
  }

  void count_overlaps() {
    for (const auto& other : world.clients_) {
      if (other.get() != this && other->holds() && (writes || other->writes)) ++world.report_.overlaps;
    }
  }

  // From now on it is used.
  void use(const acquisition& got) {
    count_overlaps();
    if (got.fence <= (writes ? world.last_fence_ : world.last_writer_)) ++world.report_.inversions;
    world.last_fence_ = std::max(world.last_fence_, got.fence);
    if (writes) world.last_writer_ = std::max(world.last_writer_, got.fence);
    hint = got.fence + 1;
    believes = true;
    deadline = deadline_of(got.held, {}).time_since_epoch();
  }

  void change() {
    if (!writes) {
      wanted = world.rules_.own_owner ? owner + '+' + std::to_string(attempts) : owner;
      return attempt();
    }
    ++world.report_.downgrades;
    writes = false;
    tell([who = owner](quorum_node& at) { return at.downgrade(who); });
  }

  void upgraded() {
    if (!holds()) return retreat();
    ++world.report_.upgrades;
    const std::string old = std::exchange(owner, std::exchange(wanted, {}));
    writes = true;
    use(*acquiring->won());
    if (old != owner) tell([old](quorum_node& at) { return at.give_back(old); });
  }

  void not_upgraded() {
    const std::string tried = std::exchange(wanted, {});
    if (tried == owner) {
      tell([tried](quorum_node& at) { return at.downgrade(tried); });
    } else {
      tell([tried](quorum_node& at) { return at.give_back(tried); });
    }
    later(local() + milliseconds{2 + world.random_() % 20}, [this] {
      if (holds() && !writes && wanted.empty()) change();
    });
  }

  void hold() {
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

  void look() {
    if (!believes) return;
    if (!holds()) return retreat();
    later(time_point{deadline}, [this] { look(); });
  }

  void renew() {
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

  void renewed(quorum_renewal what) {
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

  // Lost, released or refused: gives back on all nodes, and begins anew after a while.
  void retreat() {
    if (acquiring && !believes) open_if_fresh();
    believes = false;
    ++serial;
    for (const std::string& each : {owner, std::exchange(wanted, {})}) {
      if (!each.empty()) tell([each](quorum_node& at) { return at.give_back(each); });
    }
    later(local() + milliseconds{1} + split_pause(tries++, milliseconds{4}, random), [this] { begin(); });
  }

  void open_if_fresh() {
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
};

quorum_world::quorum_world(std::uint64_t seed, const world_shape& shape, const rules& how)
    : shape_{shape}, rules_{how}, random_{seed} {
  const auto clock = [&](duration begins, duration spread) {
    const auto offset = begins + drifting_clock::scaled(spread, dice() - 0.5);
    return drifting_clock{.speed = 1 + (dice() - 0.5) * 0.008, .offset = offset};
  };
  for (std::size_t i = 0; i < shape.nodes; ++i) {
    nodes_.push_back(std::make_unique<quorum_node>(quorum_node{
        .clock = clock(std::chrono::hours{480'000}, milliseconds{200}), .guard = how.guard, .born = -shape.uptime}));
  }
  for (std::size_t i = 0; i < shape.clients; ++i) {
    clients_.push_back(std::make_unique<client>(
        client{.world = *this, .name = "c" + std::to_string(i) + ':', .clock = clock(seconds{5000}, seconds{9000})}));
    at(milliseconds{random_() % 20}, [each = clients_.back().get()] { each->begin(); });
  }
  plan_crashes(shape.crashes, false);
  plan_crashes(shape.disasters, true);
}

quorum_world::~quorum_world() = default;

void quorum_world::at(real when, std::function<void()> what) { events_.push({when, ++serial_, std::move(what)}); }

quorum_world::real quorum_world::travel() {
  const auto usual = microseconds{200 + random_() % 2000};
  return dice() < shape_.slow ? usual + microseconds{random_() % 400'000} : usual;
}

void quorum_world::plan_crashes(double rate, bool many) {
  if (rate <= 0) return;
  const auto end = std::chrono::duration_cast<real>(shape_.lasts);
  const auto count = static_cast<std::size_t>(std::lround(rate * static_cast<double>(shape_.lasts.count())));
  for (std::size_t i = 0; i < count; ++i) {
    at(drifting_clock::scaled(end, dice()), [this, many] {
      std::vector<std::size_t> order(nodes_.size());
      for (std::size_t each = 0; each < order.size(); ++each) order[each] = each;
      std::ranges::shuffle(order, random_);
      order.resize(many ? 1 + random_() % order.size() : 1);
      for (const std::size_t each : order) {
        nodes_[each]->crash(now_, dice() < 0.5);
        ++report_.crashes;
      }
    });
  }
}

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

world_report quorum_world::run() {
  while (!events_.empty() && events_.top().when < shape_.lasts) {
    const event next = events_.top();
    events_.pop();
    now_ = next.when;
    next.what();
  }
  return report_;
}

}  // namespace holdfast::lock
