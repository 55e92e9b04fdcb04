#include "net/waiting_room.hpp"

#include <algorithm>

namespace holdfast::net {

using runtime::time_point;

void waiting_room::add(request& what, time_point now, time_point until) {
  take(what, *this);
  inside_.push_back({&what, now, until});
  plan();
}

void waiting_room::plan() {
  time_point next = runtime::never;
  for (const guest& each : inside_) next = std::min(next, each.until);
  if (next == runtime::never) {
    timers_.cancel(*this);
  } else {
    timers_.schedule(*this, next);
  }
}

void waiting_room::abandon(request& what) noexcept {
  std::erase_if(inside_, [&](const guest& each) { return each.who == &what; });
  hand_back(what);
}

void waiting_room::take_if(const std::function<bool(const request&, time_point)>& wanted,
                           const std::function<void(request&)>& then) {
  std::vector<request*> leaving;
  for (const guest& each : inside_) {
    if (wanted(*each.who, each.since)) leaving.push_back(each.who);
  }
  for (request* each : leaving) {
    // An earlier one of these may have abandoned or destroyed it; only the room knows.
    const auto at = std::find_if(inside_.begin(), inside_.end(), [&](const guest& other) { return other.who == each; });
    if (at == inside_.end()) continue;
    inside_.erase(at);
    hand_back(*each);
    then(*each);
  }
  plan();
}

void waiting_room::fire(time_point now) {
  std::vector<const request*> due;
  for (const guest& each : inside_) {
    if (each.until <= now) due.push_back(each.who);
  }
  take_if([&](const request& who, time_point) { return std::find(due.begin(), due.end(), &who) != due.end(); },
          [&](request& who) { ready_(who, now); });
}

}  // namespace holdfast::net
