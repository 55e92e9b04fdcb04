// The parts of watch that need no terminal: what counts as a hand-off or a loss, what the keys do, what is drawn.
#include <gtest/gtest.h>

#include <algorithm>

#include "watch/board.hpp"
#include "watch/keys.hpp"
#include "watch/picture.hpp"

namespace holdfast::cli::watch {
namespace {

using namespace std::chrono_literals;

sight lock(std::string name, std::string owner, std::chrono::milliseconds left, std::vector<std::string> waiters = {}) {
  const std::size_t waiting = waiters.size();
  return {std::move(name), owner, owner, left, 5s, std::move(waiters), waiting};
}

struct WatchBoard : testing::Test {
  board known;
  clock::time_point now{1000s};

  std::vector<event> look(const std::vector<sight>& all, std::chrono::milliseconds later = 1s) {
    now += later;
    return known.look(all, now);
  }
};

TEST_F(WatchBoard, TellsALockOnceWhenItIsFirstSeen) {
  const auto told = look({lock("a", "x", 20s)});
  ASSERT_EQ(told.size(), 1U);
  EXPECT_EQ(told[0].what, happening::seen);
  EXPECT_TRUE(look({lock("a", "x", 30s)}).empty());
}

TEST_F(WatchBoard, AnotherHolderIsAHandOff) {
  look({lock("a", "x", 20s, {"y", "z"})});
  const auto told = look({lock("a", "y", 20s, {"z"})});
  ASSERT_EQ(told.size(), 1U);
  EXPECT_EQ(told[0].what, happening::handed_over);
  EXPECT_EQ(told[0].holder, "y");
  EXPECT_DOUBLE_EQ(known.handoffs_per_second(), 1);
  EXPECT_EQ(known.losses(), 0U);
}

TEST_F(WatchBoard, WaitersThatHadTheirTurnBetweenTwoLooksCount) {
  look({lock("a", "x", 20s, {"y", "z", "u"})});
  look({lock("a", "u", 20s)}, 500ms);
  EXPECT_DOUBLE_EQ(known.handoffs_per_second(), 6) << "three in half a second";
  look({lock("a", "u", 20s)});
  EXPECT_DOUBLE_EQ(known.handoffs_per_second(), 0) << "of the last interval only";
}

TEST_F(WatchBoard, AReleaseInTimeIsNoLoss) {
  look({lock("a", "x", 20s)});
  const auto told = look({});
  ASSERT_EQ(told.size(), 1U);
  EXPECT_EQ(told[0].what, happening::released);
  EXPECT_EQ(told[0].holder, "x");
  EXPECT_EQ(known.losses(), 0U);
  EXPECT_EQ(known.size(), 0U);
}

TEST_F(WatchBoard, ALeaseThatRanOutIsALoss) {
  look({lock("a", "x", 900ms)});
  const auto told = look({});
  ASSERT_EQ(told.size(), 1U);
  EXPECT_EQ(told[0].what, happening::lost);
  EXPECT_EQ(known.losses(), 1U);
  look({lock("a", "y", 20s)});
  EXPECT_EQ(known.rows(order::name, "")[0].losses, 1U) << "remembered with its name";
}

TEST_F(WatchBoard, ALeaseThatRanOutAndWentToAWaiterIsBoth) {
  look({lock("a", "x", 900ms, {"y"})});
  const auto told = look({lock("a", "y", 20s)});
  ASSERT_EQ(told.size(), 2U);
  EXPECT_EQ(told[0].what, happening::lost);
  EXPECT_EQ(told[1].what, happening::handed_over);
}

TEST_F(WatchBoard, WhatNeverExpiresIsNeverLost) {
  sight endless = lock("a", "x", 1s);
  endless.remaining.reset();
  look({endless});
  EXPECT_EQ(look({})[0].what, happening::released);
}

TEST_F(WatchBoard, SortsAndFilters) {
  look({lock("b", "x", 5s, {"w"}), lock("a", "y", 9s), lock("c", "z", 1s, {"v", "u"})});
  const auto names = [&](order how, std::string_view filter = "") {
    std::string all;
    for (const row& each : known.rows(how, filter)) all += each.now.name;
    return all;
  };
  EXPECT_EQ(names(order::name), "abc");
  EXPECT_EQ(names(order::remaining), "cba");
  EXPECT_EQ(names(order::waiters), "cba");
  EXPECT_EQ(names(order::name, "b"), "b");
  EXPECT_EQ(known.waiting(), 3U);
}

TEST(WatchKeys, EachDoesWhatTheTableSays) {
  controls state;
  press(state, "s", 10, 50);
  EXPECT_EQ(state.sorted, order::remaining);
  press(state, "sss", 10, 50);
  EXPECT_EQ(state.sorted, order::name) << "around once";
  press(state, "jjk", 10, 50);
  EXPECT_EQ(state.top, 1U);
  press(state, "\x1b[6~\x1b[B", 10, 50);
  EXPECT_EQ(state.top, 12U);
  press(state, "\x1b[6~\x1b[6~\x1b[6~\x1b[6~", 10, 50);
  EXPECT_EQ(state.top, 40U) << "not beyond the end";
  press(state, "\x1b[5~\x1b[A", 10, 50);
  EXPECT_EQ(state.top, 29U);
  press(state, " ", 10, 50);
  EXPECT_TRUE(state.paused);
  press(state, "?", 10, 50);
  EXPECT_TRUE(state.help);
  press(state, "q", 10, 50);
  EXPECT_TRUE(state.quit);
}

TEST(WatchKeys, TypesAFilterInWhichCommandsAreLetters) {
  controls state;
  press(state, "/sqx\x7f", 10, 50);
  EXPECT_EQ(state.filter, "sq");
  EXPECT_TRUE(state.typing);
  EXPECT_FALSE(state.quit);
  press(state, "\r", 10, 50);
  EXPECT_FALSE(state.typing);
  EXPECT_EQ(state.filter, "sq");
  press(state, "\x1b", 10, 50);
  EXPECT_EQ(state.filter, "");
}

TEST(WatchKeys, IgnoresWhatItDoesNotKnow) {
  controls state;
  press(state, "\x1b[1;5C\x1bOP\x1b[200~zZ\x01", 10, 50);
  EXPECT_FALSE(state.quit);
  EXPECT_EQ(state.top, 0U);
}

std::size_t columns(const std::string& line) {
  return static_cast<std::size_t>(
      std::count_if(line.begin(), line.end(), [](char each) { return (each & '\xC0') != '\x80'; }));
}

TEST(WatchPicture, EveryLineFitsWhateverTheNames) {
  board known;
  std::vector<sight> all;
  for (int i = 0; i < 60; ++i) all.push_back(lock("n" + std::to_string(i) + std::string(300, 'x'), "o", 10s));
  all.push_back(lock("schlüssel-ünïcode-" + std::string(90, '\xfc'), "\x1b[31mhost", 10s));
  known.look(all, clock::time_point{5s});
  for (const std::size_t width : {80U, 100U, 200U}) {
    const auto lines = draw(known, {}, {width, 24, false}, "redis://127.0.0.1", "");
    ASSERT_EQ(lines.size(), 24U);
    for (const auto& each : lines) {
      EXPECT_LE(columns(each), width) << each;
      EXPECT_EQ(each.find('\x1b'), std::string::npos) << "no escape from a name";
    }
  }
}

TEST(WatchPicture, ShowsHolderTimeAndWaiters) {
  board known;
  known.look({lock("invoice", "web-1:77", 10s, {"a", "b"})}, clock::time_point{5s});
  std::string all;
  for (const auto& each : draw(known, {}, {100, 24, false}, "redis://h", "")) all += each + "\n";
  for (const char* word : {"invoice", "web-1:77", "10.0 s", "██████████", "1 lock, 2 waiting", "q quit"}) {
    EXPECT_NE(all.find(word), std::string::npos) << word << " in\n" << all;
  }
}

TEST(WatchPicture, TheBarShrinks) {
  EXPECT_EQ(bar(1, 4), "████");
  EXPECT_EQ(bar(0.5, 4), "██░░");
  EXPECT_EQ(bar(-1, 4), "░░░░");
  EXPECT_EQ(bar(7, 4), "████");
}

TEST(WatchPicture, TinyTerminalsDoNotBreakIt) {
  board known;
  known.look({lock("a", "x", 1s)}, clock::time_point{5s});
  for (const std::size_t height : {1U, 2U, 5U}) {
    EXPECT_GE(draw(known, {}, {1, height, true}, "w", "t").size(), 1U);
  }
}

}  // namespace
}  // namespace holdfast::cli::watch
