// What a gate can do to the traffic: a value, made by a named function, given to gate::set or gate::when.
//
//   fault                     new connections     client -> server          server -> client
//   pass                      forwarded           forwarded                 forwarded
//   refuse                    ECONNREFUSED        forwarded (existing)      forwarded (existing)
//   down                      ECONNREFUSED        closed at once (existing) closed at once (existing)
//   accept_and_stall          accepted            not read                  not read
//   close_after(to_server,n)  forwarded           n more bytes, then close  forwarded
//   close_after(to_client,n)  forwarded           forwarded                 n more bytes, then close
//   drop_reply()              forwarded           forwarded                 swallowed; a close passes
//   drop_reply(n)             forwarded           forwarded                 the next n replies swallowed, then pass
//   drop_request()            forwarded           swallowed; a close passes forwarded
//   delay(ms)                 forwarded           ms later                  ms later
//   slice(n)                  forwarded           n bytes a write, 1 ms     n bytes a write, 1 ms
//   black_hole(direction)     accepted            swallowed, with closes    swallowed, with closes (as named)
//   reset                     forwarded           existing clients get a RST, then pass
//   cut                       forwarded           existing connections closed, then pass
//
// close_after counts per connection, from when the fault is set (or from the start of a later connection).
#pragma once

#include <chrono>
#include <cstddef>

namespace holdfast::test {

enum class direction { to_server, to_client, both };

struct fault {
  enum class kind {
    pass,
    refuse,
    down,
    stall,
    close_after,
    drop_reply,
    drop_request,
    delay,
    slice,
    black_hole,
    reset,
    cut
  };
  kind what = kind::pass;
  direction way = direction::both;
  std::size_t count = 0;  // bytes or replies; 0 replies means all
  std::chrono::milliseconds time{0};

  static fault pass() { return {}; }
  static fault refuse() { return {kind::refuse, direction::both, 0, {}}; }
  static fault down() { return {kind::down, direction::both, 0, {}}; }
  static fault accept_and_stall() { return {kind::stall, direction::both, 0, {}}; }
  static fault close_after(direction way, std::size_t bytes) { return {kind::close_after, way, bytes, {}}; }
  static fault drop_reply(std::size_t replies = 0) { return {kind::drop_reply, direction::to_client, replies, {}}; }
  static fault drop_request() { return {kind::drop_request, direction::to_server, 0, {}}; }
  static fault delay(std::chrono::milliseconds time) { return {kind::delay, direction::both, 0, time}; }
  static fault slice(std::size_t bytes) { return {kind::slice, direction::both, bytes, {}}; }
  static fault black_hole(direction way) { return {kind::black_hole, way, 0, {}}; }
  static fault reset() { return {kind::reset, direction::both, 0, {}}; }
  static fault cut() { return {kind::cut, direction::both, 0, {}}; }

  [[nodiscard]] bool covers(direction one_way) const { return way == one_way || way == direction::both; }
};

// When a triggered fault starts, relative to the request that triggers it.
enum class moment {
  before,    // the request itself falls under the fault: with drop_request, cut, ... the server never sees it
  after,     // the request has been written to the server, its reply falls under the fault
  executed,  // the server's reply to it is in the gate (so it was executed), and falls under the fault
};

}  // namespace holdfast::test
