// What doctor says of a user's rights in a Redis Cluster: by asking (ACL DRYRUN) and by trying.
#include <gtest/gtest.h>
#include <holdfast/doctor.hpp>

#include <algorithm>

#include "redis/common.hpp"
#include "support/cluster_group.hpp"
#include "support/rights.hpp"

namespace holdfast::test {
namespace {

class examine_cluster : public ::testing::TestWithParam<bool> {
 protected:
  // The finding about rights, of a user who lacks one.
  finding acl(const std::string& missing) {
    for (std::size_t i = 0; i < group_.size(); ++i) {
      std::vector<std::string> line{"ACL", "SETUSER", "app", "reset", "on", ">app-secret"};
      for (const auto* some :
           {&needed_rights, &optional_rights, &family_rights, &cluster_rights, &cluster_message_rights})
        std::copy_if(some->begin(), some->end(), std::back_inserter(line),
                     [&](const std::string& each) { return each != missing; });
      if (GetParam()) line.insert(line.end(), {"+acl|whoami", "+acl|dryrun"});
      EXPECT_EQ(group_.node(i).text(line), "OK");
    }
    settings how = at(group_.url());
    how.user = "app";
    how.password = "app-secret";
    how.prefix = "app:";
    client redis{how};
    const auto seen = examine(redis, {.clock_watch = 0ms, .pings = 1});
    EXPECT_TRUE(seen.has_value()) << seen.failure().detail;
    for (const finding& each : seen->findings) {
      if (each.id == "acl") return each;
    }
    ADD_FAILURE() << "no finding about rights";
    return {};
  }

  cluster_group group_{3, 0};
};

TEST_P(examine_cluster, finds_what_a_user_lacks_and_nothing_else) {
  EXPECT_EQ(acl("").how_bad, severity::fine) << acl("").seen;
  for (const char* missing : {"+asking", "+ssubscribe", "+spublish", "+hset"}) {
    const finding found = acl(missing);
    EXPECT_EQ(found.how_bad, missing[1] == 's' ? severity::warning : severity::danger) << missing;
    EXPECT_EQ(found.fix, "ACL SETUSER app " + std::string{missing});
  }
  EXPECT_EQ(group_.keys(), std::vector<std::string>{});
}

INSTANTIATE_TEST_SUITE_P(, examine_cluster, testing::Bool(),
                         [](const auto& shown) { return shown.param ? "asking" : "trying"; });

}  // namespace
}  // namespace holdfast::test
