// When a link looks for an answer before it sleeps over it; over a stream that counts how it is read.
#include "net/link.hpp"
#include "resp/writer.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

namespace holdfast::net {
namespace {

using runtime::time_point;

struct asked final : request {
  void encode(std::string& out) override { resp::append_command(out, "PING"); }
  void on_reply(const resp::value& /*reply*/, time_point /*now*/) override {}
  void on_interrupted(const failure& /*why*/, time_point /*now*/) override {}
  void on_refused(const failure& /*why*/, time_point /*now*/) override {}
};

struct counting_stream final : stream {
  int looks = 0;
  int sleeps = 0;
  int answer_at = 0;  // the look that finds one; 0: none does

  counting_stream() : stream{-1, "the test", {}} {}
  io_result progress() override { return {io::done, 0}; }
  io_result read(std::span<char> into) override {
    if (++looks != answer_at) return {io::again, 0};
    const std::string answer = "+PONG\r\n";
    std::copy(answer.begin(), answer.end(), into.begin());
    return {io::done, answer.size()};
  }
  io_result read_waiting(std::span<char> /*into*/) override { return ++sleeps, io_result{io::again, 0}; }
  io_result write(std::string_view from) override { return {io::done, from.size()}; }
  [[nodiscard]] bool pending() const override { return false; }
  [[nodiscard]] short wanted() const override { return 0; }
  [[nodiscard]] std::string_view waiting_for() const override { return ""; }
};

struct LinkLook : testing::Test {
  std::mutex mutex;
  std::unique_lock<std::mutex> guard{mutex};
  counting_stream* stream = nullptr;
  std::optional<link> over;
  asked first;
  asked second;

  void open(bool spins) {
    auto made = std::make_unique<counting_stream>();
    stream = made.get();
    over.emplace(std::move(made), spins);
  }
  void send(request& what) {
    over->append(what, time_point{});
    ASSERT_TRUE(over->flush(guard));
  }
  void wait() { ASSERT_TRUE(over->receive(guard, true)); }
};

TEST_F(LinkLook, AnAnswerThatComesSoonIsNotSleptOver) {
  open(true);
  stream->answer_at = 2;
  send(first);
  wait();
  EXPECT_EQ(over->batch().size(), 1U);
  EXPECT_EQ(stream->looks, 2);
  EXPECT_EQ(stream->sleeps, 0);
}

TEST_F(LinkLook, AnAnswerThatDoesNotComeIsLookedForOnce) {
  open(true);
  send(first);
  wait();
  EXPECT_GE(stream->looks, 1);
  EXPECT_EQ(stream->sleeps, 1);
  const int looks = stream->looks;
  wait();
  EXPECT_EQ(stream->looks, looks);
  EXPECT_EQ(stream->sleeps, 2);
}

TEST_F(LinkLook, OneOfSeveralIsSleptOver) {
  open(true);
  send(first);
  send(second);
  wait();
  EXPECT_EQ(stream->looks, 0);
  EXPECT_EQ(stream->sleeps, 1);
}

TEST_F(LinkLook, WhatNobodyWaitsForIsSleptOver) {
  open(true);
  wait();  // for a message, perhaps
  first.unawaited = true;
  send(first);
  wait();
  over->forget(first);
  wait();
  EXPECT_EQ(stream->looks, 0);
  EXPECT_EQ(stream->sleeps, 3);
}

TEST_F(LinkLook, SwitchedOffItSleepsAtOnce) {
  open(false);
  send(first);
  wait();
  EXPECT_EQ(stream->looks, 0);
  EXPECT_EQ(stream->sleeps, 1);
}

TEST_F(LinkLook, WhoDoesNotWaitReadsOnce) {
  open(true);
  send(first);
  ASSERT_TRUE(over->receive(guard));
  EXPECT_EQ(stream->looks, 1);
  EXPECT_EQ(stream->sleeps, 0);
}

}  // namespace
}  // namespace holdfast::net
