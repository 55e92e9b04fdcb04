// Config file and environment: where they are looked for, what they refuse, and who overrides whom.
#include "topology/config_file.hpp"
#include "topology/environment.hpp"
#include "topology/load.hpp"

#include <gtest/gtest.h>

#include <sys/stat.h>

#include <filesystem>
#include <fstream>

namespace holdfast::topology {
namespace {

class SettingsSources : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = testing::TempDir() + "/holdfast-settings-XXXXXX";
    ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
    home_ = pattern;
  }
  void TearDown() override { std::filesystem::remove_all(home_); }

  std::string write(const std::string& name, const std::string& text, mode_t mode = 0600) {
    const auto path = home_ + "/" + name;
    std::filesystem::create_directories(std::filesystem::path{path}.parent_path());
    std::ofstream{path} << text;
    ::chmod(path.c_str(), mode);
    return path;
  }

  // With a directory of the test's own for /etc.
  result<loaded> load(std::string_view url, const std::vector<std::string>& variables) {
    return load_with_origins({url}, array(variables).data(), home_ + "/etc/holdfast.conf");
  }

  static std::vector<const char*> array(const std::vector<std::string>& variables) {
    std::vector<const char*> out;
    for (const auto& one : variables) out.push_back(one.c_str());
    out.push_back(nullptr);
    return out;
  }

  std::string home_;
};

std::string origin_of(const composed& all, std::string_view key) {
  for (const auto& one : all.origins) {
    if (one.key == key) return one.value + " from " + one.from;
  }
  return "no such key";
}

template <class T>
void expect_refused(const result<T>& got, errc code, std::string_view word) {
  ASSERT_FALSE(got) << word;
  EXPECT_EQ(got.code(), code) << got.failure().detail;
  EXPECT_NE(got.failure().detail.find(word), std::string::npos) << got.failure().detail;
}

TEST_F(SettingsSources, FileLines) {
  const auto got = parse_config("\n# all of it\r\n\turl=redis://:a#b@h   # where\r\n prefix = a#b c \n", "f");
  expect_refused(got, errc::bad_url, "f:3");  // '#' must be escaped in a URL, in a file too
  const auto good = parse_config("\n# all of it\r\n\turl=redis://:a%23b@h   # where\r\n prefix = a#b c \n", "f");
  ASSERT_TRUE(good) << good.failure().detail;
  EXPECT_EQ(good->url->host, "h");
  EXPECT_EQ(good->url->origin, "f:3");
  ASSERT_EQ(good->values.size(), 1U);
  EXPECT_EQ(good->values[0].value, "a#b c");
  EXPECT_EQ(good->values[0].origin, "f:4");
}

TEST_F(SettingsSources, FileRefusals) {
  expect_refused(parse_config("prefix = a\ncomand_timeout = 1s\n", "f"), errc::bad_option, "f:2: 'comand_timeout'");
  expect_refused(parse_config("prefix: a\n", "f"), errc::bad_option, "f:1: 'prefix'");
  expect_refused(parse_config("what is this\n", "f"), errc::bad_option, "f:1");
  expect_refused(parse_config("= a\n", "f"), errc::bad_option, "f:1: ''");
  expect_refused(parse_config("prefix = a\nprefix = a\n", "f"), errc::bad_option,
                 "f:2: prefix is given twice, also by f:1");
  expect_refused(parse_config("url = redis://h\nurl = redis://h\n", "f"), errc::bad_option, "f:2: url is given twice");
  expect_refused(parse_config("url = redis://h/1\ndatabase = 1\n", "f"), errc::bad_option,
                 "f:2: database is given twice");
  expect_refused(parse_config("url = http://h\n", "f"), errc::bad_url, "f:1: the scheme 'http'");
  expect_refused(parse_config("url =\n", "f"), errc::bad_url, "f:1");
}

TEST_F(SettingsSources, FileWithAPasswordMustBePrivate) {
  for (const auto* const text : {"password = hunter2\n", "url = redis://:hunter2@h\n"}) {
    const auto open = read_config_file(write("open.conf", text, 0644));
    ASSERT_FALSE(open);
    EXPECT_EQ(open.code(), errc::bad_option);
    EXPECT_NE(open.failure().detail.find("chmod 600 " + home_ + "/open.conf"), std::string::npos)
        << open.failure().detail;
    EXPECT_EQ(open.failure().detail.find("hunter2"), std::string::npos);
    EXPECT_TRUE(read_config_file(write("closed.conf", text, 0600)));
    EXPECT_TRUE(read_config_file(write("group.conf", text, 0640)));
  }
  EXPECT_TRUE(read_config_file(write("public.conf", "prefix = a\n", 0644)));
}

