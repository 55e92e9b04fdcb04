// From facts to findings: everything that `doctor` decides. Pure, safe from any thread.
//
// One function per id; the warnings on connect (client/deployment_check) use three of them, so that both say the same.
// A new finding is a function here, its row in judge.cpp and one in docs/operate.md; a test compares the two lists.
#pragma once

#include "doctor/facts.hpp"

#include <holdfast/doctor.hpp>

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace holdfast::doctor {

// Every id once, in the order of finding_ids().
[[nodiscard]] std::vector<finding> judge(const facts& seen);
[[nodiscard]] std::vector<std::string_view> finding_ids();

// "redis 7.0.15", "valkey 8.0.1"; empty if INFO does not tell.
[[nodiscard]] std::string server_name(const info& from);

// From INFO alone: also told on connect. Nothing where INFO does not have the field.
[[nodiscard]] std::optional<finding> judge_eviction(const info& from);
[[nodiscard]] std::optional<finding> judge_role(const info& from);
// `config` may be null.
[[nodiscard]] std::optional<finding> judge_persistence(const info& from, const config_values* config);

// The rest. Nothing where the fact is missing; judge() says then that nobody knows, and why.
using opinion = std::optional<finding>;
[[nodiscard]] opinion judge_maxmemory(const facts& seen);
[[nodiscard]] opinion judge_save_errors(const facts& seen);
[[nodiscard]] opinion judge_replicas(const facts& seen);
[[nodiscard]] opinion judge_cluster(const facts& seen);
[[nodiscard]] opinion judge_quorum(const facts& seen);
[[nodiscard]] opinion judge_version(const facts& seen);
[[nodiscard]] opinion judge_clock_difference(const facts& seen);
[[nodiscard]] opinion judge_clock_steps(const facts& seen);
[[nodiscard]] opinion judge_acl(const facts& seen);
[[nodiscard]] opinion judge_round_trip(const facts& seen);
[[nodiscard]] opinion judge_slow_log(const facts& seen);
[[nodiscard]] opinion judge_busy_scripts(const facts& seen);
[[nodiscard]] opinion judge_idle_timeout(const facts& seen);
[[nodiscard]] opinion judge_tcp_keepalive(const facts& seen);
[[nodiscard]] opinion judge_client_limit(const facts& seen);
[[nodiscard]] opinion judge_protocol(const facts& seen);

// Instead of all others, of a node that could not be looked at. Its id is `reachable`, which is not among finding_ids().
[[nodiscard]] finding judge_unreachable(std::string_view why, deployment as);

// The share of sorted or unsorted durations below which `share` (0 to 1) of them lie, by nearest rank. Not empty.
[[nodiscard]] std::chrono::nanoseconds quantile(std::vector<std::chrono::nanoseconds> of, double share);

}  // namespace holdfast::doctor
