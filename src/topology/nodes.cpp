#include "topology/nodes.hpp"

#include "topology/sentinel_finder.hpp"

#include <utility>

namespace holdfast::topology {

using runtime::time_point;

nodes::nodes(const settings& how, const std::string& inbox, const std::string& common, net::connection_events& owner,
             runtime::timer_queue& timers, runtime::random_source& random, const std::function<void()>& wake)
    : how_{how}, owner_{owner}, timers_{timers}, random_{random}, wake_{wake} {
  all_.push_back(make(inbox, common));
}

nodes::~nodes() = default;

std::unique_ptr<net::connection> nodes::make(const std::string& inbox, const std::string& common) const {
  std::unique_ptr<net::finder> finder;
  if (how_.deployment == deployment::sentinel) {
    finder = std::make_unique<sentinel_finder>(how_);
  } else {
    finder = std::make_unique<net::direct_finder>(how_);
  }
  return std::make_unique<net::connection>(how_, std::move(finder), inbox, common, owner_, timers_, random_, wake_);
}

net::connection& nodes::waiting() {
  if (!waiting_) waiting_ = make({}, {});
  return *waiting_;
}

void nodes::open(time_point now) {
  for (const auto& each : all_) each->open(now);
}

void nodes::close(const failure& why, time_point now) {
  each([&](net::connection& one) { one.close(why, now); });
}

bool nodes::any_ready() const noexcept {
  return any([](const net::connection& one) { return one.ready(); });
}

bool nodes::expects() const noexcept {
  return any([](const net::connection& one) { return one.expects(); });
}

bool nodes::unsent() const noexcept {
  return any([](const net::connection& one) { return one.unsent(); });
}

void nodes::flush(std::unique_lock<std::mutex>& guard) {
  each([&](net::connection& one) { one.flush(guard); });
}

void nodes::fill_ready(std::vector<pollfd>& entries) const {
  each([&](const net::connection& one) {
    if (one.ready()) one.fill(entries);
  });
}

void nodes::fill_attempts(std::vector<pollfd>& entries) const {
  each([&](const net::connection& one) {
    if (one.attempting()) one.fill(entries);
  });
}

void nodes::service(std::unique_lock<std::mutex>& guard, std::span<const pollfd> entries) {
  each([&](net::connection& one) { one.service(guard, entries); });
}

void nodes::advance(std::unique_lock<std::mutex>& guard) {
  each([&](net::connection& one) { one.advance(guard); });
}

bool nodes::service_waiting(std::unique_lock<std::mutex>& guard) {
  return all_.size() == 1 && !waiting_ && all_.front()->service_waiting(guard);
}

}  // namespace holdfast::topology
