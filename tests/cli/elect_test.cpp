// elect and leader: one leads, the next follows under a greater term, the command of a leader that is deposed is stopped in
// time, and observers hear of it.
#include <fcntl.h>
#include <signal.h>

#include "cli/run_fixture.hpp"
#include "support/eventually.hpp"

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;

class Elect : public run_test {
 protected:
  using candidate = std::unique_ptr<command>;

  [[nodiscard]] candidate campaign(std::vector<std::string> words) const {
    words.insert(words.begin(), "elect");
    return std::make_unique<command>(std::move(words), variables());
  }
  // Prints its term when it leads; ends with its input.
  [[nodiscard]] candidate service(const std::string& id, std::vector<std::string> words = {}) const {
    words.insert(words.end(), {"--ttl", "2s", "--id", id, "seat", "--", "sh", "-c", "echo $HOLDFAST_TERM; exec cat"});
    return campaign(std::move(words));
  }
  [[nodiscard]] outcome elect(std::vector<std::string> words) const {
    words.insert(words.begin(), "elect");
    return holdfast_run(words, variables());
  }
  [[nodiscard]] outcome leader(std::vector<std::string> words) const {
    words.insert(words.begin(), "leader");
    return holdfast_run(words, variables());
  }

  // The term that it says it leads in; 0: it does not within the limit.
  static std::uint64_t term_of(command& who, std::chrono::milliseconds limit = 20s) {
    const auto line = who.running().read_line(limit);
    return line && !line->empty() ? std::stoull(*line) : 0;
  }
  // Which of them is the first to lead, and in which term.
  static std::pair<std::size_t, std::uint64_t> next_leader(const std::vector<candidate>& all) {
    for (int i = 0; i < 400; ++i) {
      for (std::size_t who = 0; who < all.size(); ++who) {
        if (!all[who]) continue;
        if (const auto term = term_of(*all[who], 20ms); term != 0) return {who, term};
      }
    }
    return {all.size(), 0};
  }
  // The command that it runs, once the shell has become it.
  static pid_t work_of(command& who) {
    std::vector<pid_t> found;
    EXPECT_TRUE(eventually(20s, [&] { return !(found = children_of(who.running().pid(), "cat")).empty(); }));
    return found.empty() ? -1 : found[0];
  }
  bool waiting(int count) {
    return eventually(20s, [&] { return redis_.number({"ZCARD", "{seat}:waiters"}) == count; });
  }
  static bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }
};

TEST_F(Elect, OneOfThreeLeadsAndAKilledLeaderIsFollowed) {
  std::vector<candidate> all;
  for (const char* id : {"a", "b", "c"}) all.push_back(service(id));
  const auto [first, term] = next_leader(all);
  ASSERT_LT(first, 3U);
  ASSERT_TRUE(waiting(2));
  for (std::size_t i = 0; i < 3; ++i) {
    if (i == first) continue;
    EXPECT_EQ(term_of(*all[i], 200ms), 0U) << "two lead";
  }
  const pid_t work = work_of(*all[first]);
  all[first]->running().kill();
  const std::size_t dead = first;
  const auto killed = std::move(all[dead]);
  const auto [second, next_term] = next_leader(all);
  ASSERT_LT(second, 3U);
  EXPECT_GT(next_term, term);
  EXPECT_FALSE(is_alive(work)) << "the dead leader's command still runs";

  // Ends by itself: the last one follows at once, and the exit code is the command's.
  all[second]->running().close_input();
  EXPECT_EQ(all[second]->finish().code(), 0);
  all[second].reset();
  const auto [third, last_term] = next_leader(all);
  ASSERT_LT(third, 3U);
  EXPECT_GT(last_term, next_term);
}

