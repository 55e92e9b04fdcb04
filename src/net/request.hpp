// One command on its way to Redis and back; or a few that travel together, whose answers come one by one.
//
// Owned by whoever submits it; must stay where it is until one of the three on_ functions was called or it was abandoned.
// All of them run with the client's mutex held. "Not sent" and "sent, unanswered" stay apart: only the latter may have
// taken effect.
#pragma once

#include "resp/value.hpp"
#include "runtime/clock.hpp"

#include <holdfast/error.hpp>

#include <cstdint>
#include <string>
#include <string_view>

namespace holdfast::net {

class connection;
class request;

// Whoever has a request at the moment, and can take it back: a connection; a room where it waits; or something that asks
// several connections on its behalf.
class carrier {
 public:
  virtual void abandon(request& what) noexcept = 0;
  // For a request that takes turns: its last answer has come and it will not be submitted again.
  virtual void end_turn(const request& what, runtime::time_point now) = 0;

 protected:
  ~carrier() = default;
  // For those that are no connection. The request waits with `by`; is under way by its means since `sent`; neither any more.
  static void take(request& what, carrier& by) noexcept;
  static void take(request& what, carrier& by, runtime::time_point sent) noexcept;
  static void hand_back(request& what) noexcept;
};

class request {
 public:
  request() = default;
  request(const request&) = delete;
  request& operator=(const request&) = delete;

  // Appends the command; called when it goes onto the wire, again if it is submitted again.
  virtual void encode(std::string& out) = 0;

  virtual void on_reply(const resp::value& reply, runtime::time_point now) = 0;

  // The link broke while this was on it, because of `why` (its `sent` tells whether this request may have arrived).
  virtual void on_interrupted(const failure& why, runtime::time_point now) = 0;

  // It was not sent and will not be: there is no connection, and waiting for one is over.
  virtual void on_refused(const failure& why, runtime::time_point now) = 0;

  // The key that it is about, where several nodes could be meant; empty: any of them will do.
  [[nodiscard]] virtual std::string_view routed_by() const noexcept { return {}; }

  // The sharded channel on which what follows from it will be told: subscribed to before it is sent, where the server has such
  // channels. Empty: none. Asked before encode().
  [[nodiscard]] virtual std::string_view listens_on() { return {}; }

  // Takes it back: none of the three above will be called.
  void abandon() noexcept;

  // For one that takes_turn (below): it has nothing more to send.
  void end_turn(runtime::time_point now);

  // When it was put on the wire; the server cannot have seen it earlier.
  [[nodiscard]] runtime::time_point sent_at() const noexcept { return sent_at_; }

  [[nodiscard]] bool pending() const noexcept { return place_ != place::nowhere; }
  [[nodiscard]] bool on_wire() const noexcept { return place_ == place::wire; }

  // Does not outlast a failed attempt to connect; others wait for connect_timeout.
  bool impatient = false;

  // Nobody waits for the answer: whoever drives next may read it.
  bool unawaited = false;

  // Uses WATCH, which the server keeps for the connection and not for us: one such request at a time is under way. It has
  // its turn from when it goes onto the wire, also while it is submitted again from its last on_reply, until it is
  // interrupted, abandoned, or ends its turn.
  bool takes_turn = false;

  // Makes the server block its connection (WAIT): it goes over the one that its node has for that. An error is the last answer
  // that it is told, also where more are due.
  bool blocks = false;

  // This very node, whatever the key: for what is asked of each of them.
  connection* only_at = nullptr;

  // ---- where a node may send it elsewhere (topology/cluster.hpp); cleared by an answer that is one, and when it is submitted anew
  std::uint8_t redirections = 0;
  bool asking = false;                   // ASKING goes before it, once
  runtime::time_point turned_away_at{};  // first told to try again

 protected:
  ~request() = default;

  // How many answers the appended commands get; for encode() to say.
  std::size_t answers_ = 1;

  // To whom it was submitted last.
  [[nodiscard]] const carrier* carried_by() const noexcept { return carrier_; }

 private:
  friend class carrier;
  friend class connection;
  friend class link;
  enum class place : unsigned char { nowhere, backlog, turn, wire, room };
  place place_ = place::nowhere;
  carrier* carrier_ = nullptr;
  runtime::time_point sent_at_{};  // in the backlog: when it was submitted
};

inline void carrier::take(request& what, carrier& by) noexcept {
  what.carrier_ = &by;
  what.place_ = request::place::room;
}

inline void carrier::take(request& what, carrier& by, runtime::time_point sent) noexcept {
  what.carrier_ = &by;
  what.place_ = request::place::wire;
  what.sent_at_ = sent;
}

inline void carrier::hand_back(request& what) noexcept { what.place_ = request::place::nowhere; }

}  // namespace holdfast::net
