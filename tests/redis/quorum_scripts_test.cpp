// The steps of the quorum on one real node: what each script does, and that a node which may have forgotten does not vote.
#include <gtest/gtest.h>

#include <string>
#include <thread>
#include <vector>

#include "lock/quorum_replies.hpp"
#include "redis/common.hpp"
#include "scripts/sources.hpp"

namespace holdfast::test {
namespace {

using lock::vote_reply;
using kind = lock::vote_reply::kind;

struct quorum_scripts : testing::Test {
  explicit quorum_scripts(redis_options how = {}) : server{std::move(how)} {}
  redis_server server;
  std::string max_ttl = "300";

  static constexpr auto lock_key = "door";
  static constexpr auto waiters = "{door}:waiters";
  static constexpr auto fence = "holdfast:fence:{7}";
  static constexpr auto seat = "holdfast:quorum";

  reply run(const scripts::script& script, const std::vector<std::string>& keys, const std::vector<std::string>& args) {
    std::vector<std::string> words{"EVAL", std::string{script.source}, std::to_string(keys.size())};
    words.insert(words.end(), keys.begin(), keys.end());
    words.insert(words.end(), args.begin(), args.end());
    return server.command(words);
  }
  // As a client does on each new connection.
  std::string run_id() {
    const std::string info = server.text({"INFO", "server"});
    const auto from = info.find("run_id:") + 7;
    return info.substr(from, info.find('\r', from) - from);
  }
  static resp::value as_value(const reply& from) {
    resp::value made;
    made.type = from.type == reply::kind::number ? resp::kind::integer
                : from.is_error()                ? resp::kind::error
                                                 : resp::kind::bulk;
    made.text = from.text;
    made.integer = from.number;
    return made;
  }

  vote_reply ask(const std::string& owner, const std::string& ttl = "200", const std::string& entry = "",
                 const std::string& hint = "0") {
    const auto read = lock::read_vote(as_value(
        run(scripts::quorum_acquire, {lock_key, waiters, fence, seat}, {owner, ttl, entry, hint, run_id(), max_ttl})));
    return read.value();  // throws what was wrong
  }
  lock::keep_reply renew(const std::string& owner, const std::string& ttl = "200") {
    return *lock::read_keep(as_value(run(scripts::quorum_renew, {lock_key, seat}, {owner, ttl, run_id(), max_ttl})));
  }
  bool release(const std::string& owner, const std::string& entry = "") {
    return *lock::read_give_back(as_value(run(scripts::quorum_release, {lock_key, waiters}, {owner, entry})));
  }
  lock::note_reply note(const std::string& owner, std::uint64_t number) {
    return *lock::read_note(as_value(run(scripts::quorum_fence, {lock_key, fence}, {owner, std::to_string(number)})));
  }
  bool open(const std::string& seen) { return run(scripts::quorum_open, {seat}, {seen}).number == 1; }

