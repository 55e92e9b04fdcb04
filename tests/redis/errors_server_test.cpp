// One test for each errc by which a real server turns a lock away: refused, server_busy, read_only, out_of_memory,
// wrong_type.
#include <gtest/gtest.h>

#include <future>
#include <thread>

#include "redis/common.hpp"
#include "support/certificates.hpp"
#include "support/temp_dir.hpp"

namespace holdfast::test {
namespace {

using namespace std::string_literals;

TEST(server_errors, refused_for_a_wrong_password_and_it_is_not_repeated) {
  redis_server server{{.requirepass = "right-one"}};
  const std::string host = "127.0.0.1:" + std::to_string(server.port());
  for (const auto& login : {":wr0ng-secret@"s, "nobody:wr0ng-secret@"s, ""s}) {
    client redis{at("redis://" + login + host)};
    const auto got = redis.acquire(std::nothrow, "door", {.wait = 5s});
    ASSERT_FALSE(got);
    EXPECT_EQ(got.code(), errc::refused) << got.failure().detail;
    EXPECT_TRUE(has(got.failure().detail, "password")) << got.failure().detail;
    EXPECT_FALSE(has(got.failure().detail, "wr0ng-secret")) << got.failure().detail;
    EXPECT_EQ(got.failure().sent, delivery::not_sent);
    EXPECT_EQ(redis.ping().code(), errc::refused);
  }
  client right{at("redis://:right-one@" + host)};
  EXPECT_TRUE(right.try_acquire("door"));
  EXPECT_FALSE(has(right.where().display(), "right-one"));
}

TEST(server_errors, refused_for_a_user_without_rights) {
  redis_server server{{.users = {"user app on >s3cret ~app:* ~{app:* ~holdfast:fence:* &* +@all",
                                 "user idle on >s3cret ~* &* +hello +ping +info"}}};
  const std::string host = "@127.0.0.1:" + std::to_string(server.port());
  client app{at("redis://app:s3cret" + host)};
  EXPECT_TRUE(app.try_acquire("app:door"));
  const auto foreign_key = app.try_acquire("door");
  ASSERT_FALSE(foreign_key);
  EXPECT_EQ(foreign_key.code(), errc::refused) << foreign_key.failure().detail;
  EXPECT_TRUE(has(foreign_key.failure().detail, "ACL")) << foreign_key.failure().detail;
  client idle{at("redis://idle:s3cret" + host)};
  const auto no_scripts = idle.acquire(std::nothrow, "door", {.wait = 5s});
  ASSERT_FALSE(no_scripts);
  EXPECT_EQ(no_scripts.code(), errc::refused) << no_scripts.failure().detail;
  EXPECT_FALSE(has(no_scripts.failure().detail, "s3cret"));
}

TEST(server_errors, refused_for_a_certificate_of_another_authority) {
  const temp_dir dir;
  const auto certificates = make_certificates(dir.path().string());
  redis_server server{{.tls = tls_files{certificates.server.cert, certificates.server.key, certificates.ca.cert}}};
  settings how = at(server.tls_url());
  how.tls_ca = certificates.other_ca.cert;
  client redis{how};
  const auto got = redis.acquire(std::nothrow, "door", {.wait = 5s});
  ASSERT_FALSE(got);
  EXPECT_EQ(got.code(), errc::refused) << got.failure().detail;
  EXPECT_TRUE(has(got.failure().detail, "certificate")) << got.failure().detail;
}

TEST(server_errors, server_busy_while_a_script_runs_and_a_waiter_waits_it_out) {
  redis_server server{{.config = {"busy-reply-threshold 50"}}};
  client redis{at(server)};
  ASSERT_TRUE(redis.try_acquire("warm"));
  std::thread endless{[&server] {
    auto own = server.connect(60s);
    (void)own.command({"EVAL", "while true do end", "0"});
  }};
  EXPECT_TRUE(eventually(patience, [&] { return has(server.command({"GET", "x"}).text, "BUSY"); }));
  const auto tried = redis.try_acquire("door");
  const auto limited = redis.acquire(std::nothrow, "door", {.wait = 200ms});
  auto waiting = std::async(std::launch::async, [&] { return redis.acquire(std::nothrow, "door", {.wait = 20s}); });
  EXPECT_EQ(waiting.wait_for(300ms), std::future_status::timeout);
  EXPECT_TRUE(eventually(patience, [&] { return !server.command({"SCRIPT", "KILL"}).is_error(); }));
  endless.join();
  ASSERT_FALSE(tried);
  EXPECT_EQ(tried.code(), errc::server_busy) << tried.failure().detail;
  EXPECT_TRUE(has(tried.failure().detail, "SCRIPT KILL")) << tried.failure().detail;
  ASSERT_FALSE(limited);
  EXPECT_EQ(limited.code(), errc::server_busy) << limited.failure().detail;
  ASSERT_EQ(waiting.wait_for(patience), std::future_status::ready);
  EXPECT_TRUE(waiting.get());
}

TEST(server_errors, read_only_on_a_replica) {
  redis_server primary;
  redis_server replica{{.replica_of = primary.port()}};
  ASSERT_TRUE(eventually(patience, [&] {
    return has(replica.text({"INFO", "replication"}), "master_link_status:up");
  }));
  client redis{at(replica)};
  const auto got = redis.acquire(std::nothrow, "door", {.wait = 5s});
  ASSERT_FALSE(got);
  EXPECT_EQ(got.code(), errc::read_only) << got.failure().detail;
  EXPECT_TRUE(has(got.failure().detail, "primary")) << got.failure().detail;
  EXPECT_EQ(redis.try_acquire("door").code(), errc::read_only);
}

TEST(server_errors, out_of_memory_refuses_new_locks_and_keeps_those_that_are_held) {
  redis_server server;
  client redis{at(server)};
  lease held = redis.acquire("held", {.ttl = 10s});
  server.text({"CONFIG", "SET", "maxmemory", "1"});
  const auto got = redis.acquire(std::nothrow, "door", {.wait = 5s});
  ASSERT_FALSE(got);
  EXPECT_EQ(got.code(), errc::out_of_memory) << got.failure().detail;
  EXPECT_TRUE(has(got.failure().detail, "maxmemory")) << got.failure().detail;
  EXPECT_TRUE(held.extend(std::nothrow, 20s));
  EXPECT_EQ(held.release(), release_outcome::released);
  EXPECT_EQ(server.number({"EXISTS", "held"}), 0);
  server.text({"CONFIG", "SET", "maxmemory", "0"});
  EXPECT_TRUE(redis.try_acquire("door"));
}

TEST(server_errors, wrong_type_names_what_is_there) {
  redis_server server;
  client redis{at(server)};
  server.command({"HSET", "a", "f", "v"});
  server.command({"RPUSH", "b", "x"});
  server.command({"ZADD", "c", "1", "x"});
  for (const auto& [name, type] :
       std::vector<std::pair<std::string, std::string>>{{"a", "hash"}, {"b", "list"}, {"c", "zset"}}) {
    const auto tried = redis.try_acquire(name);
    ASSERT_FALSE(tried);
    EXPECT_EQ(tried.code(), errc::wrong_type) << tried.failure().detail;
    EXPECT_TRUE(has(tried.failure().detail, type)) << tried.failure().detail;
    EXPECT_TRUE(has(tried.failure().detail, "key " + name)) << tried.failure().detail;
    EXPECT_EQ(redis.acquire(std::nothrow, name, {.wait = 5s}).code(), errc::wrong_type);
    EXPECT_EQ(redis.try_acquire(name, "me", 1s).code(), errc::wrong_type);
    EXPECT_EQ(redis.extend(name, "me", 1s).code(), errc::not_owner);
    EXPECT_EQ(redis.release(name, "me").code(), errc::not_owner);
    EXPECT_EQ(server.text({"TYPE", name}), type) << "left as it was";
  }
}

}  // namespace
}  // namespace holdfast::test
