// One Redis Cluster of six real nodes for all tests of a suite: making it takes seconds. After each test no key is without
// expiry, and nothing is left behind.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "redis/common.hpp"
#include "support/cluster_group.hpp"

namespace holdfast::test {

class in_a_cluster : public ::testing::Test {
 public:
  // Nobody fails over here, however busy the machine is.
  static void SetUpTestSuite() {
    group_ = std::make_unique<cluster_group>(3, 1, redis_options{.config = {"cluster-node-timeout 30000"}});
  }
  static void TearDownTestSuite() { group_.reset(); }

 protected:
  static cluster_group& group() { return *group_; }
  static settings where() { return at(group().url()); }
  // Besides what is kept for long: fence counters, the capacity of a semaphore once it was set, meetings that are over, and
  // the values of a cache.
  static std::vector<std::string> left_over() {
    auto keys = group().keys();
    std::erase_if(keys, [](const std::string& each) {
      return each.starts_with("holdfast:fence:{") || each.starts_with("kept:") || each.starts_with("{kept:") ||
             each.ends_with(":capacity");
    });
    return keys;
  }
  void TearDown() override {
    EXPECT_EQ(group().keys_without_expiry(), std::vector<std::string>{});
    EXPECT_TRUE(eventually(patience, [] { return left_over().empty(); })) << left_over().front();
  }
  static redis_server& home(const std::string& key) { return group().node(group().primary_of(key)); }

 private:
  static inline std::unique_ptr<cluster_group> group_;
};

}  // namespace holdfast::test
