// A server on which scripting is denied, and clients for it. The user `app` has exactly the rights that docs/operate.md
// lists for scripts = off; `default` may do everything, for clients with scripts on the same keys.
//
// Thread safety: that of redis_server.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "redis/common.hpp"
#include "support/left_behind.hpp"
#include "support/rights.hpp"

namespace holdfast::test {

inline std::string user_without_scripts(const std::vector<std::string>& rights = rights_without_scripts) {
  std::string line = "user app on >app-secret resetkeys resetchannels -@all";
  for (const auto& each : rights) line += " " + each;
  return line;
}

inline settings unscripted_at(const std::string& url) {
  settings made = at(url);
  made.user = "app";
  made.password = "app-secret";
  made.scripts = false;
  return made;
}

struct no_scripts : testing::Test {
  redis_server server{redis_options{.users = {user_without_scripts()}}};
  client redis{unscripted_at(server.url())};
  client other{unscripted_at(server.url())};
  client scripted{at(server)};

  void TearDown() override {
    EXPECT_EQ(left_behind(server), std::vector<std::string>{});
    EXPECT_EQ(server.keys_without_expiry(), std::vector<std::string>{});
  }
};

}  // namespace holdfast::test
