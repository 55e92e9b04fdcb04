// The private Redis: a redis-server of this user on this host, for those who name no other.
//
//   directory  $XDG_RUNTIME_DIR/holdfast, where that variable names a directory of ours with mode 0700 and the socket's
//              path fits into an address; else /tmp/holdfast-<uid>. Only its user can open it (mode 0700).
//   in it      redis.sock    where the server listens; it has no TCP port
//              server.lock   flock()ed for as long as the server or its watcher lives
//              redis.log     of the server's present life
//   flock      on the directory itself, held while looking for, starting or ending the server
//
// Found: connect and PING. Otherwise started, detached from this process, its terminal and its files, together with a
// watcher (private_watcher.hpp) that ends it some minutes after its last client. It keeps nothing on disk.
//
// After private_server() returns, the caller has the whole idle time (five minutes) to connect: its PING counted as a
// client. Whoever cannot connect later calls private_server() again.
//
// Thread-safe, and safe to call in a process with threads: between fork and exec only async-signal-safe calls are made.
#pragma once

#include <holdfast/settings.hpp>

namespace holdfast::topology {

// `unreachable` when redis-server is not installed (the text says how), the directory is not ours alone, or the server
// does not answer within five seconds (the text has the end of its log).
[[nodiscard]] result<settings> private_server();

}  // namespace holdfast::topology
