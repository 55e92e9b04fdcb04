#include "topology/nodes.hpp"

#include "topology/sentinel_finder.hpp"

#include <algorithm>
#include <utility>

namespace holdfast::topology {

using runtime::time_point;

namespace {

std::unique_ptr<net::finder> find(const settings& how) {
  if (how.deployment == deployment::sentinel) return std::make_unique<sentinel_finder>(how);
  return std::make_unique<net::direct_finder>(how);
}

}  // namespace

nodes::nodes(const settings& how, const std::string& inbox, const std::string& common, node_events& owner,
             runtime::timer_queue& timers, runtime::random_source& random, const std::function<void()>& wake) {
  const auto make = [this, inbox, common, &timers, &random, wake](const settings& where,
                                                                  net::connection_events& hears) -> net::connection& {
    all_.push_back(std::make_unique<net::connection>(where, find(where), inbox, common, hears, timers, random, wake));
    return *all_.back();
  };
  if (how.deployment == deployment::cluster) {
    cluster_ = std::make_unique<cluster>(how, owner, timers, random, make);
  } else {
    make(how, owner);
  }
}

nodes::~nodes() = default;

void nodes::open(time_point now) {
  if (cluster_) return cluster_->open(now);
  all_.front()->open(now);
}

void nodes::close(const failure& why, time_point now) {
  if (cluster_) cluster_->close(why, now);
  for (std::size_t i = 0; i < all_.size(); ++i) all_[i]->close(why, now);
}

void nodes::submit(net::request& what, time_point now) {
  if (what.only_at != nullptr) return what.only_at->submit(what, now);
  if (cluster_) return cluster_->submit(what, now);
  all_.front()->submit(what, now);
}

std::vector<net::connection*> nodes::primaries() const {
  if (cluster_) return cluster_->primaries();
  return {all_.front().get()};
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
  for (std::size_t i = 0; i < all_.size(); ++i) all_[i]->flush(guard);
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
  for (std::size_t i = 0; i < all_.size(); ++i) all_[i]->service(guard, entries);
}

void nodes::advance(std::unique_lock<std::mutex>& guard) {
  for (std::size_t i = 0; i < all_.size(); ++i) all_[i]->advance(guard);
}

bool nodes::service_waiting(std::unique_lock<std::mutex>& guard) {
  if (all_.size() == 1) return all_.front()->service_waiting(guard);
  // Of several, the one that owes an answer; what the others have to tell can wait for so long.
  net::connection* only = nullptr;
  for (const auto& each : all_) {
    if (!each->expects()) continue;
    if (only != nullptr) return false;
    only = each.get();
  }
  return only != nullptr && only->service_waiting(guard);
}

}  // namespace holdfast::topology
