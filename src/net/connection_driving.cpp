// How a connection is driven: what to poll for, writing, reading, and handing out what came.
#include "net/connection.hpp"

#include <utility>

namespace holdfast::net {

using runtime::time_point;

void connection::fill(std::vector<pollfd>& entries) const {
  if (state_ == state::opening) {
    auto& at = greeting_side_ ? side_ : main_;
    entries.push_back({at->socket().fd(), at->socket().wanted(), 0});
  } else if (state_ == state::greeting) {
    auto& at = greeting_side_ ? side_ : main_;
    entries.push_back({at->socket().fd(), at->wanted(), 0});
  } else if (state_ == state::ready) {
    entries.push_back({main_->socket().fd(), main_->wanted(), 0});
    if (side_) entries.push_back({side_->socket().fd(), side_->wanted(), 0});
  }
}

void connection::flush(std::unique_lock<std::mutex>& guard) {
  const std::shared_ptr<link> at = main_;
  if (!ready() || !at->unsent()) return;
  if (!at->flush(guard) && at == main_) return fail(at->problem(), runtime::boot_clock::now());
  if (at == main_ && at->blocked()) owner_.wake_driver();
}

void connection::service(std::unique_lock<std::mutex>& guard, std::span<const pollfd> entries) {
  if (!ready()) return;
  for (const pollfd& each : entries) {
    if (each.revents == 0) continue;
    const std::shared_ptr<link> at = side_ && side_->socket().fd() == each.fd ? side_ : main_;
    if (at->socket().fd() != each.fd) continue;
    if ((each.revents & POLLOUT) != 0) at->writable();
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
      if (std::exchange(subscribing_, false)) from.next_waiting(expected);  // once, for two channels
      return;
    }
    if (reply.items.size() >= 2 && reply.items[0].text == "ssubscribe") {
      bool expected = false;
      from.next_waiting(expected);
      return shards_.confirmed();
    }
    if (reply.items.size() >= 2 && reply.items[0].text == "sunsubscribe") {
      if (shards_.remove(reply.items[1].text)) owner_.on_unsubscribed(*this, now);
      return;
    }
    return dispatch_message(reply, now);
  }
  bool expected = false;
  request* whose = from.next_waiting(expected);
  if (!expected) return fail({errc::protocol, "the server answered what was not asked"}, now);
  if (not_primary(reply)) {
    from.put_back();
    return fail({errc::unreachable, at_.display() + " has become a replica"}, now);
  }
  if (whose != kill_.get()) carried_ = true;  // our own housekeeping proves little
  if (whose == &subscribe_) subscribing_ = false;
  if (whose == nullptr) return;
  const bool ours = whose == &shards_ || whose == &subscribe_;  // about this very link
  if (reply.is_error() && whose->blocks) abandon(*whose);       // before it goes elsewhere
  const bool whole = whose->answers_ == 1 || whose->blocks;
  if (reply.is_error() && !ours && whole && owner_.redirect(*this, *whose, reply.text, now)) return;
  whose->redirections = 0;
  whose->turned_away_at = {};
  whose->on_reply(reply, now);
}

// Behind Sentinels a refused write means that the primary is elsewhere: there it is asked again, nothing of it has run.
bool connection::not_primary(const resp::value& reply) const noexcept {
  return reply.is_error() && finder_->may_be_wrong() && reply.text.find("READONLY") != std::string::npos;
}

void connection::dispatch_message(const resp::value& message, time_point now) {
  const auto& items = message.items;
  if (!message.is_list() || items.size() < 3) return;
  if (items[0].text == "smessage" && shards_.has(items[1].text)) return owner_.on_shard_message(items[2].text, now);
  if (items[0].text != "message") return;
  const bool to_all = items[1].text == common_;
  if (to_all || items[1].text == inbox_) owner_.on_message(items[2].text, to_all, now);
}

}  // namespace holdfast::net