TEST_F(SettingsSources, FileThatIsNoFile) {
  const auto folder = read_config_file(home_);
  ASSERT_FALSE(folder);
  EXPECT_NE(folder.failure().detail.find(home_), std::string::npos);
  const auto huge = read_config_file(write("huge.conf", std::string(70'000, '#')));
  ASSERT_FALSE(huge);
  EXPECT_EQ(huge.code(), errc::bad_option);
  const auto fifo = home_ + "/fifo";
  ASSERT_EQ(::mkfifo(fifo.c_str(), 0600), 0);
  EXPECT_FALSE(read_config_file(fifo));
  const auto none = read_config_file(home_ + "/none");
  ASSERT_TRUE(none);
  EXPECT_FALSE(none->has_value());
}

TEST_F(SettingsSources, FilesAreLookedForInTheirPlaces) {
  const auto prefix = [&](const std::vector<std::string>& variables) {
    const auto all = load({}, variables);
    if (!all) return all.failure().detail;
    return all->values.prefix.empty() ? std::string{"none"} : all->values.prefix;
  };
  const auto home = "HOME=" + home_;
  EXPECT_EQ(prefix({home}), "none");
  write("etc/holdfast.conf", "prefix = etc\n");
  EXPECT_EQ(prefix({home}), "etc");
  EXPECT_EQ(prefix({}), "etc");
  write(".config/holdfast.conf", "prefix = home\n");
  EXPECT_EQ(prefix({home}), "home");
  EXPECT_EQ(prefix({home, "XDG_CONFIG_HOME=" + home_ + "/xdg"}), "etc");
  write("xdg/holdfast.conf", "prefix = xdg\n");
  EXPECT_EQ(prefix({home, "XDG_CONFIG_HOME=" + home_ + "/xdg"}), "xdg");
  EXPECT_EQ(prefix({home, "XDG_CONFIG_HOME=xdg"}), "home") << "a relative XDG_CONFIG_HOME does not count";
  EXPECT_EQ(prefix({home, "HOLDFAST_CONFIG=" + write("mine", "prefix = mine\n")}), "mine");
  const auto missing = find_config(array({home, "HOLDFAST_CONFIG=/nonexistent/f"}).data());
  expect_refused(missing, errc::bad_option, "HOLDFAST_CONFIG names '/nonexistent/f'");
  expect_refused(find_config(array({home, "HOLDFAST_CONFIG="}).data()), errc::bad_option,
                 "HOLDFAST_CONFIG is set but empty");
}

TEST_F(SettingsSources, TheUsersFileOverridesSingleKeysOfTheSystems) {
  const auto system = write("etc/holdfast.conf", "url = redis://shared/2\nprefix = system\nkeep_alive = 3s\n");
  const auto mine = write(".config/holdfast.conf", "# mine\nprefix = mine\nprotocol = 2\n");
  const auto got = load({}, {"HOME=" + home_});
  ASSERT_TRUE(got) << got.failure().detail;
  EXPECT_EQ(origin_of(*got, "url"), "redis://shared:6379/2 from " + system + ":1");
  EXPECT_EQ(origin_of(*got, "database"), "2 from " + system + ":1");
  EXPECT_EQ(origin_of(*got, "keep_alive"), "3s from " + system + ":3");
  EXPECT_EQ(origin_of(*got, "prefix"), "mine from " + mine + ":2");
  EXPECT_EQ(origin_of(*got, "protocol"), "2 from " + mine + ":3");
  EXPECT_EQ(origin_of(*got, "command_timeout"), "1s from default");
  ASSERT_EQ(got->files.size(), 2U);
  EXPECT_EQ(got->files[0].path, system);
  EXPECT_EQ(got->files[1].path, mine);
  EXPECT_TRUE(got->files[0].read && got->files[1].read);
}

TEST_F(SettingsSources, ANamedFileReplacesBoth) {
  write("etc/holdfast.conf", "prefix = system\nkeep_alive = 3s\n");
  write(".config/holdfast.conf", "broken\n");
  const auto named = write("named", "protocol = 2\n");
  const auto got = load({}, {"HOME=" + home_, "HOLDFAST_CONFIG=" + named});
  ASSERT_TRUE(got) << got.failure().detail;
  EXPECT_EQ(origin_of(*got, "prefix"), " from default");
  EXPECT_EQ(origin_of(*got, "keep_alive"), "5s from default");
  EXPECT_EQ(origin_of(*got, "protocol"), "2 from " + named + ":1");
  ASSERT_EQ(got->files.size(), 1U);
  EXPECT_EQ(got->files[0].path, named);
}

TEST_F(SettingsSources, EitherFileThatIsBrokenIsRefusedWithItsLine) {
  const auto mine = write(".config/holdfast.conf", "prefix = a\nkeepalive = 3s\n");
  expect_refused(load({}, {"HOME=" + home_}), errc::bad_option, mine + ":2: 'keepalive'");
  write(".config/holdfast.conf", "prefix = a\n");
  const auto system = write("etc/holdfast.conf", "protocol = 4\n");
  expect_refused(load({}, {"HOME=" + home_}), errc::bad_option, system + ":1: protocol '4'");
}

TEST_F(SettingsSources, WhereNoFileIsThePlacesAreStillTold) {
  const auto got = find_config(array({"HOME=" + home_}).data());
  ASSERT_TRUE(got) << got.failure().detail;
  ASSERT_EQ(got->places.size(), 2U);
  EXPECT_EQ(got->places[0].path, "/etc/holdfast.conf");
  EXPECT_EQ(got->places[1].path, home_ + "/.config/holdfast.conf");
  EXPECT_FALSE(got->places[1].read);
}

// A password beside a URL belongs to that server, whichever file it stands in.
TEST_F(SettingsSources, CredentialsBesideAUrlThatIsOverriddenGoNowhere) {
  write("etc/holdfast.conf", "url = redis://ops@shared\npassword = hunter2\nkeep_alive = 3s\n");
  const auto other = load("redis://elsewhere", {"HOME=" + home_});
  ASSERT_TRUE(other) << other.failure().detail;
  EXPECT_EQ(other->values.password, "");
  EXPECT_EQ(other->values.user, "");
  EXPECT_EQ(other->values.keep_alive, std::chrono::seconds{3});
  write(".config/holdfast.conf", "url = redis://elsewhere\n");
  EXPECT_EQ(load({}, {"HOME=" + home_})->values.password, "");
  // A place without a URL speaks of whichever counts.
  write("etc/holdfast.conf", "url = redis://ops@shared\n");
  write(".config/holdfast.conf", "password = hunter2\n");
  EXPECT_EQ(load({}, {"HOME=" + home_})->values.password, "hunter2");
}

TEST_F(SettingsSources, NoReportShowsAPassword) {
  for (const std::string url : {"redis://ops:hunter2@h/1", "redis://:hunter2@h", "redis://h?password=hunter2",
                                "unix://ops:hunter2@/s", "redis://a%40b:hunter2@h"}) {
    const auto got = load(url, {"HOME=" + home_});
    ASSERT_TRUE(got) << got.failure().detail;
    for (const auto& one : got->origins) EXPECT_EQ(one.value.find("hunter2"), std::string::npos) << one.key;
    EXPECT_EQ(origin_of(*got, "password"), "*** from URL");
    EXPECT_NE(origin_of(*got, "url").find(":***@"), std::string::npos) << origin_of(*got, "url");
  }
  EXPECT_EQ(origin_of(*load("redis://ops:hunter2@h/1", {}), "url"), "redis://ops:***@h:6379/1 from URL");
  EXPECT_EQ(origin_of(*load("redis://:hunter2@h", {}), "url"), "redis://:***@h:6379 from URL");
}

TEST_F(SettingsSources, EnvironmentKnowsItsNames) {
  const auto good =
      read_environment(array({"HOLDFAST_NAME=x", "HOLDFAST_KEY=x", "HOLDFAST_OWNER=x", "HOLDFAST_FENCE=1",
                              "HOLDFAST_TTL_MS=1", "HOLDFAST_LOST_FD=3", "HOLDFAST_TERM=1", "HOLDFAST_CONFIG=/f",
                              "HOLDFAST_TEST_ANY=1", "OTHER=1", "HOLDFAST_PREFIX=p"})
                           .data());
  ASSERT_TRUE(good) << good.failure().detail;
  ASSERT_EQ(good->values.size(), 1U);
  EXPECT_EQ(good->values[0].origin, "HOLDFAST_PREFIX");
  EXPECT_TRUE(read_environment(nullptr));

  expect_refused(read_environment(array({"HOLDFAST_PASSWROD=hunter2"}).data()), errc::bad_option,
                 "'HOLDFAST_PASSWROD'");
  expect_refused(read_environment(array({"HOLDFAST_prefix=a"}).data()), errc::bad_option, "'HOLDFAST_prefix'");
  expect_refused(read_environment(array({"HOLDFAST_="}).data()), errc::bad_option, "'HOLDFAST_'");
  expect_refused(read_environment(array({"HOLDFAST_URL="}).data()), errc::bad_url, "HOLDFAST_URL is set but empty");
  expect_refused(read_environment(array({"HOLDFAST_URL=http://h"}).data()), errc::bad_url,
                 "HOLDFAST_URL: the scheme 'http'");
  expect_refused(read_environment(array({"HOLDFAST_URL=redis://h/1", "HOLDFAST_DATABASE=1"}).data()), errc::bad_option,
                 "HOLDFAST_DATABASE: database is given twice, also by HOLDFAST_URL");
}

TEST_F(SettingsSources, LaterPlacesOverrideEarlierOnes) {
  const auto file = write("f", "url = redis://file:secret@file-host/1\nprefix = file\nkeep_alive = 1s\nprotocol = 2\n");
  const std::vector<std::string> only_file{"HOLDFAST_CONFIG=" + file};
  const std::vector<std::string> both{"HOLDFAST_CONFIG=" + file, "HOLDFAST_PREFIX=environment",
                                      "HOLDFAST_KEEP_ALIVE=2s"};

  const auto first = load({}, only_file);
  ASSERT_TRUE(first) << first.failure().detail;
  EXPECT_FALSE(first->private_server);
  EXPECT_EQ(first->values.display(), "redis://file@file-host:6379/1");
  EXPECT_EQ(first->values.prefix, "file");
  EXPECT_EQ(origin_of(*first, "prefix"), "file from " + file + ":2");
  EXPECT_EQ(origin_of(*first, "password"), "*** from " + file + ":1");
  EXPECT_EQ(origin_of(*first, "max_in_flight"), "4096 from default");

  const auto second = load({}, both);
  ASSERT_TRUE(second) << second.failure().detail;
  EXPECT_EQ(second->values.host, "file-host");
  EXPECT_EQ(second->values.prefix, "environment");
  EXPECT_EQ(origin_of(*second, "keep_alive"), "2s from HOLDFAST_KEEP_ALIVE");
  EXPECT_EQ(second->values.protocol, 2);

  const auto third = load("redis://argument?prefix=argument", both);
  ASSERT_TRUE(third) << third.failure().detail;
  EXPECT_EQ(third->values.display(), "redis://argument:6379");
  EXPECT_EQ(third->values.password, "") << "credentials of one server must not be sent to another";
  EXPECT_EQ(third->values.prefix, "argument");
  EXPECT_EQ(third->values.keep_alive, std::chrono::milliseconds{2000});
  EXPECT_EQ(third->values.protocol, 2);
  EXPECT_EQ(origin_of(*third, "url"), "redis://argument:6379 from URL");
}

TEST_F(SettingsSources, EnvironmentUrlReplacesTheFiles) {
  const auto file = write("f", "url = unix:///file.sock\ndatabase = 3\n");
  const auto got = load({}, {"HOLDFAST_CONFIG=" + file, "HOLDFAST_URL=redis://h"});
  ASSERT_TRUE(got) << got.failure().detail;
  EXPECT_EQ(got->values.display(), "redis://h:6379/3");
  EXPECT_EQ(got->values.path, "");
}

TEST_F(SettingsSources, CredentialsBesideTheUrl) {
  const auto got = load("redis://ops@h", {"HOLDFAST_CONFIG=" + write("f", ""), "HOLDFAST_PASSWORD=hunter2"});
  ASSERT_TRUE(got) << got.failure().detail;
  EXPECT_EQ(got->values.user, "ops");
  EXPECT_EQ(got->values.password, "hunter2");
}

TEST_F(SettingsSources, WithoutAnyUrlThePrivateServerIsWanted) {
  const auto got = load({}, {"HOLDFAST_CONFIG=" + write("f", "prefix = a\n")});
  ASSERT_TRUE(got) << got.failure().detail;
  EXPECT_TRUE(got->private_server);
  EXPECT_EQ(got->values.prefix, "a");
  EXPECT_EQ(origin_of(*got, "url"), "the private Redis from default");
}

}  // namespace
}  // namespace holdfast::topology
