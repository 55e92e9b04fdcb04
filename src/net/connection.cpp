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

// A command for its own sake; its answer only shows that the link lives.
class connection::probe final : public request {
 public:
  explicit probe(std::string command) : command_{std::move(command)} {}
  void encode(std::string& out) override { out.append(command_); }
  void on_reply(const resp::value& /*reply*/, time_point /*now*/) override {}
  void on_interrupted(const failure& /*why*/, time_point /*now*/) override {}
  void on_refused(const failure& /*why*/, time_point /*now*/) override {}

 private:
  std::string command_;
};

// RESP3 answers SUBSCRIBE with a push, and only a refusal with a reply: dispatch() takes it off when the push comes.
class connection::subscribe final : public request {
 public:
  explicit subscribe(connection& owner) : owner_{owner} {}
  void encode(std::string& out) override { resp::append_command(out, "SUBSCRIBE", owner_.inbox_); }
  void on_reply(const resp::value& reply, time_point /*now*/) override {
    if (reply.is_error()) owner_.has_inbox_ = false;
  }
  void on_interrupted(const failure& /*why*/, time_point /*now*/) override {}
  void on_refused(const failure& /*why*/, time_point /*now*/) override {}

 private:
  connection& owner_;
};

connection::connection(const settings& how, std::string inbox, connection_events& owner, runtime::timer_queue& timers,
                       runtime::random_source& random, std::function<void()> wake)
    : how_{how},
      inbox_{std::move(inbox)},
      owner_{owner},
      timers_{timers},
      random_{random},
      wake_{std::move(wake)},
      version_{how.protocol == 2 ? 2 : 3} {
  std::string ping;
  resp::append_command(ping, "PING");
  ping_ = std::make_unique<probe>(std::move(ping));
  subscribe_ = std::make_unique<subscribe>(*this);
}

connection::~connection() { timers_.cancel(*this); }

// ---- requests

void connection::submit(request& what, time_point now) {
  if (state_ == state::closed) return what.on_refused({errc::cancelled, "the client is closed"}, now);
  if (ready() && backlog_.empty() && main_->in_flight() < how_.max_in_flight) {
    main_->append(what, now);
    if (!ticking_) plan(now);
    return;
  }
  what.place_ = request::place::backlog;
  what.sent_at_ = now;
  backlog_.push_back(&what);
  if (state_ == state::idle) open(now);
}

void connection::abandon(request& what) noexcept {
  if (what.place_ == request::place::backlog) std::erase(backlog_, &what);
  if (what.place_ == request::place::wire && main_) main_->forget(what);
  what.place_ = request::place::nowhere;
}

