// Implements the part of gate_loop that decides about one message: triggers, then the fault in force. What passes
// goes into a lane; gate_loop.cpp writes it.
#include <utility>

#include "support/gate_loop.hpp"

namespace holdfast::test {
namespace {

// SUBSCRIBE is answered once for each channel, everything else once.
std::size_t replies_to(const std::string& request) {
  if (request.find("\r\n$9\r\nSUBSCRIBE\r\n") == std::string::npos) return 1;
  return std::stoul(request.substr(1)) - 1;
}

}  // namespace

void gate_loop::on_request(connection& c, std::string message) {
  const std::size_t number = c.requests_seen;
  c.requests_seen += replies_to(message);
  const gate_trigger* trigger = match(message, false);
  if (trigger == nullptr) return forward(c, std::move(message), direction::to_server);
  const fault then = trigger->then;
  if (trigger->when == moment::before) fire(then);
  if (c.server) forward(c, std::move(message), direction::to_server);
  if (trigger->when == moment::executed) c.awaited = {number, then};
  if (trigger->when != moment::after) return;
  flush(c);
  if (then.what == fault::kind::drop_reply && then.count != 0) {
    // Replies to earlier requests may still be on their way; the fault is meant for this one's.
    c.drop_from = number;
    c.drop_until = number + then.count;
    ++triggered;
  } else {
    fire(then);
  }
}

void gate_loop::on_reply(connection& c, std::string message) {
  // RESP3 answers SUBSCRIBE by a push: that one is a reply.
  const bool push = message.front() == '>' && !message.starts_with(">3\r\n$9\r\nsubscribe\r\n");
  const std::size_t number = push ? 0 : c.replies_seen++;
  if (!push && c.awaited && c.awaited->number == number) {
    const fault then = c.awaited->then;
    c.awaited.reset();
    fire(then);
  }
  if (const gate_trigger* trigger = match(message, true)) {
    if (trigger->then.what == fault::kind::drop_reply && trigger->then.count == 1) {
      ++triggered;
      return;
    }
    fire(fault{trigger->then});
  }
  if (!c.server) return;
  if (!push && c.drop_from <= number && number < c.drop_until) return;
  if (!push && is(fault::kind::drop_reply) && fault_.count != 0) {
    if (--fault_.count == 0) fault_ = fault::pass();
    return;
  }
  forward(c, std::move(message), direction::to_client);
}

void gate_loop::fire(const fault& then) {
  apply(then);
  ++triggered;
}

const gate_trigger* gate_loop::match(const std::string& message, bool on_reply) {
  for (auto it = triggers_.begin(); it != triggers_.end(); ++it) {
    if (it->on_reply != on_reply || message.find(it->needle) == std::string::npos) continue;
    if (it->skip > 0) {
      --it->skip;
      continue;
    }
    fired_ = std::move(*it);
    triggers_.erase(it);
    return &fired_;
  }
  return nullptr;
}

bool gate_loop::swallows(direction way) const {
  if (is(fault::kind::drop_request)) return way == direction::to_server;
  if (is(fault::kind::drop_reply)) return way == direction::to_client && fault_.count == 0;
  return hides_close(way);
}

bool gate_loop::hides_close(direction way) const { return is(fault::kind::black_hole) && fault_.covers(way); }

void gate_loop::forward(connection& c, std::string message, direction way) {
  if (swallows(way)) return;
  lane& to = way == direction::to_server ? c.to_server : c.to_client;
  const bool counted = is(fault::kind::close_after) && fault_.covers(way);
  if (counted && message.size() > c.budget) message.resize(c.budget);
  if (counted) c.budget -= message.size();
  to.push(std::move(message),
          gate_clock::now() + (is(fault::kind::delay) ? fault_.time : std::chrono::milliseconds{0}));
  if (counted && c.budget == 0) {
    flush(c);
    close_both(c, false);
  }
}

}  // namespace holdfast::test
