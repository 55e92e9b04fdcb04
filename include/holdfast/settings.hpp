// Where Redis is and how to talk to it.
//
// The same settings come from four places; a later place overrides an earlier one:
//
//   1. config files    /etc/holdfast.conf, then ~/.config/holdfast.conf ($XDG_CONFIG_HOME), which overrides single keys of
//                      it; or $HOLDFAST_CONFIG instead of both: lines `key = value`, `#` starts a comment
//   2. the environment HOLDFAST_URL, and HOLDFAST_<KEY> for every key below (HOLDFAST_COMMAND_TIMEOUT=500ms)
//   3. the URL         redis://user:password@host:port/database?key=value
//                      rediss://…  the same over TLS      unix:///path/to/socket?database=2&key=value
//                      redis+sentinel://user:password@s1:26379,s2,s3/name/database?key=value   the primary called `name`,
//                      as these Sentinels know it
//                      redis+cluster://user:password@host:port,host:port?key=value   a Redis Cluster, some of its nodes;
//                      it has database 0 only, and needs scripts
//                      redis+quorum://user:password@n1:port,n2,n3/database?key=value   every lock on a majority of these
//                      independent nodes (docs/quorum.md)
//                      rediss+sentinel://, rediss+cluster://, rediss+quorum://   the same over TLS, to all of them
//   4. this struct     set the fields by hand
//
// A word that is not understood, or two that contradict each other, is refused with `bad_url` or `bad_option` and named
// in the text. A setting that is silently ignored would be a lock with other properties than its owner believes.
//
// Keys (file, environment, URL query):
//   url               the URL itself (file and environment only)
//   user, password    credentials, where they do not stand in the URL
//   database          index, 0 to 2147483647
//   connect_timeout   how long a call puts up with having no connection        (5s)
//   command_timeout   how long one command may stay unanswered                 (1s)
//   keep_alive        an idle connection is probed this often                  (5s)
//   protocol          auto, 2 or 3: the RESP version                           (auto)
//   max_in_flight     commands on the wire at once; further callers wait       (4096)
//   client_name       what CLIENT LIST shows                                   (holdfast)
//   prefix            put before every lock's name                             (empty)
//   spin              on or off: look for an answer up to 100 µs before sleeping over it; see below  (on)
//   scripts           on or off: off for servers that do not allow them; see below  (on)
//   replicas          a number, or majority: replicas that must have a lock       (0)
//   sentinel_user, sentinel_password   credentials of the Sentinels: never those of Redis by themselves
//   sentinel_tls      yes or no: the Sentinels speak TLS                       (as the URL says for Redis)
//   max_ttl           of a quorum: its longest ttl; all clients must say the same   (30s)
//   node_timeout      of a quorum: how long one node may take to answer        (50ms)
//   tls_ca, tls_cert, tls_key   files in PEM form
//   tls_server_name   name to verify and to send as SNI                        (the host; of each server its own)
//   tls_verify        yes or no                                                (yes)
//
// spin = on: a thread that waits for one answer, not over TLS, looks for it again and again, for 100 µs at most, before it lets
// itself be put to sleep: with Redis on the same machine calls take half as long. Where answers take longer than that, it soon
// looks only once in 64 times. It costs processor time that would otherwise be idle: `off` where that is scarce or billed.
//
// scripts = off: locks are taken, kept and given back by WATCH, MULTI and EXEC instead of scripts. The promises are the
// same: exclusion (also against clients that use scripts, on the same key), leases, loss signal, fences. Given up are
//   - the queue: waiters look again after options::retry, with jitter; no order, no hand-over
//   - speed: acquire and release take two round trips each, and one client does one such step at a time
//   - everything but mutex, acquire, try_acquire and the call-level forms: the rest is refused with `bad_option`, and so
//     are lease::leave and options::signal_prefix
// It is never chosen by itself: a server that refuses scripts is told as `refused`, with this advice.
//
// Durations are written 250ms, 2s, 1m; a bare number is milliseconds.
#pragma once

#include <holdfast/replica_count.hpp>
#include <holdfast/result.hpp>
#include <holdfast/severity.hpp>

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace holdfast {

enum class transport : unsigned char { tcp, tls, unix_socket };

// How many servers there are, and what they are to each other (docs/deployments.md).
enum class deployment : unsigned char {
  single,    // one Redis, at `host` and `port` or `path`
  sentinel,  // `hosts` are Sentinels, which say who is the primary called `primary_name`
  cluster,   // a Redis Cluster, of which `hosts` are some nodes
  quorum,    // `hosts` are independent nodes, three or more; locks live on a majority of them
};

struct endpoint {
  std::string host;
  std::uint16_t port = 6379;
  friend bool operator==(const endpoint&, const endpoint&) = default;
};

// What endangers locks on this deployment, told once per connection (see settings::on_warning).
struct warning {
  using severity = holdfast::severity;
  severity how_bad{};
  std::string what;  // "maxmemory-policy is allkeys-lru: Redis may evict locks that are held"
  std::string fix;   // "CONFIG SET maxmemory-policy noeviction"
};

struct settings {
  holdfast::deployment deployment = deployment::single;
  holdfast::transport transport = transport::tcp;  // to Redis
  std::string host = "127.0.0.1";                  // host, port and path: of a single one
  std::uint16_t port = 6379;
  std::string path;             // of the Unix socket
  std::vector<endpoint> hosts;  // what `deployment` says; where it is not `single`, `host` and `port` mean nothing
  std::string primary_name;     // what the Sentinels call it
  std::string sentinel_user;
  std::string sentinel_password;
  std::optional<bool> sentinel_tls;  // none: as `transport` says
  std::string user;
  std::string password;
  std::int32_t database = 0;

  std::chrono::milliseconds connect_timeout{5000};
  std::chrono::milliseconds command_timeout{1000};
  std::chrono::milliseconds keep_alive{5000};
  int protocol = 0;  // 0: the best the server speaks
  std::uint32_t max_in_flight = 4096;
  std::string client_name = "holdfast";
  std::string prefix;
  bool spin = true;
  bool scripts = true;
  std::chrono::milliseconds max_ttl{30'000};
  std::chrono::milliseconds node_timeout{50};
  replica_count replicas;  // unless options::replicas says otherwise

  std::string tls_ca;
  std::string tls_cert;
  std::string tls_key;
  std::string tls_server_name;
  bool tls_verify = true;

  // Called without any internal lock held, on an internal thread. Without one, dangers go to standard error and notices
  // nowhere.
  std::function<void(const warning&)> on_warning;

  // The URL alone; nothing of the environment or of files.
  static result<settings> from_url(std::string_view url);

  // File, environment, then `url` if it is not empty. Where none of them says where Redis is, the user's private
  // redis-server is found or started (docs/operate.md, "The private Redis").
  static result<settings> load(std::string_view url = {});

  // Where this points, without secrets: "rediss://ops@cache-1:6380/2".
  [[nodiscard]] std::string display() const;
};

}  // namespace holdfast
