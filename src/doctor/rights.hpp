// The rights that a user needs for locks, as docs/operate.md lists them, and how each is asked for. Pure.
#pragma once

#include <holdfast/settings.hpp>

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace holdfast::doctor {

enum class need : unsigned char {
  needed,    // without it some call is refused
  messages,  // without it waiters poll
  nicety,    // without it something is less convenient
};

struct right {
  std::string word;  // as in an ACL line: "+get", "~app:*", "&holdfast:inbox:*"
  need how_much;
  std::string without{};             // what happens then, for those that are not needed
  std::vector<std::string> trial{};  // a command that needs this right, harmless if it were run
  bool only_asked = false;           // … but not on a connection that others use: only by ACL DRYRUN
  bool outside = false;              // the library sends it by itself, not in a script
};

// The keys of a made-up lock and a channel that nobody hears, on which rights are tried.
struct trial_ground {
  std::string prefix;
  std::string lock;
  std::string waiters;
  std::string seen;
  std::string note;
  std::string fence;
  std::string inbox;
  std::string shard;  // the sharded channel in the lock's slot
};
[[nodiscard]] trial_ground make_trial_ground(std::string_view prefix, std::string_view random);

// `scripts`: the setting; off needs others.
[[nodiscard]] std::vector<right> all_rights(const trial_ground& ground, int database, std::string_view client_name,
                                            bool scripts = true);

// Those that a user needs in a Redis Cluster, beside all of the above.
[[nodiscard]] std::vector<right> cluster_rights(const trial_ground& ground);
// Likewise on each node of a quorum, where without INFO nobody could tell that it restarted.
[[nodiscard]] std::vector<right> quorum_rights(const trial_ground& ground);
// All of them, on one node of that deployment.
[[nodiscard]] std::vector<right> rights_on(deployment as, const trial_ground& ground, int database,
                                           std::string_view client_name, bool scripts);

// What an answer to ACL DRYRUN, or a refusal of the command itself, says about the right.
enum class verdict : unsigned char { allowed, missing, unknown };
[[nodiscard]] verdict read_dryrun(const right& about, std::string_view answer);
[[nodiscard]] verdict read_refusal(const right& about, std::string_view error);

}  // namespace holdfast::doctor
