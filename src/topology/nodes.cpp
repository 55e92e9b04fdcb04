#include "topology/nodes.hpp"

#include <algorithm>

namespace holdfast::topology {

using runtime::time_point;

nodes::nodes(const settings& how, const std::string& inbox, const std::string& common, net::connection_events& owner,
             runtime::timer_queue& timers, runtime::random_source& random, const std::function<void()>& wake) {
  all_.push_back(std::make_unique<net::connection>(how, inbox, common, owner, timers, random, wake));
}

nodes::~nodes() = default;

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
