#include "topology/sentinel_finder.hpp"

#include "runtime/quiet_thread.hpp"
#include "topology/hosts.hpp"
#include "topology/sentinel_link.hpp"
#include "topology/text.hpp"

#include <poll.h>

#include <algorithm>
#include <utility>

namespace holdfast::topology {

using runtime::boot_clock;
using runtime::time_point;

namespace {

// The Sentinels' own credentials and transport; host, port and the rest as for Redis.
settings for_sentinel(const settings& how, const endpoint& where) {
  settings out = at_host(how, where);
  out.user = how.sentinel_user;
  out.password = how.sentinel_password;
  const bool tls = how.sentinel_tls.value_or(how.transport == transport::tls);
  out.transport = tls ? transport::tls : transport::tcp;
  return out;
}

}  // namespace

sentinel_finder::sentinel_finder(const settings& how) : how_{how}, choice_{how.hosts, how.primary_name} {}

sentinel_finder::~sentinel_finder() {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard guard{mutex_};
    ending_ = true;
  }
  wake_.raise();
  thread_.join();
}

void sentinel_finder::start(std::function<void()> wake) {
  {
    const std::lock_guard guard{mutex_};
    tell_ = std::move(wake);
    choice_.ask(boot_clock::now());
    outdated_ = false;
    asked_ = true;
  }
  found_.reset();
  // Only now: a client that is never used costs no thread.
  if (!thread_.joinable()) thread_ = runtime::start_quiet_thread([this] { run(); });
  wake_.raise();
}

std::optional<result<net::found>> sentinel_finder::poll() {
  if (!found_) {
    std::function<void()> wake;
    {
      const std::lock_guard guard{mutex_};
      const auto chosen = choice_.choose(boot_clock::now());
      if (!chosen) return std::nullopt;
      if (!*chosen) return result<net::found>{chosen->failure()};
      found_ = **chosen;
      wake = tell_;
    }
    resolver_.start(found_->host, found_->port, std::move(wake));
  }
  auto addresses = resolver_.poll();
  if (!addresses) return std::nullopt;
  const endpoint where = *std::exchange(found_, std::nullopt);
  if (!*addresses) return result<net::found>{addresses->failure()};
  return result<net::found>{net::found{where, std::move(**addresses)}};
}

bool sentinel_finder::outdated() { return outdated_; }

std::string sentinel_finder::unfinished() const {
  return "the Sentinels did not say in time where the primary " + quoted(how_.primary_name) + " is";
}

// Wakes the connection; outside the mutex, since it may ask back at once.
void sentinel_finder::tell() {
  std::function<void()> wake;
  {
    const std::lock_guard guard{mutex_};
    wake = tell_;
  }
  if (wake) wake();
}

void sentinel_finder::run() {
  std::vector<std::unique_ptr<sentinel_link>> links;
  for (const endpoint& each : how_.hosts) {
    links.push_back(
        std::make_unique<sentinel_link>(for_sentinel(how_, each), how_.primary_name, [this] { wake_.raise(); }));
  }
  runtime::alarm_clock alarm;
  std::vector<pollfd> entries;
  std::vector<sentinel_word> heard;
  time_point limit = runtime::never;
  for (;;) {
    const time_point now = boot_clock::now();
    bool ask = false;
    {
      const std::lock_guard guard{mutex_};
      if (ending_) return;
      ask = std::exchange(asked_, false);
      if (ask) limit = choice_.limit();
    }
    // When the limit of a question has passed, what has been heard must do.
    bool news = now >= limit;
    if (news) limit = runtime::never;
    time_point until = limit;
    for (std::size_t i = 0; i < links.size(); ++i) {
      if (ask) links[i]->ask(now);
      links[i]->advance(now, heard);
      until = std::min(until, links[i]->wake_at());
      if (heard.empty()) continue;
      news = true;
      const std::lock_guard guard{mutex_};
      for (sentinel_word& word : heard) {
        if (auto* const primary = std::get_if<std::optional<endpoint>>(&word)) {
          *primary ? choice_.named(i, **primary) : choice_.knows_nothing(i);
        } else if (const auto* const moved = std::get_if<primary_switch>(&word)) {
          choice_.switched(i, *moved);
        } else {
          choice_.failed(i, std::move(std::get<failure>(word)));
        }
      }
      outdated_ = choice_.outdated();
      heard.clear();
    }
    if (news) tell();

    entries.assign({{wake_.fd(), POLLIN, 0}, {alarm.fd(), POLLIN, 0}});
    for (const auto& each : links) each->fill(entries);
    alarm.set(until);
    ::poll(entries.data(), entries.size(), -1);
    if (entries[0].revents != 0) wake_.lower();
  }
}

}  // namespace holdfast::topology
