// A fault gate: a TCP proxy on a loopback port in front of a server, whose faults (fault.hpp) a test switches at run
// time. It stands for the network in the chaos tests.
//
//   gate g{server.port()};
//   g.when("EVALSHA", fault::drop_reply(1), moment::after);   // the server runs the script, its answer is lost
//   ... use g.url() ...
//
// How it forwards: whole RESP messages, so that a fault starts exactly between two requests (other bytes, such as TLS,
// pass as they come; there `when` sees only what stands in one read). When the client closes, the server's side is
// closed too and what was not yet forwarded is discarded; see black_hole for the exception.
//
// A fault holds for all connections, existing and new, until the next one. Whatever call changes something returns when
// it is in force: no byte that is read later escapes it.
// Thread safety: all members, from any thread. The gate has a thread of its own, so fork children before making one.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "support/fault.hpp"
#include "support/unique_fd.hpp"

namespace holdfast::test {

class gate_loop;

class gate {
 public:
  explicit gate(std::uint16_t target_port);
  ~gate();
  gate(const gate&) = delete;
  gate& operator=(const gate&) = delete;

  [[nodiscard]] std::uint16_t port() const;
  [[nodiscard]] std::string url() const { return "redis://127.0.0.1:" + std::to_string(port()); }

  void set(const fault& next);
  void pass() { set(fault::pass()); }
  void cut() { set(fault::cut()); }      // close all connections now
  void reset() { set(fault::reset()); }  // the same, with a RST to the clients

  // Once: when a request that contains `needle` comes (after `skip` others that do; an empty needle is in every
  // request), `then` starts at the given moment. With `after`, drop_reply(n) means this request's reply and the n-1
  // following on its connection, and leaves the fault in force alone. Triggers are tried in the order of arming.
  void when(std::string needle, const fault& then, moment at = moment::before, std::size_t skip = 0);
  // The same for a message from the server (a reply or a push), which itself falls under the fault;
  // drop_reply(1) drops exactly that message.
  void when_reply(std::string needle, const fault& then, std::size_t skip = 0);
  void disarm();

  // These are answered between two steps of the gate, so they cover whatever the caller has already seen the effect of.
  [[nodiscard]] std::size_t connections() const;      // clients connected now
  [[nodiscard]] std::size_t accepted() const;         // clients ever accepted
  [[nodiscard]] std::size_t bytes_to_server() const;  // forwarded
  [[nodiscard]] std::size_t bytes_to_client() const;
  [[nodiscard]] std::size_t triggered() const;  // how many armed faults have started

  // Wait until exactly n clients are connected / at least n armed faults have started; false when the limit passes.
  [[nodiscard]] bool wait_connections(std::size_t n, std::chrono::milliseconds limit = std::chrono::seconds{10}) const;
  [[nodiscard]] bool wait_triggered(std::size_t n = 1,
                                    std::chrono::milliseconds limit = std::chrono::seconds{10}) const;

 private:
  void run();
  void on_thread(const std::function<void()>& task) const;
  [[nodiscard]] std::size_t ask(std::size_t gate_loop::*counter) const;

  unique_fd wake_;
  std::unique_ptr<gate_loop> loop_;
  mutable std::mutex mutex_;
  mutable std::condition_variable done_changed_;
  mutable std::vector<std::function<void()>> tasks_;  // guarded by mutex_
  mutable std::size_t posted_ = 0;                    // guarded by mutex_
  std::size_t done_ = 0;                              // guarded by mutex_
  bool stopping_ = false;                             // guarded by mutex_
  std::thread thread_;
};

}  // namespace holdfast::test
