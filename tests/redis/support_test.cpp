// The test support itself, against a real server: what the other tests lean on must be shown to hold, and the history
// checker must be shown to find what it looks for.
#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <filesystem>
#include <string>
#include <vector>

#include "support/boottime.hpp"
#include "support/certificates.hpp"
#include "support/eventually.hpp"
#include "support/gate.hpp"
#include "support/history.hpp"
#include "support/process.hpp"
#include "support/redis_server.hpp"
#include "support/resp_frames.hpp"
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

TEST(process, reads_lines_and_the_exit_code) {
  process child{{"sh", "-c", "echo one; read x; echo got $x; printf end; exit 7"}};
  EXPECT_EQ(child.read_line(10s), "one");
  EXPECT_EQ(child.read_line(20ms), std::nullopt);
  EXPECT_TRUE(child.write("two\n"));
  EXPECT_EQ(child.read_line(10s), "got two");
  EXPECT_EQ(child.read_rest(10s), "end");
  EXPECT_EQ(child.wait(10s), (exit_status{7, 0}));
  EXPECT_FALSE(child.running());
}

TEST(process, passes_the_environment_and_tells_a_missing_program) {
  process child{{"sh", "-c", "echo $HOLDFAST_SUPPORT"}, {.environment = {{"HOLDFAST_SUPPORT", "seen"}}}};
  EXPECT_EQ(child.read_line(10s), "seen");
  EXPECT_THROW(process{{"/no/such/program"}}, std::runtime_error);
}

TEST(process, stops_continues_and_kills) {
  process child{{"sh", "-c", "while read x; do echo $x; done"}};
  child.pause();
  child.write("a\n");
  EXPECT_EQ(child.read_line(50ms), std::nullopt);
  child.resume();
  EXPECT_EQ(child.read_line(10s), "a");
  EXPECT_EQ(child.wait(0ms), std::nullopt);
  child.kill();
  EXPECT_EQ(child.wait(10s), (exit_status{-1, SIGKILL}));
}

TEST(process, destructor_kills_and_reaps) {
  pid_t pid = -1;
  {
    process child{{"sleep", "1000"}};
    pid = child.pid();
  }
  EXPECT_EQ(::kill(pid, 0), -1);
}

TEST(process, forked_child_returns_its_value_and_talks) {
  process child = fork_child([] {
    std::puts("hello");
    return 5;
  });
  EXPECT_EQ(child.read_line(10s), "hello");
  EXPECT_EQ(child.wait(10s), (exit_status{5, 0}));
}

TEST(process, dies_with_the_process_that_started_it) {
  process parent = fork_child([] {
    process grandchild{{"sleep", "1000"}};
    std::printf("%d\n", grandchild.pid());
    std::fflush(stdout);
    ::pause();
    return 0;
  });
  const auto line = parent.read_line(10s);
  ASSERT_TRUE(line);
  const pid_t grandchild = std::stoi(*line);
  ASSERT_EQ(::kill(grandchild, 0), 0);
  parent.kill();
  ASSERT_TRUE(parent.wait(10s));
  // Whoever inherits the orphan may reap it late: a zombie counts as dead.
  EXPECT_TRUE(eventually(10s, [&] {
    if (::kill(grandchild, 0) != 0) return true;
    process stat{{"cat", "/proc/" + std::to_string(grandchild) + "/stat"}};
    return stat.read_rest(10s).find(") Z") != std::string::npos;
  }));
}

TEST(eventually, asks_at_least_once_and_gives_up) {
  int asked = 0;
  EXPECT_TRUE(eventually(0ms, [&] { return ++asked == 1; }));
  EXPECT_FALSE(eventually(10ms, [&] { return ++asked < 0; }));
  EXPECT_GT(asked, 2);
}

TEST(history, clean_when_intervals_follow_each_other) {
  EXPECT_EQ(find_violation({}), std::nullopt);
  EXPECT_EQ(find_violation({{1, 10, 100, 200}, {2, 12, 300, 400}, {3, 11, 200, 300}}), std::nullopt);
}

