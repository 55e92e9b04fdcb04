#include "topology/nodes.hpp"

#include <algorithm>
#include <utility>

namespace holdfast::topology {

using runtime::time_point;

nodes::nodes(const settings& how, const std::string& inbox, const std::string& common, net::connection_events& owner,
             runtime::timer_queue& timers, runtime::random_source& random, const std::function<void()>& wake) {
  if (how.quorum.empty()) {
    all_.push_back(std::make_unique<net::connection>(how, inbox, common, owner, timers, random, wake));
  }
  for (const node_address& where : how.quorum) {
    auto& one = *each_.emplace_back(std::make_unique<settings>(how));
    one.quorum.clear();
    one.host = where.host;
    one.port = where.port;
    all_.push_back(std::make_unique<net::connection>(one, inbox, common, owner, timers, random, wake, true));
  }
}

nodes::~nodes() = default;

const net::connection& nodes::of(std::string_view /*key*/) const noexcept {
  const auto up = std::find_if(all_.begin(), all_.end(), [](const auto& each) { return each->ready(); });
  return up == all_.end() ? *all_.front() : **up;
}

net::connection& nodes::of(std::string_view key) noexcept {
  return const_cast<net::connection&>(std::as_const(*this).of(key));
}

bool nodes::reaches(std::string_view /*key*/) const noexcept {
  const auto up = std::count_if(all_.begin(), all_.end(), [](const auto& each) { return each->ready(); });
  return static_cast<std::size_t>(up) > all_.size() / 2;
}

bool nodes::sends(std::string_view /*key*/) const noexcept { return any_ready(); }

bool nodes::hears(std::string_view /*key*/) const noexcept {
  return std::any_of(all_.begin(), all_.end(), [](const auto& each) { return each->has_inbox(); });
}

bool nodes::concerns(const net::connection& which, std::string_view key) const noexcept {
  return is_quorum() || &of(key) == &which;
}

void nodes::open(time_point now) {
  for (const auto& each : all_) each->open(now);
}

void nodes::close(const failure& why, time_point now) {
  for (const auto& each : all_) each->close(why, now);
}

bool nodes::any_ready() const noexcept {
  return std::any_of(all_.begin(), all_.end(), [](const auto& each) { return each->ready(); });
}

bool nodes::expects() const noexcept {
  return std::any_of(all_.begin(), all_.end(), [](const auto& each) { return each->expects(); });
}

bool nodes::unsent() const noexcept {
  return std::any_of(all_.begin(), all_.end(), [](const auto& each) { return each->unsent(); });
}

void nodes::flush(std::unique_lock<std::mutex>& guard) {
  for (const auto& each : all_) each->flush(guard);
}

void nodes::fill_ready(std::vector<pollfd>& entries) const {
  for (const auto& each : all_) {
    if (each->ready()) each->fill(entries);
  }
}

void nodes::fill_attempts(std::vector<pollfd>& entries) const {
  for (const auto& each : all_) {
    if (each->attempting()) each->fill(entries);
  }
}

void nodes::service(std::unique_lock<std::mutex>& guard, std::span<const pollfd> entries) {
  for (const auto& each : all_) each->service(guard, entries);
}

void nodes::advance(std::unique_lock<std::mutex>& guard) {
  for (const auto& each : all_) each->advance(guard);
}

bool nodes::service_waiting(std::unique_lock<std::mutex>& guard) {
  return all_.size() == 1 && all_.front()->service_waiting(guard);
}

}  // namespace holdfast::topology
