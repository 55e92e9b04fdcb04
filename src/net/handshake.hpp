// The first words on a new link, decided without I/O: what to say, and what the answers mean.
//
//   RESP3 wanted:  HELLO 3 [AUTH …] SETNAME …   then SELECT      one round trip; the inbox shares the link
//   refused as unknown (before Redis 6), by version or by ACL:  fall back to
//   RESP2:         [AUTH …] CLIENT SETNAME … SELECT …            and a second link for the inbox: SUBSCRIBE ends the
//                                                                use of a RESP2 connection for anything else
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

class handshake {
 public:
  enum class verdict : unsigned char { more, done, fall_back, refused };

  // `version` 3 or 2; `inbox`: this is the second link of RESP2, which subscribes to it and to `common` and does nothing
  // else. `identifies`: also asks which process the server is.
  handshake(const settings& how, int version, std::string inbox = {}, std::string common = {}, bool identifies = false);

  // All commands, to be sent at once.
  [[nodiscard]] std::string greeting() const;

  // One answer after the other.
  verdict on_reply(const resp::value& reply);

  [[nodiscard]] const failure& problem() const noexcept { return problem_; }
  [[nodiscard]] std::int64_t connection_id() const noexcept { return id_; }  // 0: not told
  [[nodiscard]] bool subscribed() const noexcept { return subscribed_; }
  [[nodiscard]] const server_identity& identity() const noexcept { return identity_; }

 private:
  enum class step : unsigned char { hello, auth, name, select, subscribe, second, identify };
  verdict refuse(const resp::value& reply);
  bool read_identity(const resp::value& reply);

  const settings* how_;
  int version_;
  std::string inbox_;
  std::string common_;
  std::vector<step> steps_;
  std::size_t at_ = 0;
  std::int64_t id_ = 0;
  bool subscribed_ = false;
  server_identity identity_;
  failure problem_{};
};

}  // namespace holdfast::net