TEST_F(Elect, ABrokenLeaderStopsItsCommandAndCampaignsAgain) {
  auto first = campaign({"--ttl", "60s", "--id", "a", "seat", "--", "sh", "-c",
                         "trap '' TERM; echo $HOLDFAST_TERM; while :; do sleep 0.05; done"});
  const auto term = term_of(*first);
  ASSERT_NE(term, 0U);
  auto second = service("b");
  ASSERT_TRUE(waiting(1));
  EXPECT_EQ(holdfast_run({"break", "seat", "--yes"}, variables()).code(), 0);
  const auto next_term = term_of(*second);
  EXPECT_GT(next_term, term);
  ASSERT_TRUE(eventually(20s, [&] { return has(first->err(), "\n"); }));
  EXPECT_TRUE(
      has(first->err(), "seat was lost while the command ran: somebody broke it; it was killed; campaigning again"))
      << first->err();
  ASSERT_TRUE(waiting(1)) << "it does not campaign again";
  second->running().close_input();
  EXPECT_EQ(second->finish().code(), 0);
  EXPECT_GT(term_of(*first), next_term);
  first->running().signal(SIGTERM);  // its command ignores TERM: the operator insists
  EXPECT_EQ(holdfast_run({"break", "seat", "--yes"}, variables()).code(), 0);
  EXPECT_EQ(first->finish().code(), 79) << "whoever was told to end does not campaign again";
}

TEST_F(Elect, OnceEndsWithADeposition) {
  auto only =
      campaign({"--ttl", "60s", "--once", "--json", "seat", "--", "sh", "-c", "echo $HOLDFAST_TERM; exec sleep 600"});
  const auto term = term_of(*only);
  ASSERT_NE(term, 0U);
  EXPECT_EQ(holdfast_run({"break", "seat", "--yes"}, variables()).code(), 0);
  const outcome seen = only->finish();
  EXPECT_EQ(seen.code(), 79);
  EXPECT_TRUE(has(seen.err, R"("reason": "lost", "exit_code": 79)")) << seen.err;
  EXPECT_TRUE(has(seen.err, R"("fence": )" + std::to_string(term) + R"(, "cause": "broken")")) << seen.err;
}

// The witness ignores TERM and stamps the time: it is dead before anybody else leads, though its leader cannot act.
TEST_F(Elect, AStoppedLeadersCommandIsDeadBeforeTheNextOneLeads) {
  auto first = campaign({"--ttl", "2s", "--id", "a", "seat", "--", witness, "stamp", record()});
  ASSERT_EQ(first->running().read_line(20s), "ready");
  auto second = campaign({"--ttl", "2s", "--id", "b", "seat", "--", "sh", "-c", "date +%s%N; exec cat"});
  ASSERT_TRUE(waiting(1));
  first->running().pause();
  const auto began = second->running().read_line(20s);
  ASSERT_TRUE(began);
  EXPECT_TRUE(both_are_dead());
  EXPECT_LT(last_stamp(), std::stoll(*began)) << "two led at once";
  first->running().resume();
  ASSERT_TRUE(waiting(1)) << "it does not campaign again: " << first->err();
  EXPECT_TRUE(has(first->err(), "its time ran out without a renewal; it was killed; campaigning again"))
      << first->err();
  second->running().close_input();
  EXPECT_EQ(second->finish().code(), 0);
  EXPECT_EQ(first->running().read_line(20s), "ready") << "it leads again";
  first->running().kill();
}

TEST_F(Elect, AnOutageOfRedisDeposesAndItLeadsAgainAfterwards) {
  auto only = service("a");
  const auto term = term_of(*only);
  ASSERT_NE(term, 0U);
  const pid_t work = work_of(*only);
  redis_.pause();
  EXPECT_TRUE(eventually(20s, [&] { return !is_alive(work); }));
  ASSERT_TRUE(eventually(20s, [&] { return has(only->err(), "the campaign goes on"); })) << only->err();
  redis_.resume();
  EXPECT_GT(term_of(*only, 30s), term);
  EXPECT_TRUE(has(only->err(), "its time ran out without a renewal")) << only->err();
}

