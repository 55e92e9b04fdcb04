// The first words on a new link, decided without I/O: what to say, and what the answers mean.
//
//   RESP3 wanted:  HELLO 3 [AUTH …] SETNAME …   then SELECT      one round trip; the inbox shares the link
//   refused as unknown (before Redis 6), by version or by ACL:  fall back to
//   RESP2:         [AUTH …] CLIENT SETNAME … SELECT …            and a second link for the inbox: SUBSCRIBE ends the
//                                                                use of a RESP2 connection for anything else
//   where the server was named by a Sentinel: ROLE at the end, which must say that it is a primary
//   where it is a node of a quorum: INFO server at the end, which says which process it is
#pragma once

#include "resp/value.hpp"
#include "runtime/clock.hpp"

#include <holdfast/error.hpp>
#include <holdfast/settings.hpp>

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace holdfast::net {

// Which process a server is. Another run id: it was restarted, and may have forgotten something.
struct server_identity {
  std::string run_id;
  std::chrono::seconds uptime{0};  // when asked
  runtime::time_point since{};     // its start, by our clock, to within a second
};

// What a greeting asks at its end.
struct closing_questions {
  bool role = false;      // which must be that of a primary
  bool identity = false;  // which process the server is
};

class handshake {
 public:
  enum class verdict : unsigned char { more, done, fall_back, refused };

  // `version` 3 or 2; `inbox`: this is the second link of RESP2, which subscribes to it and to `common` and does nothing
  // else.
  handshake(const settings& how, int version, std::string inbox = {}, std::string common = {},
            closing_questions also = {});

  // All commands, to be sent at once.
  [[nodiscard]] std::string greeting() const;

  // One answer after the other.
  verdict on_reply(const resp::value& reply);

  [[nodiscard]] const failure& problem() const noexcept { return problem_; }
  [[nodiscard]] std::int64_t connection_id() const noexcept { return id_; }  // 0: not told
  // A node of a Cluster that knows SSUBSCRIBE, as far as it told (RESP3).
  [[nodiscard]] bool has_shard_channels() const noexcept { return clustered_ && major_ >= 7; }
  [[nodiscard]] bool subscribed() const noexcept { return subscribed_; }
  [[nodiscard]] const server_identity& identity() const noexcept { return identity_; }

 private:
  enum class step : unsigned char { hello, auth, name, select, subscribe, second, identify, role };
  verdict refuse(const resp::value& reply);
  verdict judge_role(const resp::value& reply);
  bool read_identity(const resp::value& reply);
  [[nodiscard]] verdict next() const noexcept { return at_ == steps_.size() ? verdict::done : verdict::more; }

  const settings* how_;
  int version_;
  std::string inbox_;
  std::string common_;
  std::vector<step> steps_;
  std::size_t at_ = 0;
  std::int64_t id_ = 0;
  bool subscribed_ = false;
  bool clustered_ = false;
  int major_ = 0;     // the server's version; 0: not told
  std::string role_;  // as HELLO told it
  server_identity identity_;
  failure problem_{};
};

}  // namespace holdfast::net
