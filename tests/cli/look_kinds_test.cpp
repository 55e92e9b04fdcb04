// status and list of every kind of the family, as people and scripts see them.
#include <gtest/gtest.h>

#include <regex>

#include "cli/command.hpp"
#include "support/eventually.hpp"
#include "support/places.hpp"
#include "support/redis_server.hpp"

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;

class LookKinds : public testing::Test {
 protected:
  redis_server server_;
  environment where_{{"HOLDFAST_URL", server_.url()}};

  outcome run(const std::vector<std::string>& words) { return holdfast_run(words, where_); }
  // `holdfast WORDS… -- cat`, inside.
  std::unique_ptr<command> inside(std::vector<std::string> words) {
    words.insert(words.end(), {"--", "sh", "-c", "echo in; exec cat"});
    auto made = std::make_unique<command>(std::move(words), where_);
    EXPECT_EQ(made->running().read_line(20s).value_or(""), "in") << made->err();
    return made;
  }
  process helper(std::vector<std::string> words) {
    words[0] = test::helper(words[0]);
    words.insert(words.begin() + 1, server_.url());
    return process{words};
  }
};

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

TEST_F(LookKinds, PermitsWithTheirHoldersAndWaiters) {
  const auto two = inside({"run", "--permits", "2/4", "pool"});
  const auto one = inside({"run", "--permits", "1/4", "pool"});
  command waiter{{"run", "--permits", "3/4", "pool", "--", "true"}, where_};
  ASSERT_TRUE(eventually(10s, [&] { return server_.number({"ZCARD", "{pool}:waiters"}) == 1; }));
  const outcome seen = run({"status", "pool", "--patience", "10"});
  EXPECT_EQ(seen.code(), 0) << seen.err;
  EXPECT_EQ(seen.out.rfind("pool: 3 of 4 permits are taken\n  holders     2", 0), 0U) << seen.out;
  const auto holder = [](command& who, const std::string& share) {
    return std::regex{"\n    \\S+, pid " + std::to_string(who.running().pid()) + " +" + share +
                      " +[0-9.]+ s left  \\S+\n"};
  };
  EXPECT_TRUE(std::regex_search(seen.out, holder(*two, "2 permits"))) << seen.out;
  EXPECT_TRUE(std::regex_search(seen.out, holder(*one, "1 permit"))) << seen.out;
  EXPECT_TRUE(std::regex_search(seen.out, std::regex{"waiters     1\n    1  \\S+, pid \\d+ .* 3 permits  \\S+\n"}))
      << seen.out;
  EXPECT_TRUE(has(seen.out, "kind        semaphore\n")) << seen.out;
  const std::string table = run({"list"}).out;
  EXPECT_TRUE(std::regex_search(table, std::regex{"pool  \\S+, pid \\d+ and 1 more: 3 of 4 .* semaphore +shares\n"}))
      << table;
  const std::string json = run({"status", "--json", "pool"}).out;
  EXPECT_TRUE(has(json, R"("kind": "semaphore", "held_by": [{"owner": )")) << json;
  EXPECT_TRUE(has(json, R"("in_use": 3, "capacity": 4, "meeting": null, "leader": null)")) << json;
  EXPECT_TRUE(has(json, R"("weight": 2, "remaining_ms": )")) << json;
}

TEST_F(LookKinds, ReadersAndWriters) {
  const auto first = inside({"run", "-s", "data"});
  const auto second = inside({"run", "-s", "data"});
  const auto alone = inside({"run", "-x", "docs"});
  EXPECT_EQ(run({"status", "data"}).out.rfind("data: held by 2 readers\n", 0), 0U);
  EXPECT_TRUE(has(run({"status", "data"}).out, "  to read  "));
  EXPECT_EQ(run({"status", "docs"}).out.rfind("docs: held by a writer\n", 0), 0U);
  const std::string table = run({"list"}).out;
  EXPECT_TRUE(std::regex_search(table, std::regex{"data  \\S+, pid \\d+ and 1 more, to read .* shared_mutex +shares"}))
      << table;
  EXPECT_TRUE(std::regex_search(table, std::regex{"docs  \\S+, pid \\d+, to write .* shared_mutex +shares"})) << table;
  EXPECT_EQ(run({"status", "-q", "data"}).code(), 0);
}

