// status, list and break: looking at locks and forcing one open, from the command line.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <pty.h>
#include <unistd.h>

#include <csignal>
#include <regex>

#include "cli/command.hpp"
#include "support/eventually.hpp"
#include "support/places.hpp"
#include "support/redis_server.hpp"

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;

const std::string uuid = "285475da-9152-4c83-822a-67ee2f116a79";

class look : public testing::Test {
 protected:
  redis_server server_;
  environment where_{{"HOLDFAST_URL", server_.url()}};

  outcome run(const std::vector<std::string>& words) { return holdfast_run(words, where_); }
  process holder(const std::string& name, const std::string& ttl = "60000") {
    return process{{helper("locker"), server_.url(), name, ttl, "0"}};
  }
  bool held(const std::string& name) {
    return eventually(10s, [&] { return server_.number({"EXISTS", name}) == 1; });
  }
  bool queued(const std::string& name) {
    return eventually(10s, [&] { return server_.number({"ZCARD", "{" + name + "}:waiters"}) == 1; });
  }
};

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

TEST_F(look, status_of_a_held_lock_shows_everything) {
  process first = holder("door");
  ASSERT_TRUE(held("door"));
  process second = holder("door");
  ASSERT_TRUE(queued("door"));
  const outcome seen = run({"status", "door", "--patience", "10"});
  EXPECT_EQ(seen.code(), 0) << seen.err;
  EXPECT_TRUE(has(seen.out, "door: held\n")) << seen.out;
  EXPECT_TRUE(has(seen.out, "pid " + std::to_string(first.pid()) + "\n")) << seen.out;
  EXPECT_TRUE(has(seen.out, "owner       " + server_.text({"GET", "door"}))) << seen.out;
  EXPECT_TRUE(std::regex_search(seen.out, std::regex{"held for +\\d"})) << seen.out;
  EXPECT_TRUE(std::regex_search(seen.out, std::regex{"remaining +(5\\d|60)\\.\\d s"})) << seen.out;
  EXPECT_TRUE(std::regex_search(seen.out, std::regex{"fence +\\d{16}\n"})) << seen.out;
  EXPECT_TRUE(has(seen.out, "answers (VALID)")) << seen.out;
  EXPECT_TRUE(has(seen.out, "layout      plain string")) << seen.out;
  EXPECT_TRUE(has(seen.out, "waiters     1\n")) << seen.out;
  EXPECT_TRUE(has(seen.out, "pid " + std::to_string(second.pid()) + "  ")) << seen.out;
  EXPECT_EQ(seen.out.find('\x1b'), std::string::npos) << "colours without a terminal";
}

TEST_F(look, status_tells_by_its_exit_code) {
  EXPECT_EQ(run({"status", "door"}).out, "door: free\n");
  EXPECT_EQ(run({"status", "door"}).code(), 1);
  server_.command({"SET", "door", "foreign", "PX", "60000"});
  EXPECT_EQ(run({"status", "door"}).code(), 0);
  const outcome quiet = run({"status", "-q", "door"});
  EXPECT_EQ(quiet.code(), 0);
  EXPECT_EQ(quiet.out + quiet.err, "");
  server_.command({"LPUSH", "list", "x"});
  const outcome other = run({"status", "list"});
  EXPECT_EQ(other.code(), 65);
  EXPECT_EQ(other.out, "list: not a lock, but a list\n");
  EXPECT_EQ(run({"status"}).code(), 64);
  server_.stop();
  EXPECT_EQ(run({"status", "door"}).code(), 69);
}

TEST_F(look, status_of_foreign_layouts) {
  server_.command({"SET", "door", "foreign"});
  outcome seen = run({"status", "door"});
  EXPECT_TRUE(has(seen.out, "holder      foreign\n")) << seen.out;
  EXPECT_TRUE(has(seen.out, "for ever")) << seen.out;
  server_.command({"HSET", "java", uuid + ":57", "1"});
  seen = run({"status", "java"});
  EXPECT_EQ(seen.code(), 0);
  EXPECT_TRUE(has(seen.out, "Redisson lock")) << seen.out;
  EXPECT_TRUE(has(seen.out, uuid + ":57")) << seen.out;
}

