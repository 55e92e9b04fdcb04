// holdfast doctor as users with few rights: what it says is missing, how it finds out, and that it leaves nothing behind.
#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <sstream>
#include <tuple>

#include "cli/command.hpp"
#include "support/json.hpp"
#include "support/redis_server.hpp"
#include "support/rights.hpp"

namespace holdfast::test {
namespace {

// What is needed, what makes things better, and what the rest of the family needs.
std::vector<std::string> all_rights() {
  std::vector<std::string> all = needed_rights;
  all.insert(all.end(), optional_rights.begin(), optional_rights.end());
  all.insert(all.end(), family_rights.begin(), family_rights.end());
  return all;
}
const std::vector<std::string> rights = all_rights();
// What lets doctor ask instead of try.
const std::string asking = "+acl|whoami +acl|dryrun +config|get +slowlog|get +hello";

class rights_fixture : public testing::Test {
 protected:
  // The user lacks the given ones. `asks`: it may ask what it may do.
  static std::string user_without(const std::vector<std::string>& missing, bool asks) {
    std::string line = "user app on >app-secret resetkeys resetchannels -@all";
    for (const std::string& each : rights) {
      if (std::find(missing.begin(), missing.end(), each) == missing.end()) line += " " + each;
    }
    return line + (asks ? " " + asking : "");
  }

  boost::json::value examine(const redis_server& server, const std::string& prefix = "app:") {
    const std::string url = "redis://app:app-secret@127.0.0.1:" + std::to_string(server.port());
    last_ = holdfast_run({"doctor", "--json", "--quick"}, {{"HOLDFAST_URL", url}, {"HOLDFAST_PREFIX", prefix}});
    EXPECT_EQ((last_.out + last_.err).find("app-secret"), std::string::npos);
    return last_.out.empty() ? boost::json::value{} : parse_json(last_.out);
  }

  static std::map<std::string, std::string> finding(const boost::json::value& all, const std::string& id) {
    for (const auto& each : all.at("findings").as_array()) {
      if (text_at(each, "id") != id) continue;
      return {{"severity", text_at(each, "severity")},
              {"seen", text_at(each, "seen")},
              {"why", text_at(each, "why")},
              {"fix", text_at(each, "fix")},
              {"known", each.at("known").as_bool() ? "yes" : "no"}};
    }
    ADD_FAILURE() << "no finding " << id;
    return {};
  }

  outcome last_;
};

class DoctorRights : public rights_fixture, public testing::WithParamInterface<bool> {};
class DoctorRight : public rights_fixture, public testing::WithParamInterface<std::tuple<bool, std::string>> {};

TEST_P(DoctorRights, WithAllOfThemItIsFineAndNothingIsLeftBehind) {
  redis_server server{{.users = {user_without({}, GetParam())}}};
  const auto all = examine(server);
  EXPECT_EQ(finding(all, "acl")["severity"], "fine") << last_.out;
  EXPECT_EQ(server.keys(), std::vector<std::string>{});
}

TEST_P(DoctorRight, IsNamedWhenItIsMissingAndTheFixMendsIt) {
  const auto& [asks, missing] = GetParam();
  redis_server server{{.users = {user_without({missing}, asks)}}};
  auto acl = finding(examine(server), "acl");
  EXPECT_EQ(last_.err, "");
  EXPECT_NE(acl["severity"], "fine") << acl["seen"];
  EXPECT_NE((acl["seen"] + " ").find(" " + missing + " "), std::string::npos) << acl["seen"];
  ASSERT_EQ(acl["fix"].rfind("ACL SETUSER app ", 0), 0U) << acl["fix"];
  std::istringstream words{acl["fix"]};
  EXPECT_FALSE(server.command({std::istream_iterator<std::string>{words}, {}}).is_error()) << acl["fix"];
  const auto after = finding(examine(server), "acl");
  EXPECT_EQ(after.at("severity"), "fine") << "after " << acl["fix"] << ": " << after.at("seen");
  EXPECT_EQ(server.keys(), std::vector<std::string>{});
}

TEST_P(DoctorRights, HowBadItIs) {
  const std::vector<std::pair<std::string, std::string>> cases{
      {"+hset", "danger"}, {"~{app:*}:waiters", "danger"}, {"+publish", "warning"}, {"+type", "notice"}};
  for (const auto& [missing, severity] : cases) {
    redis_server server{{.users = {user_without({missing}, GetParam())}}};
    EXPECT_EQ(finding(examine(server), "acl")["severity"], severity) << missing;
    EXPECT_EQ(last_.code(), severity == "danger" ? 2 : severity == "warning" ? 1 : 0) << missing;
  }
}

TEST_P(DoctorRights, WithoutAPrefixNamesAreNotGuessed) {
  redis_server server{{.users = {user_without({}, GetParam())}}};
  const auto acl = [&] { return finding(examine(server, ""), "acl"); }();
  EXPECT_EQ(acl.at("severity"), "notice") << acl.at("seen");
  EXPECT_NE(acl.at("why").find("no prefix is set"), std::string::npos) << acl.at("why");
}

TEST_P(DoctorRights, WhatMayNotBeAskedIsANotice) {
  redis_server server{{.users = {user_without({"+info"}, GetParam())}}};
  auto all = examine(server);
  EXPECT_EQ(finding(all, "eviction")["known"], "no");
  EXPECT_EQ(finding(all, "eviction")["severity"], "notice");
  EXPECT_NE(finding(all, "eviction")["fix"].find("+info"), std::string::npos);
  for (const char* id : {"idle_timeout", "slow_log"})
    EXPECT_EQ(finding(all, id)["known"], GetParam() ? "yes" : "no") << id;
  EXPECT_EQ(finding(all, "clock_steps")["known"], "yes");
  EXPECT_EQ(last_.code(), 0);
}

std::string name_of(const testing::TestParamInfo<std::tuple<bool, std::string>>& shown) {
  std::string name = std::get<0>(shown.param) ? "Asking_" : "Trying_";
  for (const char c : std::get<1>(shown.param)) {
    if (std::isalnum(static_cast<unsigned char>(c)) != 0) name += c;
  }
  return name;
}
INSTANTIATE_TEST_SUITE_P(, DoctorRight, testing::Combine(testing::Bool(), testing::ValuesIn(rights)), name_of);
INSTANTIATE_TEST_SUITE_P(, DoctorRights, testing::Bool(),
                         [](const auto& shown) { return shown.param ? "Asking" : "Trying"; });

}  // namespace
}  // namespace holdfast::test
