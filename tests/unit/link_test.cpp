// link over a socketpair: who waits for which answer, what is forgotten, and what is known about delivery when it
// breaks.
#include "net/link.hpp"

#include "net/plain_stream.hpp"
#include "resp/writer.hpp"
#include "support/unique_fd.hpp"

#include <gtest/gtest.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace holdfast::net {
namespace {

using runtime::time_point;
using std::chrono::seconds;

struct probe final : request {
  std::string command = "PING";
  std::optional<std::string> answer;
  std::optional<failure> interrupted;
  void encode(std::string& out) override { resp::append_command(out, command); }
  void on_reply(const resp::value& reply, time_point /*now*/) override { answer = reply.text; }
  void on_interrupted(const failure& why, time_point /*now*/) override { interrupted = why; }
  void on_refused(const failure& /*why*/, time_point /*now*/) override {}
};

struct Link : testing::Test {
  std::mutex mutex;
  std::unique_lock<std::mutex> guard{mutex};
  test::unique_fd peer;
  std::optional<link> over;
  const time_point now{seconds{5}};

  void SetUp() override {
    int pair[2];
    ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, pair), 0);
    peer = test::unique_fd{pair[1]};
    auto stream = std::make_unique<plain_stream>(pair[0], "the test", failure{});
    ASSERT_EQ(stream->progress().what, io::done);
    over.emplace(std::move(stream), true);
  }
  void peer_says(const std::string& bytes) {
    ASSERT_EQ(::send(peer.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL), static_cast<ssize_t>(bytes.size()));
  }
  std::string peer_heard() {
    std::string bytes(1 << 20, '\0');
    const ssize_t got = ::recv(peer.get(), bytes.data(), bytes.size(), 0);
    bytes.resize(got > 0 ? static_cast<std::size_t>(got) : 0);
    return bytes;
  }
  // Deals out what has arrived, as the connection does.
  void deal() {
    ASSERT_TRUE(over->receive(guard));
    for (const resp::value& reply : over->batch()) {
      bool expected = false;
      request* const whose = over->next_waiting(expected);
      ASSERT_TRUE(expected);
      if (whose != nullptr) whose->on_reply(reply, now);
    }
  }
};

const std::string ping = "*1\r\n$4\r\nPING\r\n";

TEST_F(Link, SendsNothingBeforeTheFlushAndEverythingInOne) {
  probe a;
  probe b;
  over->append(a, now);
  over->append(b, now);
  EXPECT_TRUE(a.pending());
  EXPECT_EQ(a.sent_at(), now);
  EXPECT_TRUE(over->unsent());
  EXPECT_EQ(peer_heard(), "");
  ASSERT_TRUE(over->flush(guard));
  EXPECT_EQ(peer_heard(), ping + ping);
  EXPECT_FALSE(over->unsent());
  EXPECT_EQ(over->in_flight(), 2U);
  EXPECT_EQ(over->oldest(), now);
}

TEST_F(Link, AnswersGoToTheirRequestsInOrder) {
  probe a;
  probe b;
  over->append(a, now);
  over->append(b, now);
  ASSERT_TRUE(over->flush(guard));
  peer_says("+first\r\n+sec");
  deal();
  EXPECT_EQ(a.answer, "first");
  EXPECT_FALSE(a.pending());
  EXPECT_FALSE(b.answer);
  peer_says("ond\r\n");
  deal();
  EXPECT_EQ(b.answer, "second");
  EXPECT_TRUE(over->idle());
}

TEST_F(Link, AForgottenRequestStillTakesItsAnswerOffTheLine) {
  probe b;
  {
    probe a;
    over->append(a, now);
    over->append(b, now);
    ASSERT_TRUE(over->flush(guard));
    over->forget(a);
  }
  peer_says("+for the one that left\r\n+for b\r\n");
  deal();
  EXPECT_EQ(b.answer, "for b");
}

// MULTI … EXEC: commands that travel together, an answer for each.
struct train final : request {
  std::vector<std::string> answers;
  int interruptions = 0;
  void encode(std::string& out) override {
    for (const char* each : {"MULTI", "PING", "EXEC"}) resp::append_command(out, each);
    answers_ = 3;
  }
  void on_reply(const resp::value& reply, time_point /*now*/) override { answers.push_back(reply.text); }
  void on_interrupted(const failure& /*why*/, time_point /*now*/) override { ++interruptions; }
  void on_refused(const failure& /*why*/, time_point /*now*/) override {}
};

TEST_F(Link, ARequestOfSeveralCommandsGetsAnAnswerForEach) {
  train several;
  probe after;
  over->append(several, now);
  over->append(after, now);
  ASSERT_TRUE(over->flush(guard));
  peer_says("+one\r\n+two\r\n");
  deal();
  EXPECT_TRUE(several.pending()) << "one is still to come";
  peer_says("+three\r\n+after\r\n");
  deal();
  EXPECT_EQ(several.answers, (std::vector<std::string>{"one", "two", "three"}));
  EXPECT_FALSE(several.pending());
  EXPECT_EQ(after.answer, "after");
}