TEST_F(look, status_as_json) {
  process first = holder("door");
  ASSERT_TRUE(held("door"));
  const outcome seen = run({"status", "door", "--json", "--patience", "10"});
  EXPECT_TRUE(has(seen.out, R"("held": true, "layout": "plain", "type": "string")")) << seen.out;
  EXPECT_TRUE(has(seen.out, R"("pid": )" + std::to_string(first.pid()))) << seen.out;
  EXPECT_TRUE(has(seen.out, R"("contact": "answered", "state": "VALID", "waiting": 0, "waiters": [])")) << seen.out;
  const outcome free = run({"status", "window", "--json"});
  EXPECT_TRUE(has(free.out, R"("held": false, "layout": "none", "type": "none", "owner": null)")) << free.out;
}

TEST_F(look, status_of_a_killed_holder_says_so) {
  process first = holder("door");
  ASSERT_TRUE(held("door"));
  first.kill();
  static_cast<void>(first.wait(10s));
  ASSERT_TRUE(eventually(10s, [&] { return has(run({"status", "door"}).out, "gone or cut off"); }));
}

TEST_F(look, list_aligns_bounds_and_escapes) {
  ASSERT_EQ(run({"acquire", "a long name", "--owner", "me"}).code(), 0);
  ASSERT_EQ(run({"acquire", "evil\x1b[2J\n"}).code(), 0);
  server_.command({"SET", "foreign", "token", "PX", "60000"});
  outcome seen = run({"list"});
  EXPECT_EQ(seen.code(), 0) << seen.err;
  EXPECT_EQ(seen.out.find('\x1b'), std::string::npos);
  EXPECT_TRUE(has(seen.out, "NAME             HOLDER")) << seen.out;
  EXPECT_TRUE(has(seen.out, "a long name      me")) << seen.out;
  EXPECT_TRUE(has(seen.out, "evil\\x1b[2J\\x0a  ")) << seen.out;
  EXPECT_FALSE(has(seen.out, "foreign")) << seen.out;
  EXPECT_TRUE(has(run({"list", "*"}).out, "foreign")) << seen.out;
  EXPECT_EQ(run({"list", "a*", "--names"}).out, "a long name\n");

  seen = run({"list", "--limit", "1"});
  EXPECT_EQ(std::count(seen.out.begin(), seen.out.end(), '\n'), 2) << seen.out;
  EXPECT_TRUE(has(seen.err, "not complete")) << seen.err;
  EXPECT_TRUE(has(run({"list", "--limit", "1", "--json"}).out, R"("complete": false)"));
  EXPECT_EQ(run({"list", "nothing*"}).out, "");
  EXPECT_EQ(run({"list", "--limit", "x"}).code(), 64);
}

TEST_F(look, list_stops_at_the_bound_on_keys_and_uses_no_keys_command) {
  auto direct = server_.connect();
  for (int i = 0; i < 5000; ++i) direct.send({"SET", "order:" + std::to_string(i), "x"});
  for (int i = 0; i < 5000; ++i) static_cast<void>(direct.receive());
  const outcome seen = run({"list", "--keys", "1000"});
  EXPECT_EQ(seen.code(), 0);
  EXPECT_TRUE(has(seen.err, "not complete")) << seen.err;
  EXPECT_LE(server_.command_calls("scan"), 2);
  EXPECT_EQ(run({"list"}).err, "");
  EXPECT_EQ(server_.command_calls("keys"), 0);
}

TEST_F(look, list_as_json) {
  ASSERT_EQ(run({"acquire", "door", "--owner", "me"}).code(), 0);
  const outcome seen = run({"list", "--json"});
  EXPECT_EQ(seen.out.rfind(R"({"locks": [{"name": "door", "key": "door", "held": true)", 0), 0U) << seen.out;
  EXPECT_TRUE(has(seen.out, R"("complete": true)")) << seen.out;
}

TEST_F(look, break_without_a_terminal_wants_a_word) {
  ASSERT_EQ(run({"acquire", "door", "--owner", "me"}).code(), 0);
  const outcome refused = run({"break", "door"});
  EXPECT_EQ(refused.code(), 64);
  EXPECT_TRUE(has(refused.err, "--yes")) << refused.err;
  EXPECT_EQ(server_.text({"GET", "door"}), "me");
  const outcome done = run({"break", "door", "--yes"});
  EXPECT_EQ(done.code(), 0) << done.err;
  EXPECT_EQ(done.out, "broke door, held by me; it is free\n");
  EXPECT_EQ(server_.number({"EXISTS", "door", "{door}:note"}), 0);
  const outcome again = run({"break", "door", "--yes"});
  EXPECT_EQ(again.code(), 1);
  EXPECT_TRUE(has(again.err, "nobody holds door")) << again.err;
}

