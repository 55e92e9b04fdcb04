// settings::from_url: what each part of a URL means, and how a URL that cannot be read is refused.
#include <holdfast/settings.hpp>

#include "topology/url.hpp"

#include <gtest/gtest.h>

#include <random>

namespace holdfast {
namespace {

TEST(SettingsUrl, PlainHostHasTheDefaults) {
  const auto got = settings::from_url("redis://cache-1");
  ASSERT_TRUE(got) << got.failure().detail;
  EXPECT_EQ(got->transport, transport::tcp);
  EXPECT_EQ(got->host, "cache-1");
  EXPECT_EQ(got->port, 6379);
  EXPECT_EQ(got->database, 0);
  EXPECT_EQ(got->user, "");
  EXPECT_EQ(got->password, "");
}

TEST(SettingsUrl, EveryPartIsRead) {
  const auto got = settings::from_url("rediss://ops:s%40cr%2Fet@cache-1:6380/2?command_timeout=250ms&prefix=a%20b");
  ASSERT_TRUE(got) << got.failure().detail;
  EXPECT_EQ(got->transport, transport::tls);
  EXPECT_EQ(got->host, "cache-1");
  EXPECT_EQ(got->port, 6380);
  EXPECT_EQ(got->user, "ops");
  EXPECT_EQ(got->password, "s@cr/et");
  EXPECT_EQ(got->database, 2);
  EXPECT_EQ(got->command_timeout, std::chrono::milliseconds{250});
  EXPECT_EQ(got->prefix, "a b");
}

TEST(SettingsUrl, UnixSocket) {
  const auto got = settings::from_url("unix://:pw@/run/my%20redis.sock?database=3");
  ASSERT_TRUE(got) << got.failure().detail;
  EXPECT_EQ(got->transport, transport::unix_socket);
  EXPECT_EQ(got->path, "/run/my redis.sock");
  EXPECT_EQ(got->password, "pw");
  EXPECT_EQ(got->database, 3);
}

TEST(SettingsUrl, Ipv6StandsInBrackets) {
  const auto plain = settings::from_url("redis://[::1]:7000/1");
  ASSERT_TRUE(plain) << plain.failure().detail;
  EXPECT_EQ(plain->host, "::1");
  EXPECT_EQ(plain->port, 7000);
  const auto zone = settings::from_url("redis://[fe80::1%25eth0]");
  ASSERT_TRUE(zone) << zone.failure().detail;
  EXPECT_EQ(zone->host, "fe80::1%eth0");
  EXPECT_EQ(zone->port, 6379);
}

TEST(SettingsUrl, OddButGood) {
  for (const auto* const url : {"REDIS://h", "redis://h/", "redis://h:1", "redis://h:65535", "redis://h/2147483647",
                                "redis://:p@h", "redis://u:p:q@h", "redis://u:p@q@h", "redis://h?prefix=a@b/c",
                                "redis://h?prefix=", "redis://h?protocol=auto", "unix:///s"}) {
    const auto got = settings::from_url(url);
    EXPECT_TRUE(got) << url << ": " << got.failure().detail;
  }
  EXPECT_EQ(settings::from_url("redis://u:p:q@h").value().password, "p:q");
  EXPECT_EQ(settings::from_url("redis://u:p@q@h").value().password, "p@q");
}

TEST(SettingsUrl, SentinelsAndTheNameOfTheirPrimary) {
  const auto got = settings::from_url("redis+sentinel://app:pw@s1,s2:7000,[::1]/my%20master/3?sentinel_password=other");
  ASSERT_TRUE(got) << got.failure().detail;
  EXPECT_EQ(got->deployment, deployment::sentinel);
  EXPECT_EQ(got->transport, transport::tcp);
  EXPECT_EQ(got->hosts, (std::vector<endpoint>{{"s1", 26379}, {"s2", 7000}, {"::1", 26379}}));
  EXPECT_EQ(got->primary_name, "my master");
  EXPECT_EQ(got->database, 3);
  EXPECT_EQ(got->user, "app");
  EXPECT_EQ(got->password, "pw");
  EXPECT_EQ(got->sentinel_password, "other");
  EXPECT_EQ(got->sentinel_user, "");
  EXPECT_EQ(got->display(), "redis+sentinel://app@s1:26379,s2:7000,[::1]:26379/my%20master/3");
  const auto again = settings::from_url(got->display() + "?password=pw");
  ASSERT_TRUE(again) << again.failure().detail;
  EXPECT_EQ(again->hosts, got->hosts);
  const auto secret = settings::from_url("rediss+sentinel://s1/m?sentinel_tls=no");
  ASSERT_TRUE(secret) << secret.failure().detail;
  EXPECT_EQ(secret->transport, transport::tls);
  EXPECT_EQ(secret->sentinel_tls, false);
}

TEST(SettingsUrl, AQuorumNamesItsNodes) {
  const auto got = settings::from_url("rediss+quorum://ops:pw@n1,n2:7000,[::1]:7001/2?max_ttl=10s&node_timeout=20ms");
  ASSERT_TRUE(got) << got.failure().detail;
  EXPECT_EQ(got->transport, transport::tls);
  const std::vector<endpoint> nodes{{"n1", 6379}, {"n2", 7000}, {"::1", 7001}};
  EXPECT_EQ(got->hosts, nodes);
  EXPECT_EQ(got->user, "ops");
  EXPECT_EQ(got->database, 2);
  EXPECT_EQ(got->max_ttl, std::chrono::seconds{10});
  EXPECT_EQ(got->node_timeout, std::chrono::milliseconds{20});
  EXPECT_EQ(got->display(), "rediss+quorum://ops@n1:6379,n2:7000,[::1]:7001/2");
  EXPECT_EQ(got->deployment, deployment::quorum);
}

TEST(SettingsUrl, WhatIsNoQuorumIsRefused) {
  const std::pair<const char*, const char*> cases[] = {
      {"redis+quorum://n1", "three nodes"},
      {"redis+quorum://n1,n2", "three nodes"},
      {"redis+quorum://n1,n2,n1", "'n1:6379' is named twice"},
      {"redis+quorum://n1,,n3", "host is empty"},
      {"redis+quorum://n1,n2,n3:0", "port"},
      {"unix+quorum:///a,b,c", "'unix+quorum'"},
      {"redis://h?max_ttl=1s", "max_ttl needs a redis+quorum:// URL"},
      {"redis://h?node_timeout=1s", "node_timeout needs a redis+quorum:// URL"},
      {"redis+quorum://n1,n2,n3?max_ttl=99ms", "less than 100ms"},
      {"redis+quorum://n1,n2,n3?scripts=off", "a quorum needs scripts"},
      {"redis://n1,n2,n3", "character that no host name has"},
  };
  for (const auto& [url, word] : cases) {
    const auto got = settings::from_url(url);
    ASSERT_FALSE(got) << url;
    EXPECT_EQ(got.code(), errc::bad_url) << got.failure().detail;
    EXPECT_NE(got.failure().detail.find(word), std::string::npos) << url << ": " << got.failure().detail;
  }
}

struct bad {
  const char* url;
  const char* word;  // in the text
};

TEST(SettingsUrl, WhatCannotBeReadIsRefusedByName) {
  const std::string long_path = "unix:///" + std::string(107, 'x');
  const bad cases[] = {
      {"", "'://'"},
      {"localhost", "'://'"},
      {"localhost:6379", "'://'"},
      {"redis:/h", "'://'"},
      {"http://h", "'http'"},
      {"redis://", "host is empty"},
      {"redis:///2", "host is empty"},
      {"redis://:6379", "host is empty"},
      {"redis://u:p@:6379", "host is empty"},
      {"redis://@h", "before '@'"},
      {"redis://h:", "port"},
      {"redis://h:0", "port"},
      {"redis://h:65536", "port"},
      {"redis://h:-1", "port"},
      {"redis://h:6379x", "port"},
      {"redis://h:99999999999999999999", "port"},
      {"redis://a:b:c", "port"},
      {"redis://h%41", "'h%41'"},
      {"redis://h\xc3\xa4", "'h\\xC3\\xA4'"},
      {"redis://::1", "host is empty"},
      {"redis://[::1", "']'"},
      {"redis://[::1]6379", "']'"},
      {"redis://[::1]:", "port"},
      {"redis://[]", "IPv6"},
      {"redis://[::g]", "'::g'"},
      {"redis://[fe80::1%eth0]", "escape"},
      {"redis://[fe80::1%25]", "IPv6"},
      {"redis://h/x", "'x'"},
      {"redis://h/-1", "'-1'"},
      {"redis://h/1/2", "'1/2'"},
      {"redis://h/2147483648", "'2147483648'"},
      {"redis://h#frag", "'#'"},
      {"redis://h h", "blank"},
      {"redis://h\n", "blank"},
      {"redis://h?", "''"},
      {"redis://h?databse=1", "'databse'"},
      {"redis://h?url=redis://g", "'url'"},
      {"redis://h?database", "'database'"},
      {"redis://h?database=1&", "''"},
      {"redis://h?Database=1", "'Database'"},
      {"redis://h?prefix=%", "'prefix'"},
      {"redis://h?prefix=%4", "'prefix'"},
      {"redis://h?prefix=%zz", "'prefix'"},
      {"redis://h?prefix=%00", "'prefix'"},
      {"redis://u%zz:p@h", "user"},
      {"redis://u%00:p@h", "user"},
      {"redis://u:p%@h", "password"},
      {"redis://u:p%00@h", "password"},
      {"redis://u:@h", "password"},
      {"redis+sentinel://s1", "name is missing"},
      {"redis+sentinel://s1/", "name is missing"},
      {"redis+sentinel://s1//2", "name is missing"},
      {"redis+sentinel://s1/m/x", "'x'"},
      {"redis+sentinel://s1/m%zz", "escape"},
      {"redis+sentinel://s1,/m", "host is empty"},
      {"redis+sentinel://,s1/m", "host is empty"},
      {"redis+sentinel://s1,s2,s1/m", "'s1:26379' is named twice"},
      {"redis+sentinel://s1:0/m", "port"},
      {"redis+sentinal://s1/m", "'redis+sentinal'"},
      {"redis://a,b", "'a,b'"},
      {"unix://", "path"},
      {"unix:///", "path"},
      {"unix://run/redis.sock", "relative"},
      {"unix:///a%00b", "path"},
      {long_path.c_str(), "107"},
  };
  for (const auto& [url, word] : cases) {
    const auto got = settings::from_url(url);
    ASSERT_FALSE(got) << url;
    EXPECT_EQ(got.code(), errc::bad_url) << url;
    EXPECT_NE(got.failure().detail.find(word), std::string::npos) << url << " -> " << got.failure().detail;
  }
}

TEST(SettingsUrl, LongestSocketPathIsTaken) { EXPECT_TRUE(settings::from_url("unix:///" + std::string(106, 'x'))); }

TEST(SettingsUrl, DisplayHasNoSecretsAndReadsBack) {
  const std::pair<const char*, const char*> cases[] = {
      {"rediss://ops:hunter2@cache-1:6380/2", "rediss://ops@cache-1:6380/2"},
      {"redis://:hunter2@h", "redis://h:6379"},
      {"redis://h?password=hunter2&user=a%40b", "redis://a%40b@h:6379"},
      {"redis://[fe80::1%25eth0]:1/3", "redis://[fe80::1%25eth0]:1/3"},
      {"unix:///run/my%20redis.sock?database=4&password=hunter2", "unix:///run/my%20redis.sock?database=4"},
  };
  for (const auto& [url, shown] : cases) {
    const auto got = settings::from_url(url);
    ASSERT_TRUE(got) << got.failure().detail;
    EXPECT_EQ(got->display(), shown);
    const auto again = topology::parse_url(got->display());
    ASSERT_TRUE(again) << again.failure().detail;
    if (got->transport != transport::unix_socket) {
      EXPECT_EQ(again->hosts.at(0).host, got->host);
    }
    EXPECT_EQ(again->path, got->path);
  }
}

// Random bytes, and good URLs with random damage: always a value or bad_url with a text, and nothing worse (run under
// ASan and UBSan in CI).
TEST(SettingsUrl, RandomBytesEndInAValueOrBadUrl) {
  std::mt19937 random{20240607};  // fixed: a failure can be repeated
  const std::string_view seeds[] = {"",
                                    "redis://",
                                    "unix://",
                                    "redis+sentinel://u:p@s1:1,[::1]/name/2?sentinel_tls=no",
                                    "rediss://u:p@[::1]:1/2?prefix=%41&tls_verify=no",
                                    "redis://user:pa%20ss@host:6379/1?connect_timeout=5s&max_in_flight=10"};
  const std::string_view alphabet = "redisunx:/@?&=%#[]0123456789abAB.- \n";
  int good = 0;
  for (int round = 0; round < 50'000; ++round) {
    std::string url{seeds[random() % std::size(seeds)]};
    for (auto edits = random() % 8; edits > 0; --edits) {
      const auto at = url.empty() ? 0 : random() % url.size();
      const char byte = random() % 3 == 0 ? static_cast<char>(random() % 256) : alphabet[random() % alphabet.size()];
      if (random() % 2 == 0 || url.empty()) {
        url.insert(at, 1, byte);
      } else if (random() % 2 == 0) {
        url[at] = byte;
      } else {
        url.erase(at, 1);
      }
    }
    const auto got = settings::from_url(url);
    if (got) {
      ++good;
      ASSERT_FALSE(got->transport == transport::unix_socket ? got->path.empty() : got->host.empty()) << url;
    } else {
      ASSERT_EQ(got.code(), errc::bad_url) << url;
      ASSERT_FALSE(got.failure().detail.empty()) << url;
    }
  }
  EXPECT_GT(good, 1000) << "the damage is so heavy that the readers behind the first check are never reached";
}

}  // namespace
}  // namespace holdfast