TEST_F(Link, ARequestOfSeveralCommandsIsForgottenAndInterruptedAsOne) {
  train forgotten;
  train broken;
  over->append(forgotten, now);
  over->append(broken, now);
  ASSERT_TRUE(over->flush(guard));
  over->forget(forgotten);
  peer_says("+1\r\n+2\r\n+3\r\n+mine\r\n");
  deal();
  over->interrupt_all({errc::unreachable, "cut"}, now);
  EXPECT_TRUE(forgotten.answers.empty());
  EXPECT_EQ(forgotten.interruptions, 0);
  EXPECT_EQ(broken.answers, std::vector<std::string>{"mine"});
  EXPECT_EQ(broken.interruptions, 1);
  EXPECT_FALSE(broken.pending());
}

TEST_F(Link, AnAnswerThatNobodyAskedForIsNotExpected) {
  bool expected = true;
  EXPECT_EQ(over->next_waiting(expected), nullptr);
  EXPECT_FALSE(expected);
}

TEST_F(Link, WhatWasHandedToTheKernelIsUnansweredTheRestIsNotSent) {
  probe sent;
  probe unsent;
  over->append(sent, now);
  ASSERT_TRUE(over->flush(guard));
  over->append(unsent, now);
  EXPECT_TRUE(over->any_unanswered());
  over->interrupt_all({errc::unreachable, "broken"}, now);
  ASSERT_TRUE(sent.interrupted && unsent.interrupted);
  EXPECT_EQ(sent.interrupted->sent, delivery::unanswered);
  EXPECT_EQ(unsent.interrupted->sent, delivery::not_sent);
  EXPECT_EQ(sent.interrupted->code, errc::unreachable);
  EXPECT_FALSE(sent.pending());
}

TEST_F(Link, ARequestOfWhichOnlyAPartLeftCountsAsUnanswered) {
  probe big;
  big.command = std::string(8 << 20, 'x');  // more than a socket's buffer
  probe later;
  over->append(big, now);
  ASSERT_TRUE(over->flush(guard));
  EXPECT_TRUE(over->blocked());
  EXPECT_NE(over->wanted() & POLLOUT, 0);
  over->append(later, now);
  ASSERT_TRUE(over->flush(guard)) << "a full socket is no fault";
  over->interrupt_all({errc::unreachable, "broken"}, now);
  EXPECT_EQ(big.interrupted->sent, delivery::unanswered);
  EXPECT_EQ(later.interrupted->sent, delivery::not_sent);
}

TEST_F(Link, AFullSocketGoesOnWhereItStopped) {
  probe big;
  big.command = std::string(2 << 20, 'x');
  over->append(big, now);
  std::string heard;
  const std::size_t whole = big.command.size() + std::string{"*1\r\n$2097152\r\n\r\n"}.size();
  for (int turn = 0; turn < 10'000 && heard.size() < whole; ++turn) {
    over->writable();
    ASSERT_TRUE(over->flush(guard));
    heard += peer_heard();
  }
  EXPECT_EQ(heard, "*1\r\n$2097152\r\n" + big.command + "\r\n");
}

TEST_F(Link, BytesWithoutARequestCountInWhatWasHandedOver) {
  over->append_raw("*1\r\n$4\r\nQUIT\r\n");
  probe a;
  over->append(a, now);
  EXPECT_FALSE(over->any_unanswered());
  ASSERT_TRUE(over->flush(guard));
  over->interrupt_all({errc::unreachable, "broken"}, now);
  EXPECT_EQ(a.interrupted->sent, delivery::unanswered);
}

TEST_F(Link, InterruptingToleratesRequestsThatForgetEachOther) {
  struct meddler final : request {
    link* over = nullptr;
    const request* victim = nullptr;
    void encode(std::string& out) override { resp::append_command(out, "PING"); }
    void on_reply(const resp::value& /*reply*/, time_point /*now*/) override {}
    void on_interrupted(const failure& /*why*/, time_point /*now*/) override { over->forget(*victim); }
    void on_refused(const failure& /*why*/, time_point /*now*/) override {}
  };
  meddler first;
  probe second;
  first.over = &*over;
  first.victim = &second;
  over->append(first, now);
  over->append(second, now);
  over->interrupt_all({errc::unreachable, "broken"}, now);
  EXPECT_FALSE(second.interrupted) << "it was taken off before its turn";
}

TEST_F(Link, TheEndOfTheStreamIsAProblemWithAText) {
  peer.reset();
  EXPECT_FALSE(over->receive(guard));
  EXPECT_EQ(over->problem().code, errc::unreachable);
  EXPECT_NE(over->problem().detail.find("the test"), std::string::npos);
  probe a;
  over->append(a, now);
  EXPECT_FALSE(over->flush(guard));
}

TEST_F(Link, BytesThatAreNotRespAreProtocol) {
  peer_says("HTTP/1.1 400 Bad Request\r\n\r\n");
  EXPECT_FALSE(over->receive(guard));
  EXPECT_EQ(over->problem().code, errc::protocol);
  EXPECT_EQ(over->problem().sent, delivery::unanswered);
}

TEST_F(Link, ShutWakesWhoeverPolls) {
  over->shut();
  pollfd entry{over->socket().fd(), POLLIN, 0};
  EXPECT_EQ(::poll(&entry, 1, 5000), 1);
  EXPECT_FALSE(over->receive(guard));
}

}  // namespace
}  // namespace holdfast::net
