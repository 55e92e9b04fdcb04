// The steps of readers and writers on one real node of a quorum: what each script does, by its answers and by what it leaves.
#include <gtest/gtest.h>

#include <string>
#include <thread>
#include <vector>

#include "redis/common.hpp"
#include "scripts/sources.hpp"

namespace holdfast::test {
namespace {

struct quorum_share_scripts : testing::Test {
  redis_server server;
  redis_connection inbox = server.connect();
  const std::string run_id = [&] {
    const std::string info = server.text({"INFO", "server"});
    const auto from = info.find("run_id:") + 7;
    return info.substr(from, info.find('\r', from) - from);
  }();
  std::string process = run_id;

  static constexpr auto all = "100000000";
  static constexpr auto lock_key = "door";
  static constexpr auto waiters = "{door}:waiters";
  static constexpr auto fence = "holdfast:fence:{7}";
  static constexpr auto seat = "holdfast:quorum";

  void SetUp() override {
    ASSERT_EQ(server.text({"SET", seat, run_id + " 1 5000 run"}), "OK");
    ASSERT_FALSE(inbox.command({"SUBSCRIBE", "holdfast:inbox:abcd"}).is_error());
  }

  reply run(const scripts::script& script, const std::vector<std::string>& keys, std::vector<std::string> args,
            const std::vector<std::string>& more) {
    std::vector<std::string> words{"EVAL", std::string{script.source}, std::to_string(keys.size())};
    words.insert(words.end(), keys.begin(), keys.end());
    words.insert(words.end(), args.begin(), args.end());
    words.insert(words.end(), more.begin(), more.end());
    return server.command(words);
  }
  // Who wants what, as in the list of those who wait.
  static std::string entry(int number, const std::string& weight, char kind = '*') {
    return weight + kind + "3000:abcd:" + std::to_string(number) + ":w" + std::to_string(number);
  }
  std::string ask(const std::string& owner, const std::vector<std::string>& more, const std::string& in_list = "",
                  const std::string& ttl = "2000") {
    return run(scripts::quorum_share_acquire, {lock_key, waiters, fence, seat},
               {owner, ttl, in_list, "0", process, "5000"}, more)
        .text;
  }
  std::string read(const std::string& owner, const std::string& in_list = "") {
    return ask(owner, {"1", all, "rw"}, in_list).substr(0, 4);
  }
  std::string write(const std::string& owner, const std::string& in_list = "") {
    return ask(owner, {all, all, "rw"}, in_list).substr(0, 4);
  }
  std::string upgrade(const std::string& owner, const std::string& reader, const std::string& in_list = "") {
    return ask(owner, {all, all, reader, "up"}, in_list);
  }
  std::string renew(const std::string& owner, const std::string& weight, const std::string& ttl = "2000") {
    return run(scripts::quorum_share_renew, {lock_key, seat}, {owner, ttl, process, "5000"}, {weight, all, "rw"}).text;
  }
  long long release(const std::string& owner, const std::string& in_list = "", const std::string& mode = "rw") {
    return run(scripts::quorum_share_release, {lock_key, waiters}, {owner, in_list}, {all, all, mode}).number;
  }
  std::string note(const std::string& owner, const std::string& number, const std::string& weight) {
    return run(scripts::quorum_share_fence, {lock_key, fence}, {owner, number}, {weight, all, "rw"}).text;
  }
  std::string sum() { return server.text({"ZSCORE", lock_key, "#"}); }
  // Who is told to ask, in order.
  std::vector<int> told(std::size_t how_many) {
    std::vector<int> out;
    for (std::size_t i = 0; i < how_many; ++i) {
      const auto message = inbox.receive();
      out.push_back(std::stoi(message.items.at(2).text));
      EXPECT_TRUE(message.items[2].text.ends_with(" 0"));
    }
    return out;
  }
  // That nobody was told since: the next message is this one.
  void expect_silence() {
    ASSERT_EQ(server.number({"PUBLISH", "holdfast:inbox:abcd", "99 0"}), 1);
    EXPECT_EQ(told(1), std::vector{99});
  }
};

TEST_F(quorum_share_scripts, readers_together_writers_alone) {
  EXPECT_EQ(read("a"), "gran");
  EXPECT_EQ(read("b"), "gran");
  EXPECT_EQ(read("a"), "gran") << "again";
  EXPECT_EQ(sum(), "2");
  const std::string refused = ask("w", {all, all, "rw"});
  EXPECT_TRUE(refused.starts_with("full ") && refused.find(" readers ") != std::string::npos) << refused;
  EXPECT_EQ(release("a"), 1);
  EXPECT_EQ(release("a"), 0);
  EXPECT_EQ(release("b"), 1);
  EXPECT_EQ(server.number({"EXISTS", lock_key}), 0);
  EXPECT_EQ(write("w"), "gran");
  EXPECT_EQ(write("w"), "gran");
  EXPECT_EQ(sum(), all);
  EXPECT_TRUE(ask("a", {"1", all, "rw"}).ends_with(" w")) << "all nodes name the writer";
  EXPECT_EQ(write("x"), "held");
  EXPECT_TRUE(server.keys_without_expiry().empty());
}

TEST_F(quorum_share_scripts, an_ended_share_is_in_nobodys_way_and_is_not_kept) {
  EXPECT_TRUE(ask("w", {all, all, "rw"}, "", "40").starts_with("granted"));
  std::this_thread::sleep_for(60ms);
  EXPECT_EQ(renew("w", all), "gone");
  EXPECT_EQ(note("w", "7", all), "gone");
  EXPECT_EQ(read("a"), "gran");
  EXPECT_EQ(sum(), "1");
  EXPECT_EQ(release("w"), 0);
  EXPECT_EQ(renew("a", "1"), "kept");
}

TEST_F(quorum_share_scripts, readers_that_joined_after_a_writer_wait_for_it_and_those_before_do_not) {
  ASSERT_EQ(write("holder"), "gran");
  EXPECT_EQ(read("early", entry(1, "1")), "held");
  EXPECT_EQ(write("w2", entry(2, all)), "held");
  EXPECT_EQ(read("late", entry(3, "1")), "held");
  EXPECT_EQ(release("holder"), 1);
  EXPECT_EQ(told(1), std::vector{1}) << "the readers up to the writer";
  expect_silence();
  EXPECT_EQ(read("late", entry(3, "1")), "full");
  EXPECT_EQ(read("newcomer"), "full");
  EXPECT_EQ(read("early", entry(1, "1")), "gran");
  EXPECT_EQ(ask("kept", {"1", all, "rw", "again"}).substr(0, 4), "gran") << "it has its lock already";
  EXPECT_EQ(release("kept"), 1);
  expect_silence();
  EXPECT_EQ(release("early"), 1);
  EXPECT_EQ(told(1), std::vector{2});
  EXPECT_EQ(write("w2b", entry(2, all)), "gran");
  EXPECT_EQ(release("w2b"), 1);
  EXPECT_EQ(told(1), std::vector{3});
  EXPECT_EQ(release("", entry(3, "1")), 0);
  EXPECT_EQ(server.number({"EXISTS", waiters, "{door}:seen", lock_key}), 0);
}

TEST_F(quorum_share_scripts, a_writer_that_leaves_lets_the_readers_behind_it_in) {
  ASSERT_EQ(read("holder"), "gran");
  EXPECT_EQ(write("w1", entry(1, all)), "full");
  EXPECT_EQ(read("r2", entry(2, "1")), "full");
  EXPECT_EQ(read("r3", entry(3, "1")), "full");
  EXPECT_EQ(release("", entry(1, all)), 0);
  EXPECT_EQ(told(2), (std::vector{2, 3}));
}

TEST_F(quorum_share_scripts, a_writer_is_held_back_by_shares_alone) {
  ASSERT_EQ(write("holder"), "gran");
  EXPECT_EQ(write("w1", entry(1, all)), "held");
  EXPECT_EQ(release("holder"), 1);
  EXPECT_EQ(write("w2"), "gran") << "whoever waits";
}

TEST_F(quorum_share_scripts, those_who_do_not_hear_or_are_silent_are_passed_over) {
  ASSERT_EQ(write("holder"), "gran");
  EXPECT_EQ(write("deaf", "100000000*3000:nobody:1:deaf"), "held");
  EXPECT_EQ(write("w2", entry(2, all)), "held");
  const std::string old = std::to_string(std::stoll(server.command({"TIME"}).items.at(0).text) - 4) + "000000";
  server.number({"ZADD", waiters, old, entry(3, all)});
  server.number({"HSET", "{door}:seen", entry(3, all), old});
  EXPECT_EQ(release("holder"), 1);
  EXPECT_EQ(told(1), std::vector{2});
  EXPECT_EQ(server.number({"ZCARD", waiters}), 1);
}

TEST_F(quorum_share_scripts, an_upgrade_needs_its_readers_share_and_nobody_elses) {
  EXPECT_EQ(upgrade("up1", "a"), "refused lost");
  ASSERT_EQ(read("a"), "gran");
  ASSERT_EQ(read("b"), "gran");
  EXPECT_TRUE(upgrade("up1", "a", entry(1, all, '^')).starts_with("full "));
  EXPECT_EQ(read("late"), "full");
  EXPECT_EQ(upgrade("up2", "b", entry(2, all, '^')), "refused deadlock");
  EXPECT_EQ(upgrade("up2", "b"), "refused deadlock");
  EXPECT_EQ(server.number({"ZCARD", waiters}), 1);
  EXPECT_EQ(release("b"), 1);
  EXPECT_EQ(told(1), std::vector{1});
  EXPECT_TRUE(upgrade("up1", "a", entry(1, all, '^')).starts_with("granted "));
  EXPECT_EQ(sum(), "100000001") << "the reader's share is its own still";
  EXPECT_EQ(read("b"), "held");
  EXPECT_EQ(release("up1", "", "up"), 1);
  EXPECT_EQ(sum(), "1") << "a try that is taken back";
  EXPECT_EQ(renew("a", "1"), "kept");
}

TEST_F(quorum_share_scripts, an_upgrader_is_told_past_a_writer_who_waits) {
  ASSERT_EQ(read("a"), "gran");
  ASSERT_EQ(read("b"), "gran");
  EXPECT_EQ(write("w", entry(1, all)), "full");
  EXPECT_TRUE(upgrade("up", "a", entry(2, all, '^')).starts_with("full "));
  EXPECT_EQ(release("b"), 1);
  EXPECT_EQ(told(1), std::vector{2});
}

TEST_F(quorum_share_scripts, a_downgrade_is_a_reader_and_is_made_good_by_renewals) {
  ASSERT_EQ(write("w"), "gran");
  EXPECT_EQ(read("r", entry(1, "1")), "held");
  EXPECT_EQ(release("w", "", "down"), 1);
  EXPECT_EQ(told(1), std::vector{1});
  EXPECT_EQ(sum(), "1");
  EXPECT_EQ(release("w", "", "down"), 1) << "again";
  EXPECT_EQ(renew("w", all), "kept") << "a renewal that was on its way";
  EXPECT_EQ(sum(), "1");
  EXPECT_EQ(ask("w", {all, all, "rw", "again"}).substr(0, 4), "gran") << "likewise";
  EXPECT_EQ(sum(), all);
  EXPECT_EQ(renew("w", "1"), "kept");
  EXPECT_EQ(sum(), "1");
  EXPECT_EQ(release("w"), 1);
  EXPECT_EQ(release("w", "", "down"), 0);
}

TEST_F(quorum_share_scripts, numbers_are_noted_only_where_the_share_is) {
  ASSERT_EQ(read("a"), "gran");
  EXPECT_EQ(note("a", "9000000000000000", "1"), "noted");
  EXPECT_EQ(note("b", "9000000000000009", "1"), "gone");
  EXPECT_EQ(ask("b", {"1", all, "rw"}), "granted 9000000000000001");
}

TEST_F(quorum_share_scripts, a_node_that_may_have_forgotten_neither_votes_nor_confirms) {
  ASSERT_EQ(read("a"), "gran");
  process = std::string(40, 'f');
  EXPECT_TRUE(ask("b", {"1", all, "rw"}).starts_with("young "));
  EXPECT_TRUE(renew("a", "1").starts_with("young "));
  EXPECT_EQ(sum(), "1");
  EXPECT_EQ(release("a"), 1) << "giving back does no harm";
  EXPECT_EQ(ask("b", {"1", all, "rw"}, "", "6000"), "refused max_ttl 5000");
}

TEST_F(quorum_share_scripts, what_is_not_ours_is_left_alone) {
  ASSERT_EQ(server.text({"SET", lock_key, "somebody"}), "OK");
  EXPECT_TRUE(ask("a", {"1", all, "rw"}).starts_with("WRONGTYPE"));
  EXPECT_EQ(renew("a", "1"), "taken");
  EXPECT_EQ(note("a", "1", "1"), "taken");
  EXPECT_EQ(release("a"), 0);
  EXPECT_EQ(server.text({"GET", lock_key}), "somebody");
  server.number({"DEL", lock_key});
  server.number({"ZADD", lock_key, "7", "somebody"});
  EXPECT_TRUE(ask("a", {"1", all, "rw"}).starts_with("WRONGTYPE"));
  EXPECT_EQ(release("a"), 0);
  EXPECT_EQ(server.number({"ZCARD", lock_key}), 1);
}

}  // namespace
}  // namespace holdfast::test