TEST_F(Elect, TheExitCodeIsTheCommands) {
  EXPECT_EQ(elect({"seat", "--", "sh", "-c", "exit 3"}).code(), 3);
  EXPECT_EQ(elect({"-c", "kill -KILL $$", "seat"}).code(), 137);
  EXPECT_EQ(elect({"seat", "--", "no-such-command"}).code(), 127);
  EXPECT_EQ(elect({"--again", "seat", "--", "no-such-command"}).code(), 127) << "it would be so every time";
  EXPECT_EQ(elect({"--again", "seat", "--", "/"}).code(), 126);
  for (const std::string& each : redis_.keys()) EXPECT_TRUE(has(each, "holdfast:fence:")) << "left behind: " << each;
}

TEST_F(Elect, AgainCampaignsWhenTheCommandHasEnded) {
  auto only = campaign({"--again", "seat", "--", "sh", "-c", "echo $HOLDFAST_TERM; exit 3"});
  const auto first = term_of(*only);
  const auto second = term_of(*only);
  const auto third = term_of(*only);
  EXPECT_GT(second, first);
  EXPECT_GT(third, second);
  // Until the third has ended as well: a signal before that would be the command's, and the exit code with it.
  const auto endings = [&] {
    const std::string told = only->err();
    int count = 0;
    const std::string_view line = "holdfast: sh exited with 3; campaigning again\n";
    for (auto at = told.find(line); at != std::string::npos; at = told.find(line, at + 1)) ++count;
    return count;
  };
  EXPECT_TRUE(eventually(20s, [&] { return endings() == 3; })) << only->err();
  only->running().signal(SIGTERM);
  EXPECT_EQ(only->finish().code(), 143);
}

TEST_F(Elect, SignalsEndItWhereverItIs) {
  auto leading = campaign({"--again", "seat", "--", "sh", "-c", "echo $HOLDFAST_TERM; exec sleep 600"});
  ASSERT_NE(term_of(*leading), 0U);
  auto standing_by = service("b");
  ASSERT_TRUE(waiting(1));
  standing_by->running().signal(SIGINT);
  const outcome gone = standing_by->finish();
  EXPECT_EQ(gone.code(), 130);
  EXPECT_TRUE(has(gone.err, "signal INT ended the campaign for seat")) << gone.err;
  ASSERT_TRUE(waiting(0));
  leading->running().signal(SIGTERM);
  EXPECT_EQ(leading->finish().code(), 143);
  EXPECT_EQ(redis_.number({"EXISTS", "seat", "{seat}:leader", "{seat}:waiters"}), 0);
}

TEST_F(Elect, ALimitToTheCampaign) {
  redis_.text({"SET", "seat", "somebody", "PX", "60000"});
  const outcome seen = elect({"-w", "0.3", "seat", "--", "true"});
  EXPECT_EQ(seen.code(), 1);
  EXPECT_TRUE(has(seen.err, "seat: not elected: ")) << seen.err;
  EXPECT_EQ(elect({"-w", "0.1", "-E", "7", "seat", "--", "true"}).code(), 7);
  EXPECT_EQ(elect({"-w", "0", "seat", "--", "true"}).code(), 1) << "one try";
  EXPECT_EQ(redis_.number({"EXISTS", "{seat}:waiters"}), 0);
}

TEST_F(Elect, TheTermIsTheFenceAndCommandsWithinWork) {
  const outcome seen =
      elect({"--id", "me", "seat", "--", "sh", "-c",
             "[ $HOLDFAST_TERM = $HOLDFAST_FENCE ] && [ $HOLDFAST_NAME = seat ] && " + program + " leader --id seat"});
  EXPECT_EQ(seen.code(), 0) << seen.err;
  EXPECT_EQ(seen.out, "me\n");
}

