// acquire, extend and release: a lock held across commands of a script.
#include <gtest/gtest.h>

#include <csignal>
#include <regex>

#include "cli/command.hpp"
#include "support/eventually.hpp"
#include "support/redis_server.hpp"

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;

class hold : public testing::Test {
 protected:
  redis_server server_;
  environment where_{{"HOLDFAST_URL", server_.url()}};

  outcome run(const std::vector<std::string>& words) { return holdfast_run(words, where_); }
  // By the shell, with the command as $1.
  std::string shell(const std::string& script) {
    process sh{{"/bin/sh", "-c", script, "sh", program}, {.environment = where_}};
    return sh.read_rest(30s);
  }
  bool queued(const std::string& name) {
    return eventually(10s, [&] { return server_.number({"ZCARD", "{" + name + "}:waiters"}) == 1; });
  }
};

TEST_F(hold, acquire_prints_what_the_shell_can_evaluate) {
  const outcome seen = run({"acquire", "deploy", "--ttl", "5m"});
  EXPECT_EQ(seen.code(), 0) << seen.err;
  EXPECT_TRUE(std::regex_match(seen.out, std::regex{R"(owner=[^ ]+:\d+:[0-9a-f]{32} fence=\d{16} ttl=300000ms\n)"}))
      << seen.out;
  EXPECT_GT(server_.number({"PTTL", "deploy"}), 200'000);
}

TEST_F(hold, a_script_holds_across_commands) {
  EXPECT_EQ(shell("eval \"$($1 acquire deploy)\" && $1 extend deploy --owner \"$owner\" --ttl 10m && "
                  "$1 status -q deploy && $1 release deploy --owner \"$owner\" && echo released"),
            "released\n");
  EXPECT_EQ(server_.number({"EXISTS", "deploy", "{deploy}:note"}), 0);
}

TEST_F(hold, an_owner_of_any_bytes_survives_the_shell) {
  const std::string owner = "it's $(touch /nowhere) `x` \"y\" \\ *\n;";
  EXPECT_EQ(run({"acquire", "deploy", "--owner", owner}).code(), 0);
  server_.command({"DEL", "deploy"});
  where_["ODD"] = owner;
  EXPECT_EQ(shell("eval \"$($1 acquire deploy --owner \"$ODD\")\"; printf %s \"$owner\""), owner);
}

TEST_F(hold, acquire_as_json) {
  const outcome seen = run({"acquire", "deploy", "--prefix", "app:", "--owner", "me", "--json"});
  EXPECT_TRUE(std::regex_match(
      seen.out,
      std::regex{R"(\{"name": "deploy", "key": "app:deploy", "owner": "me", "fence": \d{16}, "ttl_ms": 30000\}\n)"}))
      << seen.out;
  EXPECT_EQ(server_.text({"GET", "app:deploy"}), "me");
}

TEST_F(hold, a_held_lock_is_not_acquired) {
  server_.command({"SET", "deploy", "another", "PX", "60000"});
  for (const auto& words : {std::vector<std::string>{"acquire", "deploy", "-n"}, {"acquire", "deploy", "-w", "0"}}) {
    const outcome seen = run(words);
    EXPECT_EQ(seen.code(), 1);
    EXPECT_EQ(seen.out, "");
    EXPECT_NE(seen.err.find("held by another"), std::string::npos) << seen.err;
  }
  const outcome waited = run({"acquire", "deploy", "-w", "0.5"});
  EXPECT_EQ(waited.code(), 1);
  EXPECT_GE(waited.took, 500ms);
  EXPECT_EQ(server_.text({"GET", "deploy"}), "another");
  EXPECT_EQ(server_.number({"EXISTS", "{deploy}:waiters"}), 0) << "left something in the queue";
}

TEST_F(hold, acquire_waits_for_a_release) {
  const std::string owner = "first";
  ASSERT_EQ(run({"acquire", "deploy", "--owner", owner}).code(), 0);
  command waiting{{"acquire", "deploy", "-w", "20", "--owner", "second"}, where_};
  ASSERT_TRUE(queued("deploy"));
  ASSERT_EQ(run({"release", "deploy", "--owner", owner}).code(), 0);
  const outcome seen = waiting.finish();
  EXPECT_EQ(seen.code(), 0) << seen.err;
  EXPECT_EQ(server_.text({"GET", "deploy"}), "second");
  EXPECT_GT(server_.number({"PTTL", "deploy"}), 20'000) << "left with the short claim of a grant";
}

TEST_F(hold, a_signal_ends_the_wait_and_the_place_in_the_queue) {
  server_.command({"SET", "deploy", "another", "PX", "60000"});
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    command waiting{{"acquire", "deploy"}, where_};
    ASSERT_TRUE(queued("deploy"));
    waiting.running().signal(signal);
    const outcome seen = waiting.finish();
    EXPECT_EQ(seen.code(), 128 + signal) << seen.err;
    EXPECT_EQ(seen.out, "");
    EXPECT_EQ(server_.number({"EXISTS", "{deploy}:waiters"}), 0);
  }
}

TEST_F(hold, what_cannot_be_told_is_released) {
  process full{{"/bin/sh", "-c", "exec \"$0\" acquire deploy >/dev/full 2>/dev/null", program},
               {.environment = where_}};
  const auto ended = full.wait(20s);
  ASSERT_TRUE(ended);
  EXPECT_EQ(ended->code, 70);
  EXPECT_EQ(server_.number({"EXISTS", "deploy"}), 0);
  // A reader that is gone: the same.
  EXPECT_EQ(shell("(sleep 0.3; $1 acquire deploy 2>/dev/null; echo $? >&2) 2>&1 >&- | cat | tail -1"), "70\n");
  EXPECT_EQ(server_.number({"EXISTS", "deploy"}), 0);
}

TEST_F(hold, extend_and_release_want_the_owner) {
  for (const char* verb : {"extend", "release"}) {
    EXPECT_EQ(run({verb, "deploy"}).code(), 64) << verb;
    const outcome empty = run({verb, "deploy", "--owner", ""});
    EXPECT_EQ(empty.code(), 64) << verb;
    EXPECT_NE(empty.err.find("owner"), std::string::npos) << empty.err;

    const outcome free = run({verb, "deploy", "--owner", "me"});
    EXPECT_EQ(free.code(), 1);
    EXPECT_EQ(free.err, "holdfast: deploy is not held under this owner any more: nobody holds it\n");

    server_.command({"SET", "deploy", "another", "PX", "60000"});
    const outcome taken = run({verb, "deploy", "--owner", "me"});
    EXPECT_EQ(taken.code(), 1);
    EXPECT_EQ(taken.err, "holdfast: deploy is not held under this owner any more: it is held by another\n");
    EXPECT_EQ(server_.text({"GET", "deploy"}), "another");
    server_.command({"DEL", "deploy"});
  }
}

TEST_F(hold, extend_and_release_as_json_and_with_a_prefix) {
  ASSERT_EQ(run({"acquire", "deploy", "--prefix", "app:", "--owner", "me", "--ttl", "5"}).code(), 0);
  const outcome longer = run({"extend", "deploy", "--prefix", "app:", "--owner", "me", "--ttl", "1h", "--json"});
  EXPECT_EQ(longer.out, R"({"name": "deploy", "key": "app:deploy", "owner": "me", "ttl_ms": 3600000})"
                        "\n");
  EXPECT_GT(server_.number({"PTTL", "app:deploy"}), 3'000'000);
  const outcome back = run({"release", "deploy", "--prefix", "app:", "--owner", "me", "--json"});
  EXPECT_EQ(back.out, R"({"name": "deploy", "key": "app:deploy", "released": true})"
                      "\n");
}

TEST_F(hold, bad_input_is_a_usage_error_that_names_it) {
  for (const auto& [words, named] : std::vector<std::pair<std::vector<std::string>, std::string>>{
           {{"acquire"}, "NAME"},
           {{"acquire", ""}, "empty"},
           {{"acquire", "a{b"}, "braces"},
           {{"acquire", std::string(600, 'x')}, "600 bytes"},
           {{"acquire", "x", "--ttl", "soon"}, "soon"},
           {{"acquire", "x", "--ttl", "1ms"}, "ttl"},
           {{"acquire", "x", "-n", "-w", "1"}, "--nonblock"},
           {{"acquire", "x", "--owner", ""}, "--owner"},
           {{"acquire", "x", "--owner", std::string(300, 'o')}, "300 bytes"},
           {{"acquire", "x", "--url", "redis://h:port"}, "port"}}) {
    const outcome seen = run(words);
    EXPECT_EQ(seen.code(), 64) << seen.err;
    EXPECT_NE(seen.err.find(named), std::string::npos) << seen.err;
  }
  server_.command({"LPUSH", "list", "x"});
  EXPECT_EQ(run({"acquire", "list"}).code(), 65);
  server_.stop();
  EXPECT_EQ(run({"acquire", "x", "-n"}).code(), 69);
  EXPECT_EQ(run({"release", "x", "--owner", "me"}).code(), 69);
}

}  // namespace
}  // namespace holdfast::test