TEST(history, finds_an_overlap) {
  const auto found = find_violation({{2, 11, 199, 300}, {1, 10, 100, 200}});
  ASSERT_TRUE(found);
  EXPECT_NE(found->find("two held it at once for 1 ns: owner 1 fence 10"), std::string::npos) << *found;
}

TEST(history, finds_an_overlap_with_an_interval_before_the_last) {
  EXPECT_TRUE(find_violation({{1, 1, 0, 1000}, {2, 2, 1000, 1000}, {3, 3, 999, 1001}}));
  EXPECT_TRUE(find_violation({{1, 1, 0, 1000}, {2, 2, 500, 500}}));
}

TEST(history, finds_a_fence_that_goes_back_or_repeats) {
  const auto back = find_violation({{1, 10, 100, 200}, {2, 9, 200, 300}});
  ASSERT_TRUE(back);
  EXPECT_NE(back->find("the fence did not increase"), std::string::npos) << *back;
  EXPECT_TRUE(find_violation({{1, 10, 100, 200}, {2, 10, 200, 300}}));
}

TEST(history, finds_an_interval_that_ends_before_it_starts) { EXPECT_TRUE(find_violation({{1, 1, 200, 100}})); }

TEST(history, many_processes_append_whole_records) {
  const temp_dir dir;
  constexpr int writers = 4;
  constexpr int each = 500;
  std::vector<process> children;
  for (int w = 0; w < writers; ++w) {
    children.push_back(fork_child([&] {
      history log{dir.file("history")};
      for (int i = 0; i < each; ++i) {
        const auto now = boottime_ns();
        log.append({static_cast<std::uint64_t>(::getpid()), static_cast<std::uint64_t>(i), now, now});
      }
      return 0;
    }));
  }
  for (auto& child : children) EXPECT_EQ(child.wait(30s), (exit_status{0, 0}));
  const auto all = history{dir.file("history")}.read();
  EXPECT_EQ(all.size(), static_cast<std::size_t>(writers * each));
  for (auto& child : children) {
    std::uint64_t next = 0;
    for (const auto& one : all) {
      if (one.owner == static_cast<std::uint64_t>(child.pid())) {
        EXPECT_EQ(one.fence, next++);
      }
    }
    EXPECT_EQ(next, static_cast<std::uint64_t>(each));
  }
}

TEST(resp_frames, cuts_messages_wherever_the_bytes_are_split) {
  const std::vector<std::string> messages = {"*2\r\n$3\r\nGET\r\n$4\r\na\r\nb\r\n",
                                             "+OK\r\n",
                                             "$-1\r\n",
                                             "*-1\r\n",
                                             "*0\r\n",
                                             "*2\r\n*1\r\n:1\r\n$0\r\n\r\n",
                                             "%1\r\n+k\r\n_\r\n",
                                             ">2\r\n+a\r\n#t\r\n",
                                             "|1\r\n+ttl\r\n:3\r\n,1.5\r\n",
                                             "-ERR x\r\n"};
  std::string all;
  for (const auto& message : messages) all += message;
  for (std::size_t step = 1; step <= all.size(); ++step) {
    resp_frames frames;
    std::vector<std::string> out;
    for (std::size_t at = 0; at < all.size(); at += step) {
      frames.feed(std::string_view{all}.substr(at, step));
      while (auto message = frames.next()) out.push_back(*message);
    }
    EXPECT_EQ(out, messages) << "in pieces of " << step;
  }
}

TEST(resp_frames, passes_other_bytes_as_they_come) {
  resp_frames frames;
  frames.feed("\x16\x03\x01 hello");
  EXPECT_EQ(frames.next(), "\x16\x03\x01 hello");
  frames.feed("*2\r\n$3");
  EXPECT_EQ(frames.next(), "*2\r\n$3");
}

}  // namespace
}  // namespace holdfast::test
