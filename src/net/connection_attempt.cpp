// How a connection comes up and goes down: the states IDLE to READY and back (connection.hpp has the drawing).
#include "net/connection.hpp"

#include "resp/writer.hpp"

#include <algorithm>
#include <utility>

namespace holdfast::net {

using runtime::duration;
using runtime::time_point;
using std::chrono::milliseconds;

namespace {

constexpr milliseconds first_pause{50};
constexpr milliseconds longest_pause{1000};
constexpr milliseconds shortest_attempt{1000};

}  // namespace

// ---- coming up

void connection::open(time_point now) {
  if (state_ != state::idle) return;
  down_since_ = now;
  pause_ = {};
  begin_attempt(now);
}

void connection::begin_attempt(time_point now) {
  attempt_limit_ = now + std::max<duration>(how_.command_timeout, shortest_attempt);
  addresses_.clear();
  address_ = 0;
  state_ = state::finding;
  finder_->start(wake_);
  plan(now);
  wake_();  // numbers are resolved already and wake nobody
}

void connection::go_to(const found& place, time_point now) {
  addresses_ = place.addresses;
  if (finder_->may_be_wrong()) {
    attempt_limit_ = now + std::max<duration>(how_.command_timeout, shortest_attempt);  // finding took its part
    if (at_.host != place.where.host) tls_.reset();  // its certificate bears another name
    at_.deployment = deployment::single;
    at_.host = place.where.host;
    at_.port = place.where.port;
  }
  if (at_.transport == transport::tls && !tls_) {
    auto made = make_tls_context(at_);
    if (!made) return attempt_failed(made.failure(), now);
    tls_ = *made;
  }
  try_next_address(now);
}

// The server that this goes to, or wants to go to, is not the primary any more.
void connection::leave(time_point now) {
  if (state_ == state::idle || state_ == state::closed) return;
  called_away_ = true;
  if (ready()) return fail({errc::unreachable, at_.display() + ": the Sentinels name another primary"}, now);
  main_.reset();
  side_.reset();
  handshake_.reset();
  greeting_side_ = false;
  pause_ = {};
  begin_attempt(now);
}

void connection::try_next_address(time_point now) {
  state_ = state::opening;
  auto opened = std::make_shared<link>(dial(at_, addresses_[address_], tls_), how_.spin);
  (greeting_side_ ? side_ : main_) = std::move(opened);
  plan(now);
  wake_();
}

void connection::greet() {
  state_ = state::greeting;
  const bool main = !greeting_side_;
  const closing_questions also{.role = main && finder_->may_be_wrong(), .identity = main && identifies_};
  handshake_ = std::make_unique<handshake>(how_, main ? version_ : 2, main ? std::string{} : inbox_, common_, also);
  (greeting_side_ ? side_ : main_)->append_raw(handshake_->greeting());
}

void connection::greeted(time_point now) {
  if (!greeting_side_) {
    id_ = handshake_->connection_id();
    sharded_ = handshake_->has_shard_channels();
    // Numbers of connections are the process's own, and rise: after a restart that number is somebody else's, perhaps ours.
    if (identity_.run_id != handshake_->identity().run_id || id_ <= zombie_) zombie_ = 0;
    identity_ = handshake_->identity();
    identity_.since = now - identity_.uptime;
  }
  if (version_ == 2 && !greeting_side_ && !inbox_.empty()) {
    greeting_side_ = true;
    return try_next_address(now);
  }
  if (version_ == 2) has_inbox_ = greeting_side_ && handshake_->subscribed();
  become_ready(now);
}

void connection::become_ready(time_point now) {
  handshake_.reset();
  greeting_side_ = false;
  state_ = state::ready;
  carried_ = false;
  heard_ = now;
  ticking_ = false;
  moved_ = finder_->may_be_wrong() && last_ && (called_away_ || *last_ != endpoint{at_.host, at_.port});
  called_away_ = false;
  last_ = endpoint{at_.host, at_.port};
  if (moved_) zombie_ = 0;  // it was numbered by another server, and may be somebody else here
  if (version_ == 3 && !inbox_.empty()) {
    has_inbox_ = true;
    subscribing_ = true;
    main_->append(subscribe_, now);
  }
  // What we sent on an earlier link may still sit in a pipe and run later, after we have given up on it. Closing that
  // link at the server's end makes sure that it does not. Best effort: the right to do so may be missing.
  if (zombie_ != 0 && id_ != 0) {
    std::string kill;
    resp::append_command(kill, "CLIENT", "KILL", "ID", std::exchange(zombie_, 0));
    if (kill_) abandon(*kill_);
    kill_ = std::make_unique<probe>(std::move(kill));
    main_->append(*kill_, now);
  }
  owner_.on_up(*this, now);
  drain_backlog(now);
  owner_.wake_driver();  // a caller that drives others has to poll this one, too
}

// Steps of an attempt, by the client's own thread only.
void connection::advance(std::unique_lock<std::mutex>& guard) {
  const time_point now = runtime::boot_clock::now();
  if (finder_->outdated()) leave(now);
  if (state_ == state::finding) {
    auto place = finder_->poll();
    if (!place) return;
    if (!*place) return attempt_failed(place->failure(), now);
    go_to(**place, now);
  }
  const std::shared_ptr<link> at = greeting_side_ ? side_ : main_;
  if (state_ == state::opening) {
    const io_result progress = at->socket().progress();
    if (progress.what == io::again) return;
    if (progress.what != io::done) {
      const failure why = at->socket().problem();
      if (!greeting_side_ && ++address_ < addresses_.size()) return try_next_address(now);
      return attempt_failed(why, now);
    }
    greet();
  }
  if (state_ != state::greeting) return;
  const bool whole = at->flush(guard) && at->receive(guard);
  if (state_ != state::greeting || at != (greeting_side_ ? side_ : main_)) return;  // let go of meanwhile
  if (!whole) return attempt_failed(at->problem(), now);
  for (const resp::value& reply : at->batch()) {
    switch (handshake_->on_reply(reply)) {
      case handshake::verdict::more:
        break;
      case handshake::verdict::done:
        return greeted(now);
      case handshake::verdict::refused:
        return attempt_failed(handshake_->problem(), now);
      case handshake::verdict::fall_back:
        version_ = 2;
        return try_next_address(now);
    }
  }
}

// ---- going down

void connection::attempt_failed(const failure& reason, time_point now) {
  const failure why = reason;  // it usually lives in the handshake or the link that this ends
  main_.reset();
  side_.reset();
  handshake_.reset();
  greeting_side_ = false;
  state_ = state::pausing;
  pause(now);
  // Trying again helps against a server that is away or busy, not against a wrong password.
  const bool hopeless = why.code != errc::unreachable && why.code != errc::server_busy;
  refuse_backlog(why, now, hopeless);
  owner_.on_failed(*this, why, now);
  if (state_ == state::pausing && backlog_.empty() && !owner_.needs_connection(*this)) {
    state_ = state::idle;
    timers_.cancel(*this);
  }
}

void connection::fail(const failure& why, time_point now) {
  if (!ready()) return attempt_failed(why, now);
  const auto main = std::exchange(main_, nullptr);
  const auto side = std::exchange(side_, nullptr);
  if (main->any_unanswered()) zombie_ = id_;
  main->shut();
  if (side) side->shut();
  state_ = state::pausing;
  forget_inboxes();
  down_since_ = now;
  stop_turns();
  // The first try at once; but a link that never carried an answer was not worth having, and backs off as if it had failed.
  if (carried_) {
    pause_ = {};
    retry_at_ = now;
  } else {
    pause(now);
  }
  main->interrupt_all(why, now);
  owner_.on_down(*this, now);
  if (state_ == state::pausing && backlog_.empty() && !owner_.needs_connection(*this)) {
    state_ = state::idle;
    timers_.cancel(*this);
    return;
  }
  plan(now);
  owner_.wake_driver();
}

void connection::pause(time_point now) {
  pause_ = pause_ == duration{} ? duration{first_pause} : std::min<duration>(pause_ * 2, longest_pause);
  retry_at_ = now + random_.between(pause_ / 2, pause_);
  plan(now);
}

void connection::forget_inboxes() {
  has_inbox_ = false;
  sharded_ = false;
  shards_.clear();
}

std::vector<request*> connection::rest(const failure& why, time_point now) {
  if (state_ == state::closed || state_ == state::idle) return {};
  const auto main = std::exchange(main_, nullptr);
  const auto side = std::exchange(side_, nullptr);
  if (ready() && main->any_unanswered()) zombie_ = id_;
  handshake_.reset();
  greeting_side_ = false;
  state_ = state::idle;
  forget_inboxes();
  timers_.cancel(*this);
  stop_turns();
  std::vector<request*> left{backlog_.begin(), backlog_.end()};
  backlog_.clear();
  for (request* each : left) each->place_ = request::place::nowhere;
  if (side) side->shut();
  if (main) {
    main->shut();
    main->interrupt_all(why, now);
  }
  owner_.wake_driver();
  return left;
}

void connection::close(const failure& why, time_point now) {
  if (state_ == state::closed) return;
  const auto main = std::exchange(main_, nullptr);
  const auto side = std::exchange(side_, nullptr);
  state_ = state::closed;
  timers_.cancel(*this);
  stop_turns();
  if (main) {
    main->shut();
    main->interrupt_all(why, now);
  }
  if (side) side->shut();
  refuse_backlog(why, now, true);
}

}  // namespace holdfast::net