TEST_F(Elect, WrongWordsAreNamed) {
  const std::vector<std::pair<std::vector<std::string>, std::string>> wrong{
      {{"seat"}, "there is no command to run: holdfast elect NAME -- COMMAND"},
      {{"seat", "--agian", "--", "true"}, "there is no option '--agian'; see: holdfast help elect"},
      {{"--again", "--once", "seat", "--", "true"}, "--again and --once contradict each other"},
      {{"--on-lost=ignore", "seat", "--", "true"}, "--on-lost=ignore is not for elect"},
      {{"--on-lost=signal:NOPE", "seat", "--", "true"}, "there is no such signal"},
      {{"--ttl", "10ms", "seat", "--", "true"}, "--ttl is 10 ms"},
      {{"--ttl", "2s", "--grace", "3s", "seat", "--", "true"}, "--grace 3.0 s is too long"},
      {{"--id", std::string(1025, 'x'), "seat", "--", "true"}, "the id has 1025 bytes"},
      {{"", "--", "true"}, "name"},
  };
  for (const auto& [words, why] : wrong) {
    const outcome seen = elect(words);
    EXPECT_EQ(seen.code(), 64) << seen.err;
    EXPECT_TRUE(has(seen.err, why)) << seen.err;
  }
  redis_.number({"LPUSH", "list", "x"});
  EXPECT_EQ(elect({"list", "--", "true"}).code(), 65);
  EXPECT_EQ(leader({"list"}).code(), 65);
  EXPECT_EQ(leader({}).code(), 64);
  redis_.stop();
  EXPECT_EQ(elect({"seat", "--", "true"}).code(), 69);
  EXPECT_EQ(leader({"seat"}).code(), 69);
}

TEST_F(Elect, LeaderTellsWhoItIs) {
  EXPECT_EQ(leader({"seat"}).out, "nobody\n");
  EXPECT_EQ(leader({"seat"}).code(), 1);
  EXPECT_EQ(leader({"--json", "seat"}).out,
            R"({"name": "seat", "id": null, "term": null, "owner": null, "remaining_ms": null})"
            "\n");
  auto only = service("http://10.0.0.7:80");
  const std::string term = std::to_string(term_of(*only));
  const std::string owner = redis_.text({"GET", "seat"});
  EXPECT_EQ(leader({"seat"}).out, "http://10.0.0.7:80  term " + term + "  " + owner + "\n");
  EXPECT_EQ(leader({"seat"}).code(), 0);
  EXPECT_TRUE(has(leader({"--json", "seat"}).out, R"("id": "http://10.0.0.7:80", "term": )" + term)) << term;
  auto plain = start({"other", "--", "sh", "-c", "echo in; exec cat"});
  ASSERT_EQ(plain.running().read_line(20s), "in");
  EXPECT_EQ(leader({"other"}).out, "nobody\n") << "a holder is no leader";
}

TEST_F(Elect, FollowersHearOfEveryChangeAndDoNotPoll) {
  command watching{{"leader", "-f", "--id", "seat"}, variables()};
  EXPECT_EQ(watching.running().read_line(20s), "nobody");
  auto first = service("a");
  ASSERT_NE(term_of(*first), 0U);
  EXPECT_EQ(watching.running().read_line(20s), "a");
  auto second = service("b");
  ASSERT_TRUE(waiting(1));
  const auto looks = redis_.command_calls("evalsha");
  first->running().close_input();
  EXPECT_EQ(first->finish().code(), 0);
  // There may be a moment without anybody in between.
  auto line = watching.running().read_line(20s);
  if (line == "nobody") line = watching.running().read_line(20s);
  EXPECT_EQ(line, "b");
  EXPECT_LT(redis_.command_calls("evalsha") - looks, 40) << "it polls";
  second->running().kill();
  EXPECT_EQ(watching.running().read_line(20s), "nobody");
  watching.running().signal(SIGTERM);
  EXPECT_EQ(watching.finish().status.signal, SIGTERM);
}

}  // namespace
}  // namespace holdfast::test
