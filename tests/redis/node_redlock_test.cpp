// node-redlock, the real one (npm, through ioredis), on the same key: it excludes us and is excluded by us. `./dev test`
// installs it below build/interop; where that could not be done these tests are skipped, and presets_test.cpp has shown
// its layout by the commands that it sends.
#include <gtest/gtest.h>

#include <filesystem>
#include <future>
#include <optional>

#include "redis/common.hpp"
#include "support/places.hpp"
#include "support/process.hpp"

namespace holdfast::test {
namespace {

const std::filesystem::path modules = std::filesystem::path{source_dir()} / "build/interop/node_modules";

// Reads commands from standard input: take, wait, release; answers one line each. Works with version 4 and 5.
constexpr auto script = R"(
const [modules, port, version] = process.argv.slice(1);
const load = (name) => require(modules + '/' + name);
const Redis = load('ioredis');
const found = load(version === '4' ? 'redlock4' : 'redlock');
const Redlock = found.default || found;
const redis = new Redis({ host: '127.0.0.1', port: Number(port) });
const make = (retryCount) => new Redlock([redis], { retryCount, retryDelay: 20, retryJitter: 10, automaticExtensionThreshold: 100 });
const take = (using) => (version === '4' ? using.lock('door', 60000) : using.acquire(['door'], 60000));
let held = null;
const say = (text) => process.stdout.write(text + '\n');
const act = async (word) => {
  try {
    if (word === 'take') held = await take(make(0));
    if (word === 'wait') held = await take(make(1000));
    if (word === 'release') await (version === '4' ? held.unlock() : held.release());
    say(word === 'release' ? 'released' : 'taken');
  } catch (problem) {
    say(problem.name);
  }
};
require('readline').createInterface({ input: process.stdin }).on('line', act).on('close', () => process.exit(0));
)";

class node_redlock : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    if (!std::filesystem::exists(modules / "redlock")) {
      GTEST_SKIP() << "node-redlock is not installed: run ./dev test with npm and a network";
    }
    node_.emplace(
        std::vector<std::string>{"node", "-e", script, modules.string(), std::to_string(server_.port()), GetParam()});
  }
  std::string say(const std::string& word) {
    node_->write(word + "\n");
    return node_->read_line(30s).value_or("(nothing)");
  }
  redis_server server_;
  client redis_{at(server_)};
  std::optional<process> node_;
  const options how_ = presets::as_given();
};

TEST_P(node_redlock, keeps_us_out_and_lets_us_in) {
  ASSERT_EQ(say("take"), "taken");
  EXPECT_EQ(redis_.try_acquire("door", how_).code(), errc::held);
  auto came = std::async(std::launch::async, [&] {
    const lease mine = redis_.acquire("door", how_);
    return std::chrono::steady_clock::now();
  });
  ASSERT_TRUE(queue_reaches(server_, "door", 1));
  EXPECT_EQ(say("release"), "released");
  const auto released = std::chrono::steady_clock::now();
  ASSERT_EQ(came.wait_for(patience), std::future_status::ready);
  EXPECT_LE(came.get() - released, 200ms);
}

TEST_P(node_redlock, is_kept_out_by_us_and_let_in) {
  lease held = redis_.acquire("door", how_);
  EXPECT_NE(say("take"), "taken");
  EXPECT_EQ(server_.text({"GET", "door"}), held.owner());
  node_->write("wait\n");
  EXPECT_EQ(node_->read_line(300ms), std::nullopt) << "it waits";
  EXPECT_EQ(held.release(), release_outcome::released);
  EXPECT_EQ(node_->read_line(30s), "taken");
  EXPECT_EQ(redis_.try_acquire("door", how_).code(), errc::held);
  EXPECT_EQ(say("release"), "released");
  EXPECT_TRUE(redis_.try_acquire("door", how_));
}

TEST_P(node_redlock, cannot_release_what_is_ours) {
  ASSERT_EQ(say("take"), "taken");
  server_.number({"DEL", "door"});
  lease held = redis_.acquire("door", how_);
  EXPECT_NE(say("release"), "released");
  EXPECT_EQ(held.release(), release_outcome::released);
}

INSTANTIATE_TEST_SUITE_P(, node_redlock, testing::Values("4", "5"),
                         [](const auto& shown) { return "version_" + shown.param; });

}  // namespace
}  // namespace holdfast::test
