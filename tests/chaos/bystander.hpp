// What the chaos tests share: an outsider that wants the same key, and short settings.
//
// The bystander is the witness of exclusion. It talks to the server directly (never through the gate) and tries to take
// the key with a plain SET NX, as any other program may, until it has it; then it keeps it. The time it notes is read
// after the server's answer, so "earlier than the loss signal" is proof that the server gave the lock away too soon.
// Thread safety: start and stop from one thread; got() from any.
#pragma once

#include <gtest/gtest.h>
#include <holdfast/holdfast.hpp>

#include <atomic>
#include <chrono>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "scripts/sources.hpp"
#include "support/boottime.hpp"
#include "support/eventually.hpp"
#include "support/left_behind.hpp"
#include "support/redis_server.hpp"

namespace holdfast::test {

class bystander {
 public:
  bystander(const redis_server& server, std::string key) : connection_{server.connect()}, key_{std::move(key)} {
    thread_ = std::jthread{[this](const std::stop_token& stop) { run(stop); }};
  }
  ~bystander() { leave(); }
  bystander(const bystander&) = delete;
  bystander& operator=(const bystander&) = delete;

  // When it got the lock, on CLOCK_BOOTTIME; nothing yet.
  [[nodiscard]] std::optional<std::int64_t> got() const {
    const auto at = got_.load();
    return at == 0 ? std::nullopt : std::optional{at};
  }
  [[nodiscard]] bool gets_it_within(std::chrono::milliseconds limit) const {
    return eventually(limit, [this] { return got().has_value(); });
  }
  // Stops trying and gives back what it has.
  void leave() {
    if (!thread_.joinable()) return;
    thread_.request_stop();
    thread_.join();
    if (got()) connection_.command({"DEL", key_});
  }

 private:
  void run(const std::stop_token& stop) {
    while (!stop.stop_requested()) {
      if (connection_.command({"SET", key_, "bystander", "NX", "PX", "60000"}).text == "OK") {
        got_ = boottime_ns();
        return;
      }
      std::this_thread::sleep_for(std::chrono::milliseconds{1});
    }
  }

  redis_connection connection_;
  std::string key_;
  std::atomic<std::int64_t> got_{0};
  std::jthread thread_;
};

// Notes when the holder was told of the loss: by the callback and by the token, on CLOCK_BOOTTIME.
struct loss_note {
  std::atomic<std::int64_t> by_callback{0};
  std::atomic<std::int64_t> by_token{0};
  std::atomic<int> cause{-1};

  [[nodiscard]] std::function<void(const loss&)> callback() {
    return [this](const loss& what) {
      cause = static_cast<int>(what.cause);
      by_callback = boottime_ns();
    };
  }
};

// Quiet, and with time limits that make a fault cost little.
inline settings quick(const std::string& url) {
  auto how = settings::from_url(url).value();
  how.command_timeout = std::chrono::milliseconds{200};
  how.connect_timeout = std::chrono::milliseconds{500};
  how.on_warning = [](const warning&) {};
  return how;
}

// So that the first use of a script is one request, like every other.
inline void load_scripts(redis_server& server) {
  for (const auto* each : {&scripts::acquire, &scripts::renew, &scripts::release}) {
    server.text({"SCRIPT", "LOAD", std::string{each->source}});
  }
}

}  // namespace holdfast::test
