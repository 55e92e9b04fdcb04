// What the man pages say about settings, and the words of holdfast(1) that belong to no verb.
//
// A test compares the keys with those that the library reads (tests/cli/man_test.cpp).
#pragma once

#include "verb.hpp"

#include <array>
#include <string>
#include <string_view>

namespace holdfast::cli {

struct setting_text {
  std::string_view key;
  std::string_view standard;  // the default; empty: none
  std::string_view meaning;
};

inline constexpr std::array<setting_text, 24> setting_texts{{
    {"url", "the user's private Redis",
     "where Redis is: redis://, rediss://, unix://, redis+sentinel://, redis+cluster:// or redis+quorum://"},
    {"user", "", "ACL user, where it does not stand in the URL"},
    {"password", "", "its password"},
    {"database", "0", "index of the database"},
    {"connect_timeout", "5s", "how long a call puts up with having no connection"},
    {"command_timeout", "1s", "how long one command may stay unanswered; then the link is given up"},
    {"keep_alive", "5s", "an idle connection is probed this often"},
    {"protocol", "auto", "RESP version: auto, 2 or 3"},
    {"max_in_flight", "4096", "commands on the wire at once; further callers wait"},
    {"client_name", "holdfast-cli", "what CLIENT LIST shows"},
    {"prefix", "", "put before every lock's name to make its key"},
    {"spin", "on", "look for an answer up to 100 µs before sleeping over it; `off` where processor time is scarce"},
    {"scripts", "on", "`off` for servers that do not allow scripts: plain locks only, and waiters poll"},
    {"replicas", "0", "so many replicas, or `majority`, must have a lock before it counts as taken"},
    {"sentinel_user", "", "ACL user of the Sentinels"},
    {"sentinel_password", "", "their password; Redis's own is never sent to them"},
    {"sentinel_tls", "as the URL", "`yes` or `no`: the Sentinels speak TLS, whatever Redis does"},
    {"max_ttl", "30s", "of a quorum: its longest ttl; all clients must say the same"},
    {"node_timeout", "50ms", "of a quorum: how long one node may take to answer"},
    {"tls_ca", "the system's", "certificate authorities, a file in PEM form"},
    {"tls_cert", "", "client certificate, a file in PEM form"},
    {"tls_key", "", "its key, a file in PEM form"},
    {"tls_server_name", "the host", "name to verify and to send as SNI"},
    {"tls_verify", "yes", "`no` accepts any certificate: for trials only"},
}};

// "HOLDFAST_TLS_CA"
[[nodiscard]] std::string environment_name(std::string_view key);

inline constexpr std::array<std::string_view, 4> overview_paragraphs{
    "`holdfast` takes locks that hold across machines: in cron, in CI, in deploy scripts. Locks live in a Redis that "
    "all hosts reach; every lock has an expiry, so none outlives a host that died; waiters are served in their order, "
    "and a release hands over to the first of them at once.",
    "The interface is that of flock(1) where both do the same. `holdfast run NAME -- COMMAND` takes the lock, runs the "
    "command and releases; when the lock is lost, the command is stopped before anybody else can have it.",
    "Which Redis: --url, else HOLDFAST_URL, else the configuration file. Where none of them names one, a redis-server "
    "is started for this user on this host, and found by all of the user's processes.",
    "A password belongs into HOLDFAST_PASSWORD or into a configuration file that others cannot read; in a URL on the "
    "command line, ps(1) shows it to everybody."};

inline constexpr std::array<manual::exit_status, 12> overview_exits{{
    {"0", "done"},
    {"1", "not acquired: held by another, or the wait was over; of some verbs: see their pages"},
    {"64", "wrong usage, or a setting that cannot be understood"},
    {"65", "the key holds something that is no lock"},
    {"69", "Redis cannot be reached, or cannot serve now"},
    {"70", "a failure of the system: no memory, a full disk"},
    {"76", "what answers is no Redis"},
    {"77", "refused: password, ACL or certificate"},
    {"79", "the lock was lost while it was held"},
    {"126", "of run: the command cannot be executed"},
    {"127", "of run: there is no such command"},
    {"128+n", "of run: signal n ended the command"},
}};

}  // namespace holdfast::cli
