// The test support itself: what the other tests lean on must be shown to hold, and the history checker must be shown to find
// what it looks for. Its redis-server: redis_server_test.cpp.
#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <string>
#include <vector>

#include "support/boottime.hpp"
#include "support/eventually.hpp"
#include "support/history.hpp"
#include "support/process.hpp"
#include "support/redis_server.hpp"
#include "support/resp_frames.hpp"
#include "support/temp_dir.hpp"

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;
using texts = std::vector<std::string>;

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