  // Opens the node as if a whole fresh quorum had been seen.
  void come_of_age() {
    const auto young = ask("nobody");
    ASSERT_EQ(young.what, kind::young);
    ASSERT_TRUE(open(young.seat));
  }
  void expect_young(const std::string& after, bool fresh) {
    const auto told = ask("me");
    EXPECT_EQ(told.what, kind::young) << after;
    EXPECT_EQ(told.fresh, fresh) << after;
    EXPECT_LE(told.left, 300ms) << after;
    EXPECT_EQ(server.number({"EXISTS", lock_key}), 0) << "nothing is stored " << after;
  }
};

TEST_F(quorum_scripts, a_fresh_node_votes_when_max_ttl_has_passed_on_its_clock) {
  const auto begin = std::chrono::steady_clock::now();
  expect_young("at first", true);
  ASSERT_TRUE(eventually(patience, [&] { return ask("me").what == kind::granted; }));
  EXPECT_GE(since(begin), 299ms);
  EXPECT_TRUE(server.keys_without_expiry().empty());
}

TEST_F(quorum_scripts, opening_needs_the_seat_as_it_was_seen) {
  const auto young = ask("me");
  EXPECT_FALSE(open("f00 1 300 none"));
  EXPECT_EQ(ask("me").what, kind::young);
  server.text({"FLUSHALL"});
  std::this_thread::sleep_for(2ms);  // another µs for another seat
  EXPECT_EQ(ask("me").what, kind::young);
  EXPECT_FALSE(open(young.seat)) << "of before the data was lost";
  const auto now = ask("me");
  EXPECT_TRUE(open(now.seat));
  EXPECT_EQ(ask("me").what, kind::granted);
}

TEST_F(quorum_scripts, a_vote_is_exclusive_idempotent_and_ends) {
  come_of_age();
  EXPECT_EQ(ask("me").what, kind::granted);
  EXPECT_EQ(ask("me").what, kind::granted) << "a lost answer";
  const auto held = ask("you");
  EXPECT_EQ(held.what, kind::held);
  EXPECT_EQ(held.holder, "me");
  EXPECT_GT(held.left, 0ms);
  EXPECT_LE(held.left, 200ms);
  ASSERT_TRUE(eventually(patience, [&] { return ask("you").what == kind::granted; }));
  EXPECT_FALSE(release("me"));
  EXPECT_TRUE(release("you"));
  EXPECT_FALSE(release("you"));
  EXPECT_EQ(server.keys(), (std::vector<std::string>{fence, seat}));
  EXPECT_TRUE(server.keys_without_expiry().empty());
}

TEST_F(quorum_scripts, renewal_keeps_only_what_is_there) {
  come_of_age();
  EXPECT_EQ(renew("me"), lock::keep_reply::gone);
  EXPECT_EQ(server.number({"EXISTS", lock_key}), 0) << "nothing is made anew (D19)";
  ask("me", "100");
  EXPECT_EQ(renew("me", "300"), lock::keep_reply::kept);
  EXPECT_GT(server.number({"PTTL", lock_key}), 150);
  EXPECT_EQ(renew("you"), lock::keep_reply::taken) << "D2";
  server.text({"DEL", lock_key});
  server.text({"LPUSH", lock_key, "x"});
  EXPECT_EQ(renew("me"), lock::keep_reply::taken);
  EXPECT_FALSE(release("me"));
}

TEST_F(quorum_scripts, fences_rise_by_one_or_to_the_hint) {
  come_of_age();
  const auto first = ask("a").number;
  EXPECT_GT(first, 1'700'000'000'000'000U) << "begins at the clock";
  EXPECT_EQ(ask("a").number, first + 1);
  EXPECT_EQ(ask("a", "200", "", std::to_string(first + 100)).number, first + 100);
  EXPECT_EQ(ask("a", "200", "", std::to_string(first + 5)).number, first + 101) << "a hint never lowers";
  EXPECT_EQ(ask("a", "200", "", "").number, 0U) << "none asked for, none drawn";
  EXPECT_EQ(ask("a").number, first + 102);
}

TEST_F(quorum_scripts, a_number_is_noted_only_where_the_vote_is_ours) {
  come_of_age();
  const auto drawn = ask("a").number;
  EXPECT_EQ(note("b", drawn + 50), lock::note_reply::taken);
  EXPECT_EQ(note("a", drawn + 50), lock::note_reply::noted);
  EXPECT_EQ(note("a", drawn + 20), lock::note_reply::noted) << "a smaller one changes nothing";
  release("a");
  EXPECT_EQ(note("a", drawn + 90), lock::note_reply::gone);
  EXPECT_EQ(ask("b").number, drawn + 51);
}

TEST_F(quorum_scripts, a_node_that_lost_its_data_is_young_again) {
  come_of_age();
  ASSERT_EQ(ask("holder", "300").what, kind::granted);
  server.text({"FLUSHALL"});
  expect_young("FLUSHALL", true);
  EXPECT_EQ(renew("holder"), lock::keep_reply::young);
  server.kill();
  server.restart();
  expect_young("a crash without persistence", true);
  const auto begin = std::chrono::steady_clock::now();
  ASSERT_TRUE(eventually(patience, [&] { return ask("me").what == kind::granted; }));
  EXPECT_LT(since(begin), patience);
}

TEST_F(quorum_scripts, another_max_ttl_is_refused) {
  come_of_age();
  EXPECT_EQ(ask("me", "400").what, kind::other_max_ttl) << "a ttl beyond it";
  max_ttl = "60000";
  const auto told = ask("me");
  EXPECT_EQ(told.what, kind::other_max_ttl);
  EXPECT_EQ(told.max_ttl, 300ms);
  EXPECT_EQ(renew("me"), lock::keep_reply::other_max_ttl);
  EXPECT_EQ(server.number({"EXISTS", lock_key}), 0);
}

TEST_F(quorum_scripts, a_release_invites_the_first_waiter_that_listens) {
  come_of_age();
  auto inbox = server.connect();
  inbox.command({"SUBSCRIBE", "holdfast:inbox:aa"});
  ask("holder");
  EXPECT_EQ(ask("dead", "200", "3000:dead:1:dead").what, kind::held);
  EXPECT_EQ(ask("first", "200", "3000:aa:17:first").what, kind::held);
  EXPECT_EQ(ask("second", "200", "3000:aa:18:second").what, kind::held);
  EXPECT_EQ(ask("first", "200", "3000:aa:17:first").what, kind::held) << "keeps its place";
  EXPECT_TRUE(server.keys_without_expiry().empty());
  ASSERT_TRUE(release("holder"));
  EXPECT_EQ(inbox.receive().items.at(2).text, "17 0");
  EXPECT_EQ(server.list({"ZRANGE", waiters, "0", "-1"}), (std::vector<std::string>{"3000:aa:18:second"}));
  EXPECT_EQ(server.number({"EXISTS", lock_key}), 0) << "invited, not granted";

  // The one who was invited gives up instead: the next is invited.
  EXPECT_FALSE(release("first", "3000:aa:17:first"));
  EXPECT_EQ(inbox.receive().items.at(2).text, "18 0");
  EXPECT_EQ(ask("second", "200", "3000:aa:18:second").what, kind::granted);
  EXPECT_TRUE(release("second"));
  EXPECT_EQ(server.number({"EXISTS", waiters}), 0);
}

struct quorum_scripts_with_a_file : quorum_scripts {
  quorum_scripts_with_a_file() : quorum_scripts{{.appendonly = true}} {}
};

TEST_F(quorum_scripts_with_a_file, a_restart_is_young_too_because_the_last_of_the_data_may_be_missing) {
  come_of_age();
  ASSERT_EQ(ask("me", "300").what, kind::granted);
  server.restart();
  ASSERT_EQ(server.number({"EXISTS", seat}), 1) << "it did come back";
  const auto told = ask("me");
  EXPECT_EQ(told.what, kind::young);
  EXPECT_FALSE(told.fresh) << "there was a seat, of another process: " << told.seat;
  EXPECT_FALSE(open(told.seat)) << "only a fresh one";
  ASSERT_TRUE(eventually(patience, [&] { return ask("me").what == kind::granted; }));
}

// The record of a leader goes with its vote, and is written by nobody else.
TEST_F(quorum_scripts, a_leader_keeps_its_record_with_its_vote) {
  const std::string record = "{door}:leader";
  const auto keep = [&](const std::string& owner, const std::string& text) {
    return *lock::read_keep(
        as_value(run(scripts::quorum_leader_renew, {lock_key, seat}, {owner, "200", run_id(), max_ttl, record, text})));
  };
  server.text({"SET", lock_key, "me", "PX", "200"});
  EXPECT_EQ(keep("me", "7 2 meid"), lock::keep_reply::young);
  EXPECT_EQ(server.number({"EXISTS", record}), 0) << "a young node confirms nothing";
  server.text({"FLUSHALL"});
  come_of_age();
  EXPECT_EQ(keep("me", "7 2 meid"), lock::keep_reply::gone);
  ASSERT_EQ(ask("me").what, kind::granted);
  EXPECT_EQ(keep("you", "8 3 youid"), lock::keep_reply::taken);
  EXPECT_EQ(keep("me", ""), lock::keep_reply::kept);
  EXPECT_EQ(server.number({"EXISTS", record}), 0) << "before the announcement";
  server.text({"SET", record, "1 3 oldid", "PX", "100000"});
  server.text({"CONFIG", "SET", "maxmemory", "1"});
  EXPECT_EQ(keep("me", "7 2 meid"), lock::keep_reply::kept);
  server.text({"CONFIG", "SET", "maxmemory", "0"});
  EXPECT_EQ(server.text({"GET", record}), "7 2 meid") << "in place of an earlier leader's, also on a full server";
  EXPECT_LE(server.number({"PTTL", record}), 200);
  const auto give_back = [&](const std::string& owner) {
    return run(scripts::quorum_leader_release, {lock_key, waiters}, {owner, "", record}).number;
  };
  EXPECT_EQ(give_back("you"), 0);
  EXPECT_EQ(server.number({"EXISTS", lock_key, record}), 2);
  EXPECT_EQ(give_back("me"), 1);
  EXPECT_EQ(server.number({"EXISTS", lock_key, record}), 0);
}

}  // namespace
}  // namespace holdfast::test
