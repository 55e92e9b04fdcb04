// holdfast config: every value with its origin, no secrets, nothing started.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <map>

#include "cli/command.hpp"
#include "manual/setting_text.hpp"
#include "support/json.hpp"
#include "support/redis_server.hpp"
#include "support/temp_dir.hpp"

namespace holdfast::test {
namespace {

class Config : public testing::Test {
 protected:
  std::string write(const std::string& name, const std::string& text) {
    const std::string path = home_.file(name);
    std::filesystem::create_directories(std::filesystem::path{path}.parent_path());
    std::ofstream{path} << text;
    ::chmod(path.c_str(), 0600);
    return path;
  }

  // A home and a runtime directory of its own.
  [[nodiscard]] environment at_home(environment more = {}) const {
    more["HOME"] = home_.path().string();
    more["XDG_CONFIG_HOME"] = home_.file(".config");
    more["XDG_RUNTIME_DIR"] = home_.path().string();
    more["HOLDFAST_TEST_PRIVATE_ALONE"] = "1";
    return more;
  }

  // key -> "value from origin"
  static std::map<std::string, std::string> settings_in(const std::string& json) {
    std::map<std::string, std::string> all;
    const auto parsed = parse_json(json);  // outlives the loop
    for (const auto& each : parsed.at("settings").as_array()) {
      all[text_at(each, "key")] = text_at(each, "value") + " from " + text_at(each, "from");
    }
    return all;
  }

