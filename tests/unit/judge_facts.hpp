// A healthy deployment as facts, to make one thing of it bad at a time. For the tests of src/doctor.
#pragma once

#include "doctor/judge.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <map>
#include <string>

namespace holdfast::doctor {

using namespace std::chrono_literals;

inline std::map<std::string, std::string> healthy_info() {
  return {{"redis_version", "7.2.4"},
          {"cluster_enabled", "0"},
          {"connected_clients", "5"},
          {"maxclients", "10000"},
          {"used_memory", "1000000"},
          {"maxmemory", "100000000"},
          {"maxmemory_policy", "noeviction"},
          {"total_system_memory", "8000000000"},
          {"aof_enabled", "1"},
          {"rdb_last_bgsave_status", "ok"},
          {"aof_last_write_status", "ok"},
          {"aof_last_bgrewrite_status", "ok"},
          {"role", "master"},
          {"connected_slaves", "1"},
          {"slave0", "ip=10.0.0.2,port=6379,state=online,offset=14,lag=1"},
          {"min_slaves_good_slaves", "1"}};
}

inline info info_of(const std::map<std::string, std::string>& fields) {
  std::string text = "# Server\r\n";
  for (const auto& [name, value] : fields) text.append(name).append(":").append(value).append("\r\n");
  return info{text};
}

inline info info_with(const std::map<std::string, std::string>& changes) {
  auto fields = healthy_info();
  for (const auto& [name, value] : changes) fields[name] = value;
  return info_of(fields);
}

// Answers to TIME every 50 ms, each 1 ms under way, the server reading its clock in the middle.
inline std::vector<clock_sample> even_clock(std::size_t count = 20, std::chrono::microseconds ahead = 0us) {
  std::vector<clock_sample> out;
  const auto start = std::chrono::microseconds{1'794'000'000'000'000};
  for (std::size_t i = 0; i < count; ++i) {
    const auto at = 50ms * i;
    const runtime::time_point sent{10s + at};
    out.push_back({sent, sent + 1ms, start + ahead + at + 500us, start + at + 1ms});
  }
  return out;
}

inline facts healthy() {
  facts seen;
  seen.info.value = info_of(healthy_info());
  seen.config.value = config_values{{"appendfsync", "always"},
                                    {"save", "3600 1"},
                                    {"stop-writes-on-bgsave-error", "yes"},
                                    {"min-replicas-to-write", "1"},
                                    {"timeout", "0"},
                                    {"tcp-keepalive", "300"},
                                    {"slowlog-log-slower-than", "10000"},
                                    {"busy-reply-threshold", "5000"},
                                    {"lua-time-limit", "5000"},
                                    {"maxclients", "10000"}};
  seen.clock = even_clock();
  seen.round_trips.assign(100, 1ms);
  seen.slow_log.value.emplace();
  seen.rights.value = rights_seen{.user = "app"};
  seen.protocol = 3;
  seen.prefix = "app:";
  return seen;
}

inline facts with_info(const std::map<std::string, std::string>& changes) {
  facts seen = healthy();
  seen.info.value = info_with(changes);
  return seen;
}

inline facts with_config(const std::string& name, const std::string& value) {
  facts seen = healthy();
  (*seen.config.value)[name] = value;
  return seen;
}

// The finding of that id, of all that judge() finds.
inline finding found(const facts& seen, std::string_view id) {
  for (const finding& each : judge(seen)) {
    if (each.id == id) return each;
  }
  ADD_FAILURE() << "no finding " << id;
  return {};
}

inline void expect(const facts& seen, std::string_view id, severity how_bad, std::string_view word = {}) {
  const finding got = found(seen, id);
  EXPECT_EQ(to_string(got.how_bad), to_string(how_bad)) << id << ": " << got.seen;
  const std::string all = got.seen + "|" + got.why + "|" + got.fix;
  EXPECT_NE(all.find(word), std::string::npos) << word << " is not in: " << all;
  EXPECT_EQ(got.why.empty(), how_bad == severity::fine) << all;
  EXPECT_EQ(got.fix.empty(), how_bad == severity::fine) << all;
  EXPECT_TRUE(got.known);
}

}  // namespace holdfast::doctor
