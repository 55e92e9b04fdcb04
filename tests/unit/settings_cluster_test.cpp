// redis+cluster://: what the URL of a Redis Cluster means, what it may not say, and how it is shown.
#include <holdfast/settings.hpp>

#include <gtest/gtest.h>

namespace holdfast {
namespace {

TEST(SettingsCluster, NodesAreSeparatedByCommas) {
  const auto got = settings::from_url("redis+cluster://ops:pw@a:7000,b,[::1]:7002?prefix=p:");
  ASSERT_TRUE(got) << got.failure().detail;
  EXPECT_EQ(got->deployment, deployment::cluster);
  EXPECT_EQ(got->transport, transport::tcp);
  EXPECT_EQ(got->hosts, (std::vector<endpoint>{{"a", 7000}, {"b", 6379}, {"::1", 7002}}));
  EXPECT_EQ(got->user, "ops");
  EXPECT_EQ(got->prefix, "p:");
  EXPECT_EQ(got->display(), "redis+cluster://ops@a:7000,b:6379,[::1]:7002");
}

TEST(SettingsCluster, OverTls) {
  const auto got = settings::from_url("rediss+cluster://a?tls_verify=no");
  ASSERT_TRUE(got) << got.failure().detail;
  EXPECT_EQ(got->transport, transport::tls);
  EXPECT_EQ(got->deployment, deployment::cluster);
  EXPECT_EQ(got->display(), "rediss+cluster://a:6379");
}

TEST(SettingsCluster, ASingleRedisHasNoList) {
  const auto one = settings::from_url("redis://a");
  ASSERT_TRUE(one);
  EXPECT_EQ(one->deployment, deployment::single);
  EXPECT_TRUE(one->hosts.empty());
  EXPECT_FALSE(settings::from_url("redis://a,b"));
}

TEST(SettingsCluster, WhatItMayNotSayIsNamed) {
  const auto refused = [](const char* url, const char* word) {
    const auto got = settings::from_url(url);
    ASSERT_FALSE(got) << url;
    EXPECT_NE(got.failure().detail.find(word), std::string::npos) << got.failure().detail;
  };
  refused("redis+cluster://a,b/1", "database");
  refused("redis+cluster://a,b?database=3", "database");
  refused("redis+cluster://a?scripts=off", "scripts");
  refused("redis+cluster://a,,b", "empty");
  refused("redis+cluster://a,", "empty");
  refused("redis+cluster://a,a", "twice");
  refused("redis+cluster://a:0", "port");
  refused("redis+clusters://a", "scheme");
  EXPECT_TRUE(settings::from_url("redis+cluster://a,b/0"));
}

}  // namespace
}  // namespace holdfast
