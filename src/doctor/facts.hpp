// What was seen of a deployment, before anything is concluded from it. Gathered by client/gather.cpp, judged by judge.hpp.
//
// Plain values. A question that the server refused has no value and says why not.
#pragma once

#include "doctor/info.hpp"
#include "runtime/clock.hpp"

#include <holdfast/replica_count.hpp>
#include <holdfast/settings.hpp>

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace holdfast::doctor {

template <class T>
struct asked {
  std::optional<T> value{};
  std::string why_not{};  // where there is no value
};

using config_values = std::map<std::string, std::string, std::less<>>;

// One answer to TIME: the server read its clock at some moment from `sent` to `received`.
struct clock_sample {
  runtime::time_point sent{};
  runtime::time_point received{};
  std::chrono::microseconds server{};  // since 1970
  std::chrono::microseconds host{};    // this host's wall clock at `received`
};

struct slow_command {
  std::chrono::seconds at{};  // server's clock, since 1970
  std::chrono::microseconds took{};
  std::string name;  // the first word alone: arguments may be secrets
};

// Rights as words of an ACL line: "+get", "~app:*". See rights.hpp.
struct rights_seen {
  std::string user;
  std::vector<std::string> missing{};
  std::vector<std::string> unknown{};  // could not be tried
  bool scripts = true;                 // the setting: which rights were looked for
};

struct facts {
  asked<doctor::info> info{};
  asked<config_values> config{};
  std::vector<clock_sample> clock{};
  std::string why_no_clock{};
  std::vector<std::chrono::nanoseconds> round_trips{};
  std::string why_no_ping{};
  unsigned lost_pings = 0;
  asked<std::vector<slow_command>> slow_log{};
  asked<rights_seen> rights{};
  int protocol = 0;  // RESP version spoken

  // Of the client that asks.
  deployment as = deployment::single;  // what it takes the server for one node of
  std::string same_as{};               // another node of the quorum that turned out to be this very server
  replica_count replicas{};            // that it waits for
  std::string prefix{};
  std::chrono::milliseconds command_timeout{1000};
  std::chrono::milliseconds keep_alive{5000};
  std::chrono::milliseconds ttl{30'000};

  // CONFIG's value of `name`; nothing where it was not told or, for the second, is not a number.
  [[nodiscard]] std::optional<std::string> config_text(std::string_view name) const {
    if (!config.value) return std::nullopt;
    const auto found = config.value->find(name);
    return found == config.value->end() ? std::nullopt : std::optional{found->second};
  }
  [[nodiscard]] std::optional<std::int64_t> config_number(std::string_view name) const {
    const auto text = config_text(name);
    return text ? as_number(*text) : std::nullopt;
  }
};

}  // namespace holdfast::doctor