TEST_F(look, break_takes_permits_from_all_who_have_them) {
  const auto sharer = [&] { return process{{helper("sharer"), server_.url(), "pool", "30000", "0", "1/2"}}; };
  process first = sharer();
  process second = sharer();
  for (process* each : {&first, &second}) {
    ASSERT_EQ(each->read_line(10s), "asking");
    ASSERT_EQ(each->read_line(10s).value_or("").rfind("got ", 0), 0U);
  }
  const outcome done = run({"break", "pool", "--yes", "--json"});
  EXPECT_EQ(done.code(), 0) << done.err;
  EXPECT_TRUE(has(done.out, R"("told": true, "holders": 2)")) << done.out;
  EXPECT_TRUE(has(done.out, R"("next_owner": null)")) << done.out;
  EXPECT_EQ(server_.number({"EXISTS", "pool"}), 0);
}

TEST_F(look, break_hands_over_and_the_old_holder_loses) {
  process first = holder("door");
  ASSERT_TRUE(held("door"));
  process second = holder("door");
  ASSERT_TRUE(queued("door"));
  const outcome done = run({"break", "door", "--yes", "--json"});
  EXPECT_EQ(done.code(), 0) << done.err;
  EXPECT_TRUE(has(done.out, R"("broken": true)")) << done.out;
  EXPECT_TRUE(has(done.out, R"("told": true)")) << done.out;
  EXPECT_TRUE(has(done.out, ":" + std::to_string(second.pid()) + ":")) << done.out;
  EXPECT_EQ(second.read_line(10s), "asking");
  EXPECT_EQ(second.read_line(10s).value_or("").rfind("got ", 0), 0U);
  static_cast<void>(first.read_line(10s));
  static_cast<void>(first.read_line(10s));
  first.write("\n");
  EXPECT_EQ(first.read_line(10s).value_or("").rfind("was_lost", 0), 0U);
}

TEST_F(look, break_leaves_what_is_no_lock) {
  server_.command({"HSET", "hash", "name", "Ada"});
  const outcome refused = run({"break", "hash", "--yes"});
  EXPECT_EQ(refused.code(), 65);
  EXPECT_TRUE(has(refused.err, "holds a hash")) << refused.err;
  EXPECT_EQ(server_.number({"EXISTS", "hash"}), 1);
}

// On a terminal of its own: what it wrote there, and how it ended.
struct dialogue {
  std::string text;
  int code = -1;
};

dialogue on_terminal(const std::vector<std::string>& words, const environment& variables, const std::string& answer) {
  int terminal = -1;
  const pid_t child = ::forkpty(&terminal, nullptr, nullptr, nullptr);
  if (child == 0) {
    for (const auto& [name, value] : variables) ::setenv(name.c_str(), value.c_str(), 1);
    ::setenv("TERM", "xterm", 1);
    ::unsetenv("NO_COLOR");
    std::vector<char*> argv;
    std::vector<std::string> all{program};
    all.insert(all.end(), words.begin(), words.end());
    for (auto& each : all) argv.push_back(each.data());
    argv.push_back(nullptr);
    ::execv(program.c_str(), argv.data());
    ::_exit(127);
  }
  dialogue seen;
  bool answered = false;
  char bytes[1024];
  for (ssize_t got = 0; (got = ::read(terminal, bytes, sizeof bytes)) > 0;) {
    seen.text.append(bytes, static_cast<std::size_t>(got));
    if (!answered && has(seen.text, "[y/N]")) {
      answered = ::write(terminal, answer.data(), answer.size()) > 0;
    }
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  ::close(terminal);
  seen.code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  return seen;
}

TEST_F(look, break_on_a_terminal_shows_and_asks) {
  ASSERT_EQ(run({"acquire", "door", "--owner", "me"}).code(), 0);
  for (const char* no : {"n\n", "\n", "nonsense\n", "\x04"}) {
    const dialogue seen = on_terminal({"break", "door"}, where_, no);
    EXPECT_EQ(seen.code, 1) << seen.text;
    EXPECT_TRUE(has(seen.text, "holder      me")) << seen.text;
    EXPECT_TRUE(has(seen.text, "nothing was broken")) << seen.text;
    EXPECT_TRUE(has(seen.text, "\x1b[")) << "no colours on a terminal: " << seen.text;
    EXPECT_EQ(server_.text({"GET", "door"}), "me");
  }
  const dialogue seen = on_terminal({"break", "door"}, where_, "y\n");
  EXPECT_EQ(seen.code, 0) << seen.text;
  EXPECT_EQ(server_.number({"EXISTS", "door"}), 0);
}

}  // namespace
}  // namespace holdfast::test
