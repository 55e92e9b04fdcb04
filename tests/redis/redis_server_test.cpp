// The redis-server of the tests: what the other tests lean on must be shown to hold.
#include "support/redis_server.hpp"

#include <gtest/gtest.h>
#include <signal.h>

#include <chrono>
#include <filesystem>
#include <string>
#include <vector>

#include "support/certificates.hpp"
#include "support/eventually.hpp"
#include "support/gate.hpp"
#include "support/temp_dir.hpp"

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;
using texts = std::vector<std::string>;

TEST(redis_server, answers_on_its_port_and_its_socket) {
  redis_server server;
  EXPECT_EQ(server.text({"SET", "a", "1"}), "OK");
  EXPECT_EQ(server.connect().text({"GET", "a"}), "1");
  EXPECT_EQ(redis_connection::unix_socket(server.unix_path(), 5s).number({"INCR", "a"}), 2);
  EXPECT_EQ(server.url(), "redis://127.0.0.1:" + std::to_string(server.port()));
  EXPECT_TRUE(server.command({"GET", "none"}).is_nil());
  EXPECT_TRUE(server.command({"NO-SUCH"}).is_error());
  EXPECT_THROW(server.text({"NO-SUCH"}), redis_error);
}

TEST(redis_server, lists_keys_and_those_that_never_expire) {
  redis_server server;
  server.text({"SET", "short", "1", "EX", "100"});
  server.text({"SET", "forever", "1"});
  server.number({"RPUSH", "queue", "x", "y"});
  EXPECT_EQ(server.keys(), (texts{"forever", "queue", "short"}));
  EXPECT_EQ(server.keys_without_expiry(), (texts{"forever", "queue"}));
  EXPECT_EQ(server.list({"LRANGE", "queue", "0", "-1"}), (texts{"x", "y"}));
}

TEST(redis_server, counts_commands) {
  redis_server server;
  EXPECT_EQ(server.command_calls("incr"), 0);
  const long long before = server.commands_processed();
  for (int i = 0; i < 5; ++i) server.number({"INCR", "n"});
  EXPECT_EQ(server.command_calls("incr"), 5);
  EXPECT_GE(server.commands_processed(), before + 5);
}

TEST(redis_server, restart_keeps_the_port_and_loses_the_data) {
  redis_server server;
  const auto port = server.port();
  const pid_t first = server.pid();
  server.text({"SET", "a", "1"});
  server.restart();
  EXPECT_EQ(server.port(), port);
  EXPECT_NE(server.pid(), first);
  EXPECT_TRUE(server.keys().empty());
  EXPECT_EQ(server.connect().text({"PING"}), "PONG");
}

TEST(redis_server, appendonly_keeps_data_through_a_kill) {
  redis_server server{{.appendonly = true}};
  server.text({"SET", "a", "1"});
  server.kill();
  EXPECT_THROW((void)server.connect(), redis_error);
  server.restart();
  EXPECT_EQ(server.text({"GET", "a"}), "1");
}

TEST(redis_server, paused_accepts_and_does_not_answer) {
  redis_server server;
  server.pause();
  auto connection = server.connect();
  connection.set_limit(100ms);
  EXPECT_THROW(connection.text({"PING"}), redis_error);
  server.resume();
  EXPECT_EQ(server.connect().text({"PING"}), "PONG");
}

TEST(redis_server, stop_works_while_paused_and_leaves_nothing) {
  std::string socket;
  pid_t pid = -1;
  {
    redis_server server;
    socket = server.unix_path();
    pid = server.pid();
    server.pause();
  }
  EXPECT_EQ(::kill(pid, 0), -1);
  EXPECT_FALSE(std::filesystem::exists(std::filesystem::path{socket}.parent_path()));
}

TEST(redis_server, password_and_users) {
  redis_server locked{{.requirepass = "secret"}};
  EXPECT_THROW(redis_connection::tcp(locked.port(), 5s).text({"PING"}), redis_error);
  EXPECT_EQ(locked.connect().text({"PING"}), "PONG");
  EXPECT_EQ(locked.text({"PING"}), "PONG");

  redis_server named{{.users = {"user default off", "user app on >pw ~app:* +@all"}}};
  auto app = redis_connection::tcp(named.port(), 5s);
  EXPECT_THROW(app.text({"PING"}), redis_error);
  EXPECT_EQ(app.text({"AUTH", "app", "pw"}), "OK");
  EXPECT_EQ(app.text({"SET", "app:x", "1"}), "OK");
  EXPECT_TRUE(app.command({"SET", "other", "1"}).is_error());
  EXPECT_EQ(named.keys(), (texts{"app:x"}));
}

TEST(redis_server, replica_follows_its_primary) {
  redis_server primary;
  redis_server replica{{.replica_of = primary.port()}};
  primary.text({"SET", "a", "1"});
  EXPECT_TRUE(eventually(20s, [&] { return replica.text({"GET", "a"}) == "1"; }));
}

// hiredis 0.14 has no TLS, so redis-cli asks; the second time through a gate, which must pass bytes that are not RESP.
TEST(redis_server, tls_port_answers_directly_and_through_a_gate) {
  const temp_dir dir;
  const certificates made = make_certificates(dir.path().string());
  redis_server server{{.tls = tls_files{made.server.cert, made.server.key, made.ca.cert, true}}};
  const gate through{server.tls_port()};
  for (const auto port : {server.tls_port(), through.port()}) {
    process cli{{"redis-cli", "-h", "127.0.0.1", "-p", std::to_string(port), "--tls", "--cacert", made.ca.cert,
                 "--cert", made.client.cert, "--key", made.client.key, "PING"},
                {.merge_stderr = true}};
    EXPECT_EQ(cli.read_line(20s), "PONG");
  }
  EXPECT_EQ(through.accepted(), 1u);
  EXPECT_EQ(server.tls_url(), "rediss://127.0.0.1:" + std::to_string(server.tls_port()));
}

TEST(redis_server, bad_settings_fail_with_the_servers_words) {
  try {
    redis_server server{{.config = {"no-such-setting yes"}}};
    FAIL() << "it started";
  } catch (const std::runtime_error& error) {
    EXPECT_NE(std::string{error.what()}.find("no-such-setting"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace holdfast::test
