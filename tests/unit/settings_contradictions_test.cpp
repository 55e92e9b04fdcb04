// Settings that contradict each other are refused, and no text ever shows a password.
#include <holdfast/settings.hpp>

#include "topology/compose.hpp"
#include "topology/config_file.hpp"
#include "topology/contradictions.hpp"
#include "topology/environment.hpp"

#include <gtest/gtest.h>

namespace holdfast::topology {
namespace {

struct refused_url {
  const char* url;
  const char* word;
};

TEST(SettingsContradictions, InOneUrl) {
  const refused_url cases[] = {
      {"redis://h?tls_ca=/f", "tls_ca"},
      {"redis://h?tls_cert=/f&tls_key=/f", "tls_cert"},
      {"redis://h?tls_key=/f", "tls_key"},
      {"redis://h?tls_server_name=n", "tls_server_name"},
      {"redis://h?tls_verify=no", "tls_verify"},
      {"redis://h?tls_verify=yes", "tls_verify"},
      {"unix:///s?tls_verify=no", "tls_verify"},
      {"unix:///s?tls_ca=/f", "tls_ca"},
      {"rediss://h?tls_verify=no&tls_ca=/f", "tls_ca contradicts tls_verify=no"},
      {"rediss://h?tls_server_name=n&tls_verify=no", "tls_server_name contradicts tls_verify=no"},
      {"rediss://h?tls_cert=/f", "tls_cert needs tls_key"},
      {"rediss://h?tls_key=/f", "tls_key needs tls_cert"},
      {"redis://ops@h", "user is given without a password"},
      {"redis://h?user=ops", "user is given without a password"},
      {"redis://h/1?database=1", "database is given twice"},
      {"redis://h?database=1&database=1", "database is given twice"},
      {"redis://:a@h?password=a", "password is given twice"},
      {"redis://u:a@h?user=u", "user is given twice"},
      {"redis://h?sentinel_password=x", "sentinel_password needs a redis+sentinel:// URL"},
      {"redis://h?sentinel_tls=no", "sentinel_tls needs a redis+sentinel:// URL"},
      {"redis+sentinel://s1/m?sentinel_user=u", "sentinel_user is given without sentinel_password"},
      {"redis+sentinel://s1/m?tls_ca=/f", "tls_ca needs a rediss:// URL"},
      {"redis+sentinel://s1/m/1?database=1", "database is given twice"},
      {"redis+quorum://a,b,c?replicas=1", "replicas is set, and a quorum has none"},
      {"redis+quorum://a,b,c?replicas=majority", "replicas is set, and a quorum has none"},
  };
  for (const auto& [url, word] : cases) {
    const auto got = settings::from_url(url);
    ASSERT_FALSE(got) << url;
    EXPECT_EQ(got.code(), errc::bad_url) << url;
    EXPECT_NE(got.failure().detail.find(word), std::string::npos) << url << " -> " << got.failure().detail;
  }
}

TEST(SettingsContradictions, GoodCombinationsOfTls) {
  for (const auto* const url : {"rediss://h", "rediss://h?tls_verify=no", "rediss://h?tls_verify=yes&tls_ca=/f",
                                "rediss://h?tls_cert=/f&tls_key=/f", "rediss://h?tls_verify=no&tls_cert=/f&tls_key=/f",
                                "rediss+sentinel://s1/m?tls_ca=/f", "redis+sentinel://s1/m?sentinel_tls=yes&tls_ca=/f",
                                "rediss+sentinel://s1/m?sentinel_tls=no&tls_ca=/f"}) {
    const auto got = settings::from_url(url);
    EXPECT_TRUE(got) << url << ": " << got.failure().detail;
  }
}

// One contradiction between two places: the code is that of the offending word's place, the text names both.
TEST(SettingsContradictions, BetweenPlaces) {
  const auto merge = [](const char* file, std::vector<const char*> environment, const char* url) {
    environment.push_back(nullptr);
    std::vector<source> places;
    places.push_back(parse_config(file, "f").value());
    places.push_back(read_environment(environment.data()).value());
    if (url != nullptr) places.push_back({parse_url(url).value(), {}});
    return compose(std::move(places));
  };
  const auto expect = [](const result<composed>& got, errc code, std::string_view word) {
    ASSERT_FALSE(got) << word;
    EXPECT_EQ(got.code(), code) << got.failure().detail;
    EXPECT_NE(got.failure().detail.find(word), std::string::npos) << got.failure().detail;
  };
  expect(merge("tls_ca = /f", {}, "redis://h"), errc::bad_option,
         "f:1: tls_ca needs a rediss:// URL, and the one in use (URL)");
  expect(merge("", {"HOLDFAST_TLS_VERIFY=no"}, "unix:///s"), errc::bad_option, "HOLDFAST_TLS_VERIFY: tls_verify");
  expect(merge("", {"HOLDFAST_TLS_VERIFY=no"}, nullptr), errc::bad_option, "no URL is given");
  expect(merge("tls_verify = no", {}, "rediss://h?tls_ca=/f"), errc::bad_url, "tls_ca contradicts tls_verify=no (f:1)");
  expect(merge("", {"HOLDFAST_USER=ops"}, "redis://h"), errc::bad_option, "HOLDFAST_USER: user is given without");
  expect(merge("", {"HOLDFAST_PASSWORD=hunter2"}, nullptr), errc::bad_option,
         "HOLDFAST_PASSWORD: password is given but no URL");
  expect(merge("user = ops", {}, nullptr), errc::bad_option, "f:1: user is given but no URL");

  EXPECT_TRUE(merge("tls_ca = /f", {}, "rediss://h"));
  EXPECT_TRUE(merge("tls_cert = /f", {"HOLDFAST_TLS_KEY=/k"}, "rediss://h"));
}

// The password "hunter2secret" in every place where somebody puts it, right or wrong, with something else being wrong.
TEST(SettingsContradictions, NoTextShowsAPassword) {
  const char* const urls[] = {
      "hunter2secret",
      "user:hunter2secret@h",
      "user:hunter2secret@h://x",
      "redis:user:hunter2secret@h",
      "redis://user:hunter2secret",
      "redis://:hunter2secret",
      "redis://user:hunter2secret/x@h",
      "redis://user:/hunter2secret@h",
      "redis://user:1/hunter2secret@h",
      "redis://user:1?hunter2secret@h",
      "redis://user:1?database=hunter2secret@h",
      "redis://user:#hunter2secret@h",
      "redis://user:hunter2secret #@h",
      "redis://user:p@a/hunter2secret@h",
      "redis://user:hunter2secret%@h",
      "redis://user:hunter2secret%00@h",
      "redis://user:hunter2secret@",
      "redis://user:hunter2secret@h:x",
      "redis://user:hunter2secret@h/x",
      "redis://user:hunter2secret@h?what=1",
      "redis://user:hunter2secret@h?password=hunter2secret",
      "redis://user:hunter2secret@h?tls_ca=/f",
      "redis://hunter2secret@h",
      "redis://h?password=hunter2secret%",
      "redis://h?password=hunter2secret&password=hunter2secret",
      "redis://h?password=a&hunter2secret",
      "redis://h?password=a&hunter2secret=b",
      "redis://h?password=hunter2secret#",
      "redis://h?password=hunter2secret&database=x",
      "unix://user:hunter2secret@relative",
      "unix://user:hunter2secret@",
  };
  const auto hides = [](const std::string& text) { return text.find("hunter2secret") == std::string::npos; };
  for (const std::string url : urls) {
    const auto got = settings::from_url(url);
    ASSERT_FALSE(got) << url;
    EXPECT_TRUE(hides(got.failure().detail)) << url << " -> " << got.failure().detail;
    const auto variable = "HOLDFAST_URL=" + url;
    const char* const variables[] = {variable.c_str(), nullptr};
    const auto environment = read_environment(variables);
    EXPECT_TRUE(environment || hides(environment.failure().detail)) << url << " -> " << environment.failure().detail;
    const auto file = parse_config("url = " + url + "\n", "f");
    EXPECT_TRUE(file || hides(file.failure().detail)) << url << " -> " << file.failure().detail;
  }
  for (const std::string text : {"password hunter2secret", "password: hunter2secret", "hunter2secret",
                                 "passwrod = hunter2secret", "password = hunter2secret\npassword = hunter2secret",
                                 "url = redis://:hunter2secret@h\npassword = hunter2secret"}) {
    const auto got = parse_config(text, "f");
    ASSERT_FALSE(got) << text;
    EXPECT_TRUE(hides(got.failure().detail)) << got.failure().detail;
  }
  const char* const misspelt[] = {"HOLDFAST_PASS=hunter2secret", nullptr};
  const auto got = read_environment(misspelt);
  ASSERT_FALSE(got);
  EXPECT_TRUE(hides(got.failure().detail)) << got.failure().detail;
}

// A client that is made with settings by hand is held to the same as one with a URL.
TEST(SettingsContradictions, InAStruct) {
  const auto made = [](deployment kind) {
    settings how;
    how.deployment = kind;
    how.hosts = {{"a", 1}, {"b", 2}, {"c", 3}};
    how.primary_name = "m";
    return how;
  };
  struct row {
    deployment kind;
    void (*spoil)(settings&);
    const char* word;
  };
  const row rows[] = {
      {deployment::sentinel, [](settings& it) { it.primary_name.clear(); }, "primary_name"},
      {deployment::cluster, [](settings& it) { it.database = 1; }, "database is 1"},
      {deployment::cluster, [](settings& it) { it.scripts = false; }, "scripts is off"},
      {deployment::quorum, [](settings& it) { it.hosts.pop_back(); }, "three nodes"},
      {deployment::quorum, [](settings& it) { it.scripts = false; }, "scripts is off"},
      {deployment::quorum, [](settings& it) { it.replicas = majority; }, "replicas is set, and a quorum has none"},
      {deployment::quorum, [](settings& it) { it.max_ttl = std::chrono::milliseconds{99}; }, "max_ttl is less"},
  };
  for (const auto& [kind, spoil, word] : rows) {
    settings how = made(kind);
    spoil(how);
    const auto got = topology::check_deployment(how);
    EXPECT_EQ(got.code(), errc::bad_option) << word;
    EXPECT_NE(got.failure().detail.find(word), std::string::npos) << got.failure().detail;
  }
  for (const deployment kind : {deployment::sentinel, deployment::cluster, deployment::quorum}) {
    settings how = made(kind);
    EXPECT_TRUE(topology::check_deployment(how));
    how.hosts.clear();
    EXPECT_EQ(topology::check_deployment(how).code(), errc::bad_option) << "no hosts";
    how = made(kind);
    how.transport = transport::unix_socket;
    EXPECT_EQ(topology::check_deployment(how).code(), errc::bad_option) << "by a socket";
  }
  EXPECT_TRUE(topology::check_deployment(settings{}));
}

}  // namespace
}  // namespace holdfast::topology
