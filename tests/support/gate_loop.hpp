// The inside of a gate: sockets, the fault in force, the armed triggers. Runs on the gate's thread, turn() by turn().
//
//   client --read--> requests (whole messages) --triggers, fault--> to_server lane --write--> server
//   client <--write-- to_client lane <--fault, triggers-- replies (whole messages) <--read-- server
//
// Thread safety: none; all of it belongs to the gate's thread, where gate runs its questions too.
// Invariants: connections are only erased by sweep(), so a function that closes one leaves its object valid; turn()
// sleeps in poll until a socket, a due chunk or the wake-up descriptor needs it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <list>
#include <string>
#include <vector>

#include "support/gate_connection.hpp"

namespace holdfast::test {

struct gate_trigger {
  std::string needle;
  fault then;
  moment when = moment::before;
  std::size_t skip = 0;
  bool on_reply = false;  // looks at what the server sends instead
};

class gate_loop {
 public:
  enum class read_result { bytes, nothing, end };

  gate_loop(std::uint16_t target_port, int wake_fd);

  void turn();
  // Between turns only: puts the fault in force and passes on the closes that the one before it hid.
  void set(const fault& next);
  void arm(gate_trigger trigger) { triggers_.push_back(std::move(trigger)); }
  void disarm() { triggers_.clear(); }
  [[nodiscard]] std::uint16_t port() const { return port_; }

  std::size_t open_connections = 0;
  std::size_t accepted = 0;
  std::size_t bytes_to_server = 0;
  std::size_t bytes_to_client = 0;
  std::size_t triggered = 0;

 private:
  using connection = gate_connection;

  void apply(const fault& next);
  void listen_again();
  void stop_listening();
  void accept_all();
  void read_client(connection& c, short events);
  void read_server(connection& c, short events);
  [[nodiscard]] read_result read_unless_stalled(int socket, short events, std::string& into) const;
  void on_request(connection& c, std::string message);
  void on_reply(connection& c, std::string message);
  void fire(const fault& then);
  [[nodiscard]] const gate_trigger* match(const std::string& message, bool on_reply);
  void forward(connection& c, std::string message, direction way);
  void flush(connection& c);
  void close_both(connection& c, bool with_reset);
  void close_everything(bool with_reset);
  void sweep();
  [[nodiscard]] int poll_timeout() const;
  [[nodiscard]] bool is(fault::kind kind) const { return fault_.what == kind; }
  [[nodiscard]] bool swallows(direction way) const;
  [[nodiscard]] bool hides_close(direction way) const;

  std::uint16_t target_port_;
  int wake_fd_;
  unique_fd listener_;
  std::uint16_t port_ = 0;
  bool listening_ = false;
  fault fault_;
  std::vector<gate_trigger> triggers_;
  gate_trigger fired_;  // the one that match() returned; it has left triggers_
  std::list<connection> connections_;
  std::list<unique_fd> draining_;  // server sides that were told "end" and may still be answering
};

}  // namespace holdfast::test
