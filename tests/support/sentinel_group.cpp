// Implements sentinel and sentinel_group.
#include "support/sentinel_group.hpp"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <stdexcept>

#include "support/eventually.hpp"
#include "support/loopback.hpp"

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;

constexpr auto start_limit = 10s;
constexpr auto answer_limit = 5s;
constexpr auto settle_limit = 60s;  // what a broken deployment costs

}  // namespace

sentinel::sentinel(std::uint16_t port, const std::vector<std::string>& lines, sentinel_options options)
    : options_{std::move(options)} {
  for (int attempt = 1;; ++attempt) {
    port_ = free_port();
    std::ofstream out{dir_.file("sentinel.conf")};
    out << "bind 127.0.0.1\nprotected-mode no\ndaemonize no\ndir " << dir_.path().string() << "\nlogfile "
        << dir_.file("sentinel.log") << "\n";
    if (options_.tls) {
      out << "port 0\ntls-port " << port_ << "\ntls-cert-file " << options_.tls->certificate << "\ntls-key-file "
          << options_.tls->key << "\ntls-ca-cert-file " << options_.tls->authority
          << "\ntls-auth-clients no\ntls-replication yes\n";
    } else {
      out << "port " << port_ << "\n";
    }
    if (!options_.password.empty()) out << "requirepass " << options_.password << "\n";
    out << "sentinel monitor locks 127.0.0.1 " << port << " 2\n";
    for (const auto& line : lines) out << line << "\n";
    for (const auto& line : options_.config) out << line << "\n";
    if (!out.flush()) throw std::runtime_error{"cannot write " + dir_.file("sentinel.conf")};
    out.close();
    process_.emplace(std::vector<std::string>{"redis-server", dir_.file("sentinel.conf"), "--sentinel"},
                     process_options{.merge_stderr = true});
    const bool settled = eventually(start_limit, [this] {
      if (!process_->running()) return true;
      if (options_.tls) return log().find("+monitor") != std::string::npos;
      try {
        return connect().text({"PING"}) == "PONG";
      } catch (const redis_error&) {
        return false;
      }
    });
    if (settled && process_->running()) return;
    if (attempt == 20) throw std::runtime_error{"a Sentinel did not start: " + log() + process_->read_rest(1s)};
  }
}

sentinel::~sentinel() = default;

void sentinel::kill() { process_.reset(); }

redis_connection sentinel::connect() const {
  auto made = redis_connection::tcp(port_, answer_limit);
  if (!options_.password.empty()) (void)made.text({"AUTH", options_.password});
  return made;
}

std::uint16_t sentinel::primary() const {
  const auto address = connect().list({"SENTINEL", "GET-MASTER-ADDR-BY-NAME", "locks"});
  return static_cast<std::uint16_t>(std::stoi(address.at(1)));
}

std::string sentinel::field(const std::string& name) const {
  const auto all = connect().list({"SENTINEL", "MASTER", "locks"});
  for (std::size_t i = 0; i + 1 < all.size(); i += 2) {
    if (all[i] == name) return all[i + 1];
  }
  return {};
}

std::string sentinel::log() const {
  std::ifstream in{dir_.file("sentinel.log")};
  return {std::istreambuf_iterator<char>{in}, {}};
}

sentinel_group::sentinel_group(sentinel_group_options options) {
  servers_.push_back(std::make_unique<redis_server>(options.redis));
  for (std::size_t i = 0; i < options.replicas; ++i) {
    redis_options replica = options.redis;
    replica.replica_of = servers_[0]->port();
    servers_.push_back(std::make_unique<redis_server>(replica));
  }
  wait_for_replicas();
  // A second without an answer is a long time on loopback, also on a machine that is busy.
  std::vector<std::string> lines{"sentinel down-after-milliseconds locks 1000", "sentinel failover-timeout locks 5000",
                                 "sentinel parallel-syncs locks 5"};
  lines.insert(lines.end(), options.watch_lines.begin(), options.watch_lines.end());
  for (std::size_t i = 0; i < options.sentinels; ++i) {
    sentinels_.push_back(std::make_unique<sentinel>(servers_[0]->port(), lines, options.sentinel));
  }
  if (!options.sentinel.tls) settle();
}

void sentinel_group::settle() {
  const bool settled = eventually(settle_limit, [this] {
    return std::all_of(sentinels_.begin(), sentinels_.end(), [this](const auto& each) {
      return each->field("num-slaves") == std::to_string(servers_.size() - 1) &&
             each->field("num-other-sentinels") == std::to_string(sentinels_.size() - 1);
    });
  });
  if (!settled) throw std::runtime_error{"the Sentinels did not find each other: " + sentinels_[0]->log()};
}

void sentinel_group::wait_for_replicas() {
  auto& from = sentinels_.empty() ? *servers_[0] : primary();
  const bool settled = eventually(settle_limit, [&] {
    const std::string info = from.text({"INFO", "replication"});
    std::size_t online = 0;
    for (auto at = info.find("state=online"); at != std::string::npos; at = info.find("state=online", at + 1)) ++online;
    const auto live = std::count_if(servers_.begin(), servers_.end(), [](const auto& each) { return each->pid() > 0; });
    return static_cast<std::ptrdiff_t>(online) + 1 >= live;
  });
  if (!settled) throw std::runtime_error{"the replicas did not come into step: " + from.log()};
}

std::string sentinel_group::url(const std::string& user, const std::string& rest) const {
  std::string hosts;
  for (const auto& each : sentinels_)
    hosts += (hosts.empty() ? "127.0.0.1:" : ",127.0.0.1:") + std::to_string(each->port());
  return "redis+sentinel://" + user + hosts + "/locks" + rest;
}

redis_server& sentinel_group::primary(std::size_t by_sentinel) {
  const std::uint16_t port = sentinels_[by_sentinel]->primary();
  const auto at =
      std::find_if(servers_.begin(), servers_.end(), [port](const auto& each) { return each->port() == port; });
  if (at == servers_.end()) throw std::runtime_error{"a Sentinel names a server that is not ours"};
  (*at)->hang_up();
  return **at;
}

void sentinel_group::fail_over() {
  const std::uint16_t before = primary().port();
  (void)sentinels_[0]->connect().text({"SENTINEL", "FAILOVER", "locks"});
  wait_for_other_than(before);
}

void sentinel_group::wait_for_other_than(std::uint16_t port) {
  const bool moved = eventually(settle_limit, [&] {
    return std::all_of(sentinels_.begin(), sentinels_.end(), [port](const auto& each) {
      try {
        return each->primary() != port;
      } catch (const redis_error&) {
        return true;  // it was killed
      }
    });
  });
  if (!moved) throw std::runtime_error{"no failover came about: " + sentinels_[0]->log()};
}

}  // namespace holdfast::test
