// The ground of the tests of faults at what several may hold: a client works through the gate, another one directly.
//
// Thread safety: that of redis_server and gate.
#pragma once

#include <initializer_list>
#include <string>

#include "chaos/bystander.hpp"
#include "support/gate.hpp"

namespace holdfast::test {

inline const std::string granted = "\r\ngranted ";  // the answer
inline const std::string grant = "holdfast:inbox:";

// A connection attempt that falls into a fault does not end what waits for it.
inline settings patient(const std::string& url) {
  settings how = quick(url);
  how.connect_timeout = std::chrono::seconds{5};
  return how;
}

class shares_ground {
 protected:
  // The server knows the scripts, and both links are up.
  shares_ground(std::string name, std::initializer_list<const scripts::script*> known) : key{std::move(name)} {
    for (const auto* each : known) server_.text({"SCRIPT", "LOAD", std::string{each->source}});
    EXPECT_TRUE(through_.ping());
    EXPECT_TRUE(direct_.ping());
  }

  bool one_waits() {
    return eventually(std::chrono::seconds{10}, [&] {
      return server_.number({"ZCARD", "{" + key + "}:waiters"}) == 1;
    });
  }
  void finish() {
    gate_.disarm();
    gate_.pass();
    expect_nothing_left(server_, std::chrono::seconds{10});
  }

  const std::string key;
  redis_server server_;
  gate gate_{server_.port()};
  client through_{patient(gate_.url())};
  client direct_{quick(server_.url())};
};

}  // namespace holdfast::test
