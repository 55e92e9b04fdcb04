#include "topology/nodes.hpp"

#include "topology/hosts.hpp"
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

struct nodes::quiet_owner final : quiet_events {
  using quiet_events::quiet_events;
};

nodes::nodes(const settings& how, const std::string& inbox, const std::string& common, node_events& owner,
             runtime::timer_queue& timers, runtime::random_source& random, const std::function<void()>& wake) {
  const auto make = [this, inbox, common, &timers, &random, wake](const settings& where, net::connection_events& tells,
                                                                  bool hears = true,
                                                                  bool identifies = false) -> net::connection& {
    all_.push_back(std::make_unique<net::connection>(where, find(where), hears ? inbox : std::string{},
                                                     hears ? common : std::string{}, tells, timers, random, wake,
                                                     identifies));
    return *all_.back();
  };
  quiet_ = std::make_unique<quiet_owner>(owner);
  make_waiting_ = [this, make, &how]() -> net::connection& { return make(how, *quiet_, false); };
  switch (how.deployment) {
    case deployment::single:
    case deployment::sentinel:
      make(how, owner);
      break;
    case deployment::cluster:
      cluster_ = std::make_unique<cluster>(how, owner, timers, random, make);
      break;
    case deployment::quorum:
      for (const endpoint& each : how.hosts) {
        make(*quorum_.emplace_back(std::make_unique<settings>(at_host(how, each))), owner, true, true);
      }
      break;
  }
}

nodes::~nodes() = default;

net::connection& nodes::of(std::string_view key) const noexcept {
  if (cluster_) return cluster_->of(key);
  if (!is_quorum()) return *all_.front();
  const auto up = std::find_if(all_.begin(), all_.end(), [](const auto& each) { return each->ready(); });
  return up == all_.end() ? *all_.front() : **up;
}

bool nodes::reaches(std::string_view key) const noexcept {
  if (!is_quorum()) return of(key).ready();
  const auto up = std::count_if(all_.begin(), all_.end(), [](const auto& each) { return each->ready(); });
  return static_cast<std::size_t>(up) > all_.size() / 2;
}

bool nodes::sends(std::string_view key) const noexcept { return is_quorum() ? any_ready() : of(key).ready(); }

bool nodes::hears(std::string_view key) const noexcept {
  if (!is_quorum()) return of(key).has_inbox();
  return std::any_of(all_.begin(), all_.end(), [](const auto& each) { return each->has_inbox(); });
}

bool nodes::concerns(const net::connection& which, std::string_view key) const noexcept {
  return is_quorum() || &of(key) == &which;
}

void nodes::open(time_point now) {
  if (cluster_) return cluster_->open(now);
  for (const auto& each : all_) each->open(now);
}

void nodes::close(const failure& why, time_point now) {
  if (cluster_) cluster_->close(why, now);
  for (std::size_t i = 0; i < all_.size(); ++i) all_[i]->close(why, now);
}

void nodes::submit(net::request& what, time_point now) {
  if (what.only_at != nullptr) return what.only_at->submit(what, now);
  // A new attempt: what an earlier one, that was given up, met on its way does not count.
  what.redirections = 0;
  what.turned_away_at = {};
  if (cluster_) return cluster_->submit(what, now);
  (what.blocks ? waiting({}) : of(what.routed_by())).submit(what, now);
}

bool nodes::is_twin(std::size_t which) const noexcept {
  const std::string& mine = at(which).identity().run_id;
  if (mine.empty()) return false;
  const auto end = all_.begin() + static_cast<std::ptrdiff_t>(which);
  return std::any_of(all_.begin(), end, [&](const auto& each) { return each->identity().run_id == mine; });
}

std::vector<net::connection*> nodes::primaries() const {
  if (cluster_) return cluster_->primaries();
  std::vector<net::connection*> out;
  for (const auto& each : all_) {
    if (each.get() != waiting_) out.push_back(each.get());
  }
  return out;
}

net::connection& nodes::waiting(std::string_view key) {
  if (cluster_) return cluster_->waiting(key);
  if (waiting_ == nullptr) waiting_ = &make_waiting_();
  return *waiting_;
}

int& nodes::seen(std::string_view key) const noexcept {
  return cluster_ ? cluster_->replicas_seen(key) : replicas_seen_;
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
