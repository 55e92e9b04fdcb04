// What the tests of this folder share: quiet settings for a server, and questions about a lock's queue.
//
// Thread safety: that of redis_server, one thread at a time.
#pragma once

#include <holdfast/holdfast.hpp>

#include <chrono>
#include <string>

#include "support/eventually.hpp"
#include "support/redis_server.hpp"

namespace holdfast::test {

using namespace std::chrono_literals;

// How long a test waits for what must happen: the cost of a failure, not a bar.
inline constexpr std::chrono::milliseconds patience{10'000};

// The URL alone, nothing of the environment, and no warnings on standard error (a test server keeps no data).
inline settings at(const std::string& url) {
  settings made = settings::from_url(url).value();
  made.on_warning = [](const warning&) {};
  return made;
}
inline settings at(const redis_server& server) { return at(server.url()); }

inline settings with_timeout(settings how, std::chrono::milliseconds command_timeout) {
  how.command_timeout = command_timeout;
  return how;
}

inline std::string waiters_of(const std::string& name) { return "{" + name + "}:waiters"; }

inline bool queue_reaches(redis_server& server, const std::string& name, long long length) {
  return eventually(patience, [&] { return server.number({"ZCARD", waiters_of(name)}) == length; });
}

inline bool key_goes(redis_server& server, const std::string& key) {
  return eventually(patience, [&] { return server.number({"EXISTS", key}) == 0; });
}

// Scripts run so far: what a lock operation costs at least one of.
inline long long scripts_run(redis_server& server) {
  return server.command_calls("evalsha") + server.command_calls("eval");
}

inline bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

inline std::chrono::nanoseconds since(std::chrono::steady_clock::time_point start) {
  return std::chrono::steady_clock::now() - start;
}

}  // namespace holdfast::test
