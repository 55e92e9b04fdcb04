// The connection to one Sentinel: asks it who is primary, and listens to it.
//
//           ask, or time                 connected             answered
//   CLOSED ------------> RESOLVING, OPENING -------> ASKING -------------> LISTENING
//     ^                        |                       ^  |  ask, keep_alive  |
//     +------------------------+-----------------------|--+ <-----------------+
//       failed, silent for sentinel_limit              +-- UNSUBSCRIBE, the question, SUBSCRIBE
//
// RESP2 on purpose: every Sentinel speaks it. A link that listens can ask nothing, so it stops listening for the question;
// what is switched just then is in the answer, or in that of the next look.
//
// Thread safety: none; the thread of the sentinel_finder.
#pragma once

#include "net/dial.hpp"
#include "net/resolver.hpp"
#include "resp/reader.hpp"
#include "runtime/clock.hpp"
#include "topology/sentinel_choice.hpp"

#include <holdfast/settings.hpp>

#include <poll.h>

#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <variant>
#include <vector>

namespace holdfast::topology {

// What a Sentinel says: an address, that it knows no such name (no endpoint), a switch, or why it says nothing.
using sentinel_word = std::variant<std::optional<endpoint>, primary_switch, failure>;

class sentinel_link {
 public:
  // `how` says how to talk to this Sentinel, with its credentials. `wake`: poll(2) of this thread should return.
  sentinel_link(settings how, std::string name, std::function<void()> wake);

  // Who is primary? Goes out as soon as can be.
  void ask(runtime::time_point now);

  void fill(std::vector<pollfd>& entries) const;
  // Takes the steps that are possible now; appends what was heard.
  void advance(runtime::time_point now, std::vector<sentinel_word>& heard);
  [[nodiscard]] runtime::time_point wake_at() const noexcept { return wake_at_; }

 private:
  enum class state : unsigned char { closed, resolving, opening, asking, listening };
  enum class due : unsigned char { authentication, nicety, stop, question, listen };

  void open(runtime::time_point now, std::vector<sentinel_word>& heard);
  void dial_next();
  void greet(runtime::time_point now);
  void question(runtime::time_point now);
  void transfer(runtime::time_point now, std::vector<sentinel_word>& heard);
  void take(const resp::value& reply, runtime::time_point now, std::vector<sentinel_word>& heard);
  void close(failure why, runtime::time_point now, std::vector<sentinel_word>& heard);

  const settings how_;
  const std::string name_;
  const std::function<void()> wake_;
  state state_ = state::closed;
  bool wanted_ = false;  // asked for while closed
  runtime::time_point wake_at_ = runtime::never;
  net::resolver resolver_;
  std::vector<net::address> addresses_;
  std::size_t address_ = 0;
  std::shared_ptr<const net::tls_context> tls_;
  std::unique_ptr<net::stream> stream_;
  std::unique_ptr<resp::reader> in_;
  std::string out_;
  std::deque<due> due_;
};

}  // namespace holdfast::topology