  temp_dir home_;
};

TEST_F(Config, ShowsEveryPlaceAValueCanComeFrom) {
  const auto file = write(".config/holdfast.conf", "# mine\nurl = redis://file-host\nkeep_alive = 7s\nprotocol = 2\n");
  const outcome seen = holdfast_run({"config", "--json", "--url", "redis://ops:hunter2@h:7000/3", "--prefix", "p:"},
                                    at_home({{"HOLDFAST_KEEP_ALIVE", "9s"}}));
  ASSERT_EQ(seen.code(), 0) << seen.err;
  auto all = settings_in(seen.out);
  EXPECT_EQ(all["url"], "redis://ops:***@h:7000/3 from --url");
  EXPECT_EQ(all["user"], "ops from --url");
  EXPECT_EQ(all["password"], "*** from --url");
  EXPECT_EQ(all["database"], "3 from --url");
  EXPECT_EQ(all["keep_alive"], "9s from HOLDFAST_KEEP_ALIVE");
  EXPECT_EQ(all["protocol"], "2 from " + file + ":4");
  EXPECT_EQ(all["prefix"], "p: from --prefix");
  EXPECT_EQ(all["max_in_flight"], "4096 from default");
  EXPECT_EQ(all["client_name"], "holdfast-cli from default");
  EXPECT_EQ(all["scripts"], "on from default");
  EXPECT_EQ(all.size(), cli::setting_texts.size());
  EXPECT_EQ(seen.out.find("hunter2"), std::string::npos);
  EXPECT_FALSE(parse_json(seen.out).at("private").as_bool());
}

TEST_F(Config, TellsWhichFilesWereLookedForAndRead) {
  const auto file = write(".config/holdfast.conf", "prefix = mine\n");
  const outcome seen = holdfast_run({"config", "--json"}, at_home());
  ASSERT_EQ(seen.code(), 0) << seen.err;
  const auto json = parse_json(seen.out);
  const auto& files = json.at("files").as_array();
  ASSERT_EQ(files.size(), 2U);
  EXPECT_EQ(files[0].at("path").as_string(), "/etc/holdfast.conf");
  EXPECT_EQ(files[1].at("path").as_string(), file);
  EXPECT_TRUE(files[1].at("read").as_bool());
}

// The real path, in a mount namespace whose /etc is the test's own.
TEST_F(Config, TheSystemsFileIsReadAndTheUsersOverridesItsKeys) {
  const auto system = write("system.conf", "url = redis://shared\nprefix = system\n");
  const auto mine = write(".config/holdfast.conf", "prefix = mine\n");
  process trial{{"/bin/sh", "-c", "unshare -rm mount -t tmpfs none /etc"}};
  const auto able = trial.wait(std::chrono::seconds{10});
  if (!able || able->code != 0) GTEST_SKIP() << "mount namespaces are not allowed here";
  process run{
      {"unshare", "-rm", "/bin/sh", "-c",
       "mount -t tmpfs none /etc && cp \"$1\" /etc/holdfast.conf && exec \"$0\" config --json", program, system},
      {.environment = at_home()}};
  auto all = settings_in(run.read_rest(std::chrono::seconds{30}));
  EXPECT_EQ(all["url"], "redis://shared:6379 from /etc/holdfast.conf:1");
  EXPECT_EQ(all["prefix"], "mine from " + mine + ":1");
}

TEST_F(Config, PrintsAnAlignedTable) {
  const auto file = write("named.conf", "prefix = jobs:\npassword = hunter2\nurl = redis://h\n");
  const outcome seen = holdfast_run({"config"}, at_home({{"HOLDFAST_CONFIG", file}}));
  ASSERT_EQ(seen.code(), 0) << seen.err;
  EXPECT_NE(seen.out.find("prefix             jobs:           " + file + ":1\n"), std::string::npos) << seen.out;
  EXPECT_NE(seen.out.find("password           ***             " + file + ":2\n"), std::string::npos) << seen.out;
  EXPECT_NE(seen.out.find("  read       " + file + "\n"), std::string::npos) << seen.out;
  EXPECT_EQ(seen.out.find("/etc/holdfast.conf"), std::string::npos) << "a named file replaces the others";
  EXPECT_EQ(seen.out.find("hunter2"), std::string::npos);
  EXPECT_EQ(seen.out.find('\x1b'), std::string::npos) << "no colours in a pipe";
}

TEST_F(Config, SaysThatThePrivateRedisWouldBeUsedAndStartsNone) {
  const outcome seen = holdfast_run({"config"}, at_home({{"HOLDFAST_CONFIG", write("f", "")}}));
  ASSERT_EQ(seen.code(), 0) << seen.err;
  EXPECT_NE(seen.out.find("private Redis"), std::string::npos) << seen.out;
  EXPECT_FALSE(std::filesystem::exists(home_.file("holdfast"))) << "its directory was made";
}

TEST_F(Config, ABrokenFileIsAUsageErrorWithFileLineAndWord) {
  const auto file = write(".config/holdfast.conf", "prefix = a\ncomand_timeout = 1s\n");
  const outcome seen = holdfast_run({"config"}, at_home());
  EXPECT_EQ(seen.code(), 64);
  EXPECT_EQ(seen.out, "");
  EXPECT_NE(seen.err.find(file + ":2: 'comand_timeout' is not a setting"), std::string::npos) << seen.err;
}

TEST_F(Config, AMisspeltVariableAndABadUrlAreUsageErrors) {
  const outcome variable = holdfast_run({"config"}, at_home({{"HOLDFAST_PASSWROD", "hunter2"}}));
  EXPECT_EQ(variable.code(), 64);
  EXPECT_NE(variable.err.find("'HOLDFAST_PASSWROD'"), std::string::npos) << variable.err;
  EXPECT_EQ(variable.err.find("hunter2"), std::string::npos) << variable.err;
  const outcome url = holdfast_run({"config", "--url", "http://h"}, at_home());
  EXPECT_EQ(url.code(), 64);
  EXPECT_NE(url.err.find("--url: the scheme 'http'"), std::string::npos) << url.err;
}

TEST_F(Config, AControlCharacterDoesNotReachTheTerminal) {
  const outcome seen = holdfast_run({"config"}, at_home({{"HOLDFAST_PREFIX", "a\x1b[2Jb"}}));
  ASSERT_EQ(seen.code(), 0) << seen.err;
  EXPECT_NE(seen.out.find("a\\x1b[2Jb"), std::string::npos) << seen.out;
}

// What it says of the client's name is what the server sees, and a name that was set is not replaced.
TEST_F(Config, TheNameItShowsIsTheOneThatIsUsed) {
  redis_server server;
  for (const auto& [given, expected] : environment{{"", "holdfast-cli"}, {"mine", "mine"}}) {
    environment with = at_home({{"HOLDFAST_URL", server.url()}});
    if (!given.empty()) with["HOLDFAST_CLIENT_NAME"] = given;
    EXPECT_EQ(settings_in(holdfast_run({"config", "--json"}, with).out)["client_name"].substr(0, expected.size()),
              expected);
    server.text({"CONFIG", "SET", "slowlog-log-slower-than", "0"});
    server.text({"SLOWLOG", "RESET"});
    const outcome looked = holdfast_run({"doctor", "--quick"}, with);
    server.text({"CONFIG", "SET", "slowlog-log-slower-than", "10000"});
    bool named = false;
    for (const reply& each : server.command({"SLOWLOG", "GET", "1000"}).items)
      named = named || each.items.at(5).text == expected;
    EXPECT_TRUE(named) << expected << looked.err;
  }
}

}  // namespace
}  // namespace holdfast::test
