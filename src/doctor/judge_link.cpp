// Between us and the server: round trips, and what closes or refuses connections.
#include "doctor/judge.hpp"
#include "doctor/text.hpp"

#include <algorithm>
#include <cmath>

namespace holdfast::doctor {

using std::chrono::nanoseconds;
using std::chrono::seconds;

nanoseconds quantile(std::vector<nanoseconds> of, double share) {
  const auto rank = static_cast<std::size_t>(std::ceil(share * static_cast<double>(of.size())));
  const std::size_t at = rank == 0 ? 0 : std::min(rank, of.size()) - 1;
  std::nth_element(of.begin(), of.begin() + static_cast<std::ptrdiff_t>(at), of.end());
  return of[at];
}

opinion judge_round_trip(const facts& seen) {
  if (seen.round_trips.empty()) return std::nullopt;
  const nanoseconds middle = quantile(seen.round_trips, 0.5);
  const nanoseconds high = quantile(seen.round_trips, 0.99);
  std::string figure = "p50 " + time_text(middle) + ", p99 " + time_text(high) + " over " +
                       std::to_string(seen.round_trips.size()) + " PINGs";
  if (seen.lost_pings != 0) figure += ", " + std::to_string(seen.lost_pings) + " unanswered";
  std::string why;
  std::string fix;
  if (seen.lost_pings != 0) {
    why = "commands go unanswered, renewals among them";
    fix = "look at the network and at SLOWLOG GET 10";
  } else if (high * 2 >= seen.command_timeout) {
    why = "p99 is half of command_timeout (" + time_text(seen.command_timeout) +
          ") or more: healthy connections will be given up";
    fix = "HOLDFAST_COMMAND_TIMEOUT=" + std::to_string(std::chrono::ceil<std::chrono::milliseconds>(high * 4).count()) +
          "ms, or a Redis that is nearer";
  } else if (high * 10 >= seen.ttl) {
    why =
        "p99 is a tenth of the ttl (" + time_text(seen.ttl) + ") or more: renewals leave little time for a second try";
    fix = "use a ttl of " + std::to_string(std::chrono::ceil<seconds>(high * 30).count()) + "s or more";
  }
  return finding{why.empty() ? severity::fine : severity::warning, "round_trip", std::move(figure), std::move(why),
                 std::move(fix)};
}

opinion judge_idle_timeout(const facts& seen) {
  const auto timeout = seen.config_number("timeout");
  if (!timeout) return std::nullopt;
  if (*timeout == 0) return finding{severity::fine, "idle_timeout", "timeout is 0: idle connections stay"};
  const std::string figure =
      "timeout is " + std::to_string(*timeout) + " s, keep_alive is " + time_text(seen.keep_alive);
  if (seconds{*timeout} > seen.keep_alive) return finding{severity::fine, "idle_timeout", figure};
  return finding{severity::warning, "idle_timeout", figure,
                 "Redis closes our connection before we probe it: the next lock or renewal has to connect first",
                 "CONFIG SET timeout 0; or HOLDFAST_KEEP_ALIVE=" +
                     std::to_string(std::max<std::int64_t>(*timeout * 500, 100)) + "ms here"};
}

opinion judge_tcp_keepalive(const facts& seen) {
  const auto interval = seen.config_number("tcp-keepalive");
  if (!interval) return std::nullopt;
  if (*interval != 0)
    return finding{severity::fine, "tcp_keepalive", "tcp-keepalive is " + std::to_string(*interval) + " s"};
  return finding{
      severity::notice, "tcp_keepalive", "tcp-keepalive is 0",
      "connections of hosts that died stay for ever: they count against maxclients, and a lock is offered to "
      "their waiters in vain",
      "CONFIG SET tcp-keepalive 300"};
}

opinion judge_client_limit(const facts& seen) {
  constexpr double many = 0.75;
  constexpr double nearly_all = 0.90;
  if (!seen.info.value) return std::nullopt;
  const auto connected = seen.info.value->number("connected_clients");
  auto most = seen.info.value->number("maxclients");
  if (!most) most = seen.config_number("maxclients");
  if (!connected || !most || *most <= 0) return std::nullopt;
  const double share = static_cast<double>(*connected) / static_cast<double>(*most);
  const std::string figure =
      std::to_string(*connected) + " of maxclients " + std::to_string(*most) + " connected, " + percent_text(share);
  if (share < many) return finding{severity::fine, "client_limit", figure};
  return finding{share >= nearly_all ? severity::danger : severity::warning, "client_limit", figure,
                 "when all are taken, Redis turns away whoever wants a lock, and whoever reconnects to renew one",
                 "CONFIG SET maxclients " + std::to_string(std::max<std::int64_t>(*most * 2, 1000)) +
                     "; CLIENT LIST shows who is connected"};
}

opinion judge_protocol(const facts& seen) {
  if (seen.protocol >= 3) return finding{severity::fine, "protocol", "RESP3, messages and commands on one connection"};
  return finding{severity::notice, "protocol", "RESP2",
                 "messages need a second connection for each client; twice as many count against maxclients",
                 "use Redis 6 or later, allow +hello, and leave HOLDFAST_PROTOCOL unset"};
}

}  // namespace holdfast::doctor
