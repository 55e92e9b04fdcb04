// What examine() advises where there are replicas and Sentinels: on real ones.
#include <gtest/gtest.h>

#include <holdfast/doctor.hpp>

#include "redis/common.hpp"
#include "support/sentinel_group.hpp"

namespace holdfast::test {
namespace {

finding look(client& redis, std::string_view id) {
  const auto seen = examine(redis, {.clock_watch = 1ms, .pings = 1});
  for (const finding& each : seen.value().findings) {
    if (each.id == id) return each;
  }
  ADD_FAILURE() << "no finding " << id;
  return {};
}

TEST(examine_replicas, min_replicas_and_persistence_are_advised_and_good_when_they_are_set) {
  sentinel_group group;
  client redis{at(group.url("", "?replicas=2"))};
  finding about = look(redis, "replicas");
  EXPECT_EQ(about.how_bad, severity::warning);
  EXPECT_TRUE(has(about.fix, "min-replicas-to-write 1")) << about.fix;
  EXPECT_TRUE(has(about.why, "Sentinels")) << about.why;
  about = look(redis, "persistence");
  EXPECT_EQ(about.how_bad, severity::warning) << "the tests' servers keep nothing: " << about.seen;
  EXPECT_TRUE(has(about.why, "its replicas copy that")) << about.why;

  auto& primary = group.server(0);
  ASSERT_EQ(primary.text({"CONFIG", "SET", "min-replicas-to-write", "1"}), "OK");
  ASSERT_EQ(primary.text({"CONFIG", "SET", "appendonly", "yes"}), "OK");
  ASSERT_EQ(primary.text({"CONFIG", "SET", "appendfsync", "always"}), "OK");
  EXPECT_TRUE(eventually(patience, [&] { return look(redis, "replicas").how_bad == severity::fine; }));
  EXPECT_EQ(look(redis, "persistence").how_bad, severity::fine);

  group.server(1).kill();
  ASSERT_TRUE(eventually(patience, [&] { return has(primary.text({"INFO", "replication"}), "connected_slaves:1"); }));
  about = look(redis, "replicas");
  EXPECT_EQ(about.how_bad, severity::danger);
  EXPECT_TRUE(has(about.seen, "replicas is 2")) << about.seen;
  EXPECT_EQ(redis.try_acquire("door").code(), errc::not_replicated) << "it was right";
}

}  // namespace
}  // namespace holdfast::test
