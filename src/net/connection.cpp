// What a connection carries, and when it looks at the time. How it comes up and goes
// down: connection_attempt.cpp; how it is driven: connection_driving.cpp.
#include "net/connection.hpp"

#include "resp/writer.hpp"

#include <algorithm>
#include <utility>

namespace holdfast::net {

using runtime::duration;
using runtime::time_point;

connection::connection(const settings& how, std::unique_ptr<finder> finder, std::string inbox, std::string common,
                       connection_events& owner, runtime::timer_queue& timers, runtime::random_source& random,
                       std::function<void()> wake, bool identifies)
    : how_{how},
      inbox_{std::move(inbox)},
      common_{std::move(common)},
      owner_{owner},
      timers_{timers},
      random_{random},
      wake_{std::move(wake)},
      finder_{std::move(finder)},
      at_{how},
      identifies_{identifies},
      version_{how.protocol == 2 ? 2 : 3},
      subscribe_{inbox_, common_, has_inbox_},
      shards_{sharded_} {}

connection::~connection() { timers_.cancel(*this); }

// ---- requests

void request::abandon() noexcept {
  if (pending()) carrier_->abandon(*this);
}

void request::end_turn(time_point now) { carrier_->end_turn(*this, now); }

void connection::submit(request& what, time_point now) {
  what.carrier_ = this;
  if (state_ == state::closed) return what.on_refused({errc::cancelled, "the client is closed"}, now);
  // Whoever has the turn goes on past the backlog: others wait for it.
  if (ready() && (turn_ == &what || (backlog_.empty() && main_->in_flight() < how_.max_in_flight))) {
    carry(what, now);
    if (!ticking_) plan(now);
    return;
  }
  what.place_ = request::place::backlog;
  what.sent_at_ = now;
  backlog_.push_back(&what);
  if (state_ == state::idle) open(now);
}

void connection::carry(request& what, time_point now) {
  if (what.takes_turn && turn_ != &what) {
    if (turn_ != nullptr) {
      what.place_ = request::place::turn;
      what.sent_at_ = now;
      turns_.push_back(&what);
      return;
    }
    turn_ = &what;
  }
  if (sharded_ && !what.asking) listen(what, now);
  if (std::exchange(what.asking, false)) main_->append_unasked("*1\r\n$6\r\nASKING\r\n", now);
  main_->append(what, now);
}

// On the same link and before the request: whatever is told because of it is heard.
void connection::listen(request& what, time_point now) {
  const std::string_view channel = what.listens_on();
  if (!channel.empty() && shards_.add(channel)) main_->append(shards_, now);
}

void connection::end_turn(const request& what, time_point now) {
  if (turn_ != &what) return;
  turn_ = nullptr;
  if (!ready() || turns_.empty()) return;
  request* next = turns_.front();
  turns_.pop_front();
  carry(*next, now);
  owner_.wake_driver();  // whoever ended it may be gone before anybody sends this
}

// The watch went with the link; those who waited for their turn wait for the next one.
void connection::stop_turns() {
  turn_ = nullptr;
  for (request* each : turns_) {
    each->place_ = request::place::backlog;
    backlog_.push_back(each);
  }
  turns_.clear();
}

void connection::abandon(request& what) noexcept {
  if (what.place_ == request::place::backlog) std::erase(backlog_, &what);
  if (what.place_ == request::place::turn) std::erase(turns_, &what);
  if (what.place_ == request::place::wire && main_) main_->forget(what);
  what.place_ = request::place::nowhere;
  if (what.takes_turn) end_turn(what, runtime::boot_clock::now());
}

void connection::drain_backlog(time_point now) {
  while (ready() && !backlog_.empty() && main_->in_flight() < how_.max_in_flight) {
    request* next = backlog_.front();
    backlog_.pop_front();
    carry(*next, now);
  }
  if (!ticking_) plan(now);
}

// `all`: also those that could wait longer, because waiting would not help.
void connection::refuse_backlog(const failure& why, time_point now, bool all) {
  std::vector<request*> refused;
  for (request* each : backlog_) {
    const time_point since = std::max(down_since_, each->sent_at_);
    if (all || each->impatient || now - since >= how_.connect_timeout) refused.push_back(each);
  }
  for (request* each : refused) {
    // An earlier one of these may have abandoned or destroyed it; only the backlog knows.
    const auto at = std::find(backlog_.begin(), backlog_.end(), each);
    if (at == backlog_.end()) continue;
    backlog_.erase(at);
    each->place_ = request::place::nowhere;
    each->on_refused(why, now);
  }
}

bool connection::expects() const noexcept { return ready() && (main_->awaited() || main_->blocked()); }

bool connection::hopeful() const noexcept {
  return state_ == state::idle || (state_ != state::pausing && state_ != state::closed && pause_ == duration{}) ||
         ready();
}

bool connection::laden(time_point now, duration limit) const noexcept {
  constexpr std::size_t many = 256;
  if (!ready()) return backlog_.size() >= many;
  return main_->in_flight() + backlog_.size() >= many && now - main_->oldest() > limit;
}

bool connection::overdue(time_point now, duration limit) const noexcept {
  return !ready() || (main_->in_flight() != 0 && now - main_->oldest() > limit);
}

// ---- time

void connection::plan(time_point now) {
  switch (state_) {
    case state::pausing:
      return timers_.schedule(*this, retry_at_);
    case state::finding:
    case state::opening:
    case state::greeting:
      return timers_.schedule(*this, attempt_limit_);
    case state::ready:
      break;
    default:
      return timers_.cancel(*this);
  }
  // While there is traffic, look once per command_timeout; when there is none, at the next keep-alive.
  ticking_ = !main_->idle() || now - heard_ < how_.command_timeout;
  if (!main_->idle()) {
    timers_.schedule(*this, main_->oldest() + how_.command_timeout);
  } else {
    timers_.schedule(*this, ticking_ ? now + how_.command_timeout : heard_ + how_.keep_alive);
  }
}

void connection::fire(time_point now) {
  switch (state_) {
    case state::pausing:
      return begin_attempt(now);
    case state::finding:
      return attempt_failed({errc::unreachable, finder_->unfinished()}, now);
    case state::opening: {
      const std::string waiting{(greeting_side_ ? side_ : main_)->socket().waiting_for()};
      return attempt_failed({errc::unreachable, at_.display() + ": no answer in time while " + waiting}, now);
    }
    case state::greeting: {
      const link& at = greeting_side_ ? *side_ : *main_;
      return attempt_failed(
          at.silent({errc::unreachable, at_.display() + ": connected, but the greeting was not answered"}), now);
    }
    case state::ready:
      break;
    default:
      return;
  }
  if (!main_->idle() && now >= main_->oldest() + how_.command_timeout) {
    return fail(main_->silent({errc::unreachable, at_.display() + ": no answer within command_timeout"}), now);
  }
  if (main_->idle() && now >= heard_ + how_.keep_alive) main_->append(ping_, now);
  plan(now);
}

}  // namespace holdfast::net
