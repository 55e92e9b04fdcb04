// What the regression tests share: a client's settings, the names of scripts on the wire, and waiting for the queue.
//
// Thread safety: that of redis_server, one thread at a time.
#pragma once

#include <holdfast/holdfast.hpp>

#include <chrono>
#include <string>

#include "scripts/sources.hpp"
#include "support/eventually.hpp"
#include "support/gate.hpp"
#include "support/redis_server.hpp"

namespace holdfast::regress {

using namespace std::chrono_literals;
using std::chrono::steady_clock;
using test::eventually;
using test::fault;
using test::gate;
using test::moment;
using test::redis_server;

// What a failure costs, not a bar.
inline constexpr std::chrono::milliseconds patience{10'000};

// Nothing of the environment, and no warnings about the test server's settings.
inline settings quiet(const std::string& url, std::chrono::milliseconds command_timeout = 1000ms) {
  settings how = settings::from_url(url).value();
  how.command_timeout = command_timeout;
  how.on_warning = [](const warning&) {};
  return how;
}

// How the answer to an acquire that was granted, and to a renewal that was kept, looks on the wire. A fault armed for one
// (gate::when_reply) starts when the server has run the script and nobody else knows.
inline const std::string granted_reply = "\r\ngranted ";
inline const std::string kept_reply = "$4\r\nkept\r\n";

// What a renewal carries once the server knows the script.
inline std::string renew_sha() { return std::string{scripts::renew.sha1}; }

// After this all three scripts are known to the server and travel by their hash.
inline void load_scripts(redis_server& server) {
  for (const auto* each : {&scripts::acquire, &scripts::renew, &scripts::release}) {
    static_cast<void>(server.text({"SCRIPT", "LOAD", std::string{each->source}}));
  }
}

inline long long scripts_run(redis_server& server) {
  return server.command_calls("evalsha") + server.command_calls("eval");
}

inline bool queue_has(redis_server& server, const std::string& name, long long waiters) {
  return eventually(patience, [&] { return server.number({"ZCARD", "{" + name + "}:waiters"}) == waiters; });
}

inline bool key_goes(redis_server& server, const std::string& key, std::chrono::milliseconds limit = patience) {
  return eventually(limit, [&] { return server.number({"EXISTS", key}) == 0; });
}

}  // namespace holdfast::regress