void connection::drain_backlog(time_point now) {
  while (ready() && !backlog_.empty() && main_->in_flight() < how_.max_in_flight) {
    request* next = backlog_.front();
    backlog_.pop_front();
    main_->append(*next, now);
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

bool connection::expects() const noexcept {
  return state_ != state::ready || (main_ && (!main_->idle() || main_->blocked()));
}

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
  state_ = state::resolving;
  if (how_.transport == transport::tls && !tls_) {
    auto made = make_tls_context(how_);
    if (!made) return attempt_failed(made.failure(), now);
    tls_ = *made;
  }
  if (how_.transport == transport::unix_socket) {
    auto path = unix_address(how_.path);
    if (!path) return attempt_failed(path.failure(), now);
    addresses_.push_back(*path);
    return try_next_address(now);
  }
  resolver_.start(how_.host, how_.port, wake_);
  plan(now);
  wake_();  // numbers are resolved already and wake nobody
}

void connection::try_next_address(time_point now) {
  state_ = state::opening;
  auto opened = std::make_shared<link>(dial(how_, addresses_[address_], tls_));
  (greeting_side_ ? side_ : main_) = std::move(opened);
  plan(now);
  wake_();
}

void connection::greet() {
  state_ = state::greeting;
  handshake_ =
      std::make_unique<handshake>(how_, greeting_side_ ? 2 : version_, greeting_side_ ? inbox_ : std::string{});
  (greeting_side_ ? side_ : main_)->append_raw(handshake_->greeting());
}

void connection::greeted(time_point now) {
  if (!greeting_side_) id_ = handshake_->connection_id();
  if (version_ == 2 && !greeting_side_) {
    greeting_side_ = true;
    return try_next_address(now);
  }
  if (version_ == 2) has_inbox_ = handshake_->subscribed();
  become_ready(now);
}

void connection::become_ready(time_point now) {
  handshake_.reset();
  greeting_side_ = false;
  state_ = state::ready;
  carried_ = false;
  heard_ = now;
  ticking_ = false;
  if (version_ == 3) {
    has_inbox_ = true;
    main_->append(*subscribe_, now);
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
  owner_.on_up(now);
  drain_backlog(now);
}

// Steps of an attempt, by the client's own thread only.
void connection::advance(std::unique_lock<std::mutex>& guard) {
  const time_point now = runtime::boot_clock::now();
  if (state_ == state::resolving) {
    auto found = resolver_.poll();
    if (!found) return;
    if (!*found) return attempt_failed(found->failure(), now);
    addresses_ = **found;
    try_next_address(now);
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
  if (!at->flush(guard) || !at->receive(guard)) return attempt_failed(at->problem(), now);
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
  if (backlog_.empty() && !owner_.needs_connection()) {
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
  has_inbox_ = false;
  down_since_ = now;
  // The first try at once; but a link that never carried an answer was not worth having, and backs off as if it had failed.
  if (carried_) {
    pause_ = {};
    retry_at_ = now;
  } else {
    pause(now);
  }
  main->interrupt_all(why, now);
  owner_.on_down(now);
  if (state_ == state::pausing && backlog_.empty() && !owner_.needs_connection()) {
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

void connection::close(const failure& why, time_point now) {
  if (state_ == state::closed) return;
  const auto main = std::exchange(main_, nullptr);
  const auto side = std::exchange(side_, nullptr);
  state_ = state::closed;
  timers_.cancel(*this);
  if (main) {
    main->shut();
    main->interrupt_all(why, now);
  }
  if (side) side->shut();
  refuse_backlog(why, now, true);
}

// ---- time

void connection::plan(time_point now) {
  switch (state_) {
    case state::pausing:
      return timers_.schedule(*this, retry_at_);
    case state::resolving:
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
    case state::resolving:
      return attempt_failed({errc::unreachable, "the name " + how_.host + " was not resolved in time"}, now);
    case state::opening: {
      const std::string waiting{(greeting_side_ ? side_ : main_)->socket().waiting_for()};
      return attempt_failed({errc::unreachable, how_.display() + ": no answer in time while " + waiting}, now);
    }
    case state::greeting: {
      const link& at = greeting_side_ ? *side_ : *main_;
      return attempt_failed(
          at.silent({errc::unreachable, how_.display() + ": connected, but the greeting was not answered"}), now);
    }
    case state::ready:
      break;
    default:
      return;
  }
  if (!main_->idle() && now >= main_->oldest() + how_.command_timeout) {
    return fail(main_->silent({errc::unreachable, how_.display() + ": no answer within command_timeout"}), now);
  }
  if (main_->idle() && now >= heard_ + how_.keep_alive) main_->append(*ping_, now);
  plan(now);
}

// ---- driving

std::size_t connection::fill(pollfd* entries) const noexcept {
  std::size_t count = 0;
  if (state_ == state::opening) {
    auto& at = greeting_side_ ? side_ : main_;
    entries[count++] = {at->socket().fd(), at->socket().wanted(), 0};
  } else if (state_ == state::greeting) {
    auto& at = greeting_side_ ? side_ : main_;
    entries[count++] = {at->socket().fd(), at->wanted(), 0};
  } else if (state_ == state::ready) {
    entries[count++] = {main_->socket().fd(), main_->wanted(), 0};
    if (side_) entries[count++] = {side_->socket().fd(), side_->wanted(), 0};
  }
  return count;
}

void connection::flush(std::unique_lock<std::mutex>& guard) {
  const std::shared_ptr<link> at = main_;
  if (!ready() || !at->unsent()) return;
  if (!at->flush(guard) && at == main_) return fail(at->problem(), runtime::boot_clock::now());
  if (at == main_ && at->blocked()) owner_.wake_driver();
}

void connection::service(std::unique_lock<std::mutex>& guard, const pollfd* entries, std::size_t count) {
  if (!ready()) return advance(guard);
  for (std::size_t i = 0; i < count; ++i) {
    if (entries[i].revents == 0) continue;
    const std::shared_ptr<link> at = side_ && side_->socket().fd() == entries[i].fd ? side_ : main_;
    if (!ready() || at->socket().fd() != entries[i].fd) return;
    if ((entries[i].revents & POLLOUT) != 0) at->writable();
    do {
      if (!receive(guard, at, false)) return;
    } while (at->socket().pending());
  }
  if (!backlog_.empty()) drain_backlog(runtime::boot_clock::now());
  flush(guard);
}

bool connection::service_waiting(std::unique_lock<std::mutex>& guard) {
  const std::shared_ptr<link> at = main_;
  if (!ready() || side_ || at->blocked() || !at->socket().waits()) return false;
  if (!receive(guard, at, true)) return true;
  const bool heard = !at->batch().empty();
  if (!backlog_.empty()) drain_backlog(runtime::boot_clock::now());
  return heard;
}

// One read and what it brought. False: the link has gone, and perhaps everything with it.
bool connection::receive(std::unique_lock<std::mutex>& guard, const std::shared_ptr<link>& at, bool waiting) {
  const bool whole = at->receive(guard, waiting);
  const auto gone = [&] { return !ready() || (at != main_ && at != side_); };
  if (gone()) return false;
  const time_point now = runtime::boot_clock::now();
  if (!at->batch().empty()) heard_ = now;
  for (resp::value& reply : at->batch()) {
    dispatch(*at, reply, now);
    if (gone()) return false;
  }
  if (!whole) fail(at->problem(), now);
  return whole;
}

void connection::dispatch(link& from, resp::value& reply, time_point now) {
  if (&from == side_.get()) return dispatch_message(reply, now);
  if (reply.type == resp::kind::push) {
    if (reply.items.size() >= 2 && reply.items[0].text == "subscribe") {
      bool expected = false;
      from.next_waiting(expected);
      return;
    }
    return dispatch_message(reply, now);
  }
  bool expected = false;
  request* whose = from.next_waiting(expected);
  if (!expected) return fail({errc::protocol, "the server answered what was not asked"}, now);
  carried_ = true;
  if (whose != nullptr) whose->on_reply(reply, now);
}

void connection::dispatch_message(const resp::value& message, time_point now) {
  const auto& items = message.items;
  if (!message.is_list() || items.size() < 3 || items[0].text != "message" || items[1].text != inbox_) return;
  owner_.on_message(items[2].text, now);
}

}  // namespace holdfast::net