TEST_F(LookKinds, AnElectorsLeaderAndTerm) {
  const auto leader = inside({"elect", "--id", "http://10.0.0.7", "seat"});
  const outcome seen = run({"status", "seat", "--patience", "10"});
  EXPECT_EQ(seen.out.rfind("seat: led by http://10.0.0.7\n  holder      ", 0), 0U) << seen.out;
  EXPECT_TRUE(std::regex_search(seen.out, std::regex{"\n  term        \\d{16}\n"})) << seen.out;
  EXPECT_TRUE(has(seen.out, "kind        elector\n")) << seen.out;
  const std::string table = run({"list"}).out;
  EXPECT_TRUE(std::regex_search(table, std::regex{"seat  http://10.0.0.7 \\(\\S+, pid \\d+\\) .* elector +plain"}))
      << table;
  EXPECT_TRUE(std::regex_search(run({"status", "--json", "seat"}).out,
                                std::regex{R"re("leader": "http://10.0.0.7", "term": \d{16}, )re"}));
}

TEST_F(LookKinds, LatchesAndBarriers) {
  process latch = helper({"meeter", "latch", "done", "2", "arrive"});
  ASSERT_EQ(latch.read_line(20s), "ready");
  ASSERT_EQ(latch.read_line(20s), "arrived");
  outcome seen = run({"status", "done"});
  EXPECT_EQ(seen.code(), 0) << "closed: whoever comes has to wait";
  EXPECT_EQ(seen.out.rfind("done: closed, 1 of 2 is missing\n  kept for    ", 0), 0U) << seen.out;
  EXPECT_FALSE(has(seen.out, "holder")) << seen.out;
  EXPECT_FALSE(has(seen.out, "process")) << seen.out;
  process last = helper({"meeter", "latch", "done", "2", "arrive"});
  ASSERT_EQ(last.read_line(20s), "ready");
  ASSERT_EQ(last.read_line(20s), "arrived");
  seen = run({"status", "done"});
  EXPECT_EQ(seen.code(), 1) << "open";
  EXPECT_EQ(seen.out.rfind("done: open\n", 0), 0U) << seen.out;

  process barrier = helper({"meeter", "barrier", "step", "3", "arrive"});
  ASSERT_EQ(barrier.read_line(20s), "ready");
  ASSERT_EQ(barrier.read_line(20s), "arrived");
  EXPECT_EQ(run({"status", "step"}).out.rfind("step: phase 0, 2 of 3 are missing\n", 0), 0U);
  const std::string json = run({"status", "--json", "step"}).out;
  EXPECT_TRUE(has(json, R"("meeting": {"expected": 3, "members": 3, "missing": 2, "phase": 0})")) << json;
  const std::string table = run({"list"}).out;
  EXPECT_TRUE(std::regex_search(table, std::regex{"done  open .* latch +meeting"})) << table;
  EXPECT_TRUE(std::regex_search(table, std::regex{"step  phase 0, 2 of 3 are missing .* barrier +meeting"})) << table;

  const outcome broken = run({"break", "step", "--yes"});
  EXPECT_EQ(broken.code(), 65);
  EXPECT_TRUE(has(broken.err, "step is a barrier, which nobody holds")) << broken.err;
}

TEST_F(LookKinds, ThoseOfOneAcquisitionNameEachOther) {
  const std::string owner = "web-1:812:00112233445566778899aabbccddeeff";
  for (const char* name : {"a", "b", "c", "d", "e"}) server_.text({"SET", name, owner, "PX", "60000"});
  server_.text({"SET", "cache:page", "web-1:812:00112233445566778899aabbccddee00", "PX", "60000"});
  const std::string table = run({"list", "--patience", "0"}).out;
  EXPECT_TRUE(has(table, "multi_lock with b, c, d, …")) << table;
  EXPECT_TRUE(std::regex_search(table, std::regex{"cache:page .* cache +plain"})) << table;
  EXPECT_TRUE(has(run({"list", "--json", "--patience", "0"}).out, R"("together": ["b", "c", "d", "e"])"));
}

TEST_F(LookKinds, RedissonsReadWriteLock) {
  const std::string uuid = "285475da-9152-4c83-822a-67ee2f116a79";
  server_.number({"HSET", "rw", "mode", "read", uuid + ":1", "1", uuid + ":2", "3"});
  const std::string seen = run({"status", "rw"}).out;
  EXPECT_EQ(seen.rfind("rw: held by 2 readers\n", 0), 0U) << seen;
  EXPECT_TRUE(has(seen, uuid + ":2  3 times\n")) << seen;
  EXPECT_TRUE(has(seen, "kind        shared_mutex\n")) << seen;
}

}  // namespace
}  // namespace holdfast::test
