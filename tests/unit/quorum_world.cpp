#include "unit/quorum_world.hpp"

#include <algorithm>
#include <cmath>

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
    ttl = milliseconds{100 + world.random_() % 201};
    acquiring.emplace(quorum_terms{.nodes = world.nodes_.size(), .ttl = ttl, .node_limit = node_limit});
    act(acquiring->start(local()));
  }

  void act(quorum_step step) {
    if (step == quorum_step::ask) {
      for (std::size_t i = 0; i < world.nodes_.size(); ++i) {
        ask<vote_reply>(i, voter(i),
                        [this, i](const vote_reply& reply) { act(acquiring->answered(local(), i, reply)); });
      }
    }
    if (step == quorum_step::note) write_back();
    if (step == quorum_step::won) return hold();
    if (step == quorum_step::refused) return retreat();
    if (step != quorum_step::wait) {
      later(acquiring->wake_at(), [this] { act(acquiring->timer(local())); });
    }
  }

  std::function<vote_reply(quorum_node&)> voter(std::size_t) {
    return [this, who = owner, ttl = ttl, hint = hint](quorum_node& at) {
      return at.acquire(at.clock.read(world.now_), who, ttl, hint);
    };
  }

  void write_back() {
    ++world.report_.write_backs;
    const std::uint64_t number = acquiring->number();
    for (const std::size_t i : acquiring->take_unnoted()) {
      if (!world.rules_.write_back) {
        world.at(world.now_, [this, i, mine = serial] {
          if (mine == serial) act(acquiring->noted(local(), i, note_reply::noted));
        });
        continue;
      }
      ask<note_reply>(
          i, [this, who = owner, number](quorum_node& at) { return at.note(at.clock.read(world.now_), who, number); },
          [this, i](const note_reply& reply) { act(acquiring->noted(local(), i, reply)); });
    }
  }

  void hold() {
    const acquisition got = *acquiring->won();
    for (const auto& other : world.clients_) {
      if (other.get() != this && other->holds()) ++world.report_.overlaps;
    }
    if (got.fence <= world.last_fence_) ++world.report_.inversions;
    world.last_fence_ = std::max(world.last_fence_, got.fence);
    if (!world.report_.first_hold) world.report_.first_hold = world.now_;
    ++world.report_.holds;
    hint = got.fence + 1;
    tries = 0;
    believes = true;
    deadline = deadline_of(got.held, {}).time_since_epoch();
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
          i, [this, who = owner, ttl = ttl](quorum_node& at) { return at.keep(at.clock.read(world.now_), who, ttl); },
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
      for (const auto& other : world.clients_) {
        if (other.get() != this && other->holds()) ++world.report_.overlaps;
      }
      ++world.report_.renewals;
      deadline = std::max(deadline, deadline_of(renewing->held(), {}).time_since_epoch());
      later(renewing->held().sent + ttl / 3, [this] { renew(); });
    }
    for (const std::size_t i : renewing->take_gone()) {
      ++world.report_.re_added;
      ask<vote_reply>(i, voter(i), [](const vote_reply&) {});
    }
  }

  // Lost, released or refused: gives back on all nodes, and begins anew after a while.
  void retreat() {
    if (acquiring && !believes) open_if_fresh();
    believes = false;
    ++serial;
    for (std::size_t i = 0; i < world.nodes_.size(); ++i) {
      world.send<bool>(
          i, [who = owner](quorum_node& at) { return at.give_back(who); }, [](bool) {});
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
