// The made-up world itself: its clocks, its messages and the crashes of its nodes. Its clients:
// quorum_world_client.cpp.
#include "unit/quorum_world_ground.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace holdfast::lock {

using runtime::duration;
using std::chrono::microseconds;
using std::chrono::milliseconds;
using std::chrono::seconds;

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
