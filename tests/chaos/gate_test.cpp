// The fault gate itself: each fault and each trigger form, seen from a hiredis client and from the server behind it.
// One file, though long: it reads as the list of what the gate can do, in the order of the table in fault.hpp.
#include "support/gate.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <ctime>
#include <string>
#include <thread>
#include <vector>

#include "support/eventually.hpp"
#include "support/redis_server.hpp"

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;

constexpr auto patient = 10s;  // for what must succeed
constexpr auto brief = 150ms;  // for what must time out

class gate_test : public testing::Test {
 protected:
  redis_connection connect() { return redis_connection::tcp(gate_.port(), patient); }
  // What a command ends with: its text, or "late", or "closed", or "reset".
  static std::string outcome(redis_connection& connection, const std::vector<std::string>& args) {
    try {
      return connection.text(args);
    } catch (const redis_error& error) {
      const std::string why = error.what();
      if (why == "time limit passed") return "late";
      if (why == "Server closed the connection") return "closed";
      if (why == "Connection reset by peer") return "reset";
      return why;
    }
  }
  bool server_has(const std::string& key) { return server_.number({"EXISTS", key}) == 1; }

  redis_server server_;
  gate gate_{server_.port()};
};

TEST_F(gate_test, passes_and_counts) {
  auto one = connect();
  auto two = connect();
  EXPECT_EQ(outcome(one, {"SET", "a", "1"}), "OK");
  EXPECT_EQ(outcome(two, {"GET", "a"}), "1");
  EXPECT_TRUE(gate_.wait_connections(2));
  EXPECT_EQ(gate_.accepted(), 2u);
  EXPECT_EQ(gate_.bytes_to_server(), std::string{"*3\r\n$3\r\nSET\r\n$1\r\na\r\n$1\r\n1\r\n"}.size() +
                                         std::string{"*2\r\n$3\r\nGET\r\n$1\r\na\r\n"}.size());
  EXPECT_EQ(gate_.bytes_to_client(), std::string{"+OK\r\n$1\r\n1\r\n"}.size());
  EXPECT_EQ(gate_.url(), "redis://127.0.0.1:" + std::to_string(gate_.port()));
}

TEST_F(gate_test, passes_large_messages) {
  auto client = connect();
  const std::string large(3'000'000, 'x');
  EXPECT_EQ(outcome(client, {"SET", "large", large}), "OK");
  EXPECT_EQ(outcome(client, {"GET", "large"}), large);
}

TEST_F(gate_test, client_close_closes_the_server_side) {
  {
    auto client = connect();
    EXPECT_EQ(outcome(client, {"CLIENT", "SETNAME", "gone"}), "OK");
    EXPECT_NE(server_.text({"CLIENT", "LIST"}).find("name=gone"), std::string::npos);
  }
  EXPECT_TRUE(gate_.wait_connections(0));
  EXPECT_TRUE(eventually(patient, [&] {
    return server_.text({"CLIENT", "LIST"}).find("name=gone") == std::string::npos;
  }));
}

TEST_F(gate_test, server_close_closes_the_client_side) {
  auto client = connect();
  EXPECT_EQ(outcome(client, {"PING"}), "PONG");
  server_.kill();
  EXPECT_TRUE(gate_.wait_connections(0));
  EXPECT_EQ(outcome(client, {"PING"}), "closed");
}

TEST_F(gate_test, refuse_and_pass_again_on_the_same_port) {
  auto existing = connect();
  EXPECT_EQ(outcome(existing, {"PING"}), "PONG");
  const auto port = gate_.port();
  for (int round = 0; round < 3; ++round) {
    gate_.set(fault::refuse());
    EXPECT_THROW(connect(), redis_error);
    EXPECT_EQ(outcome(existing, {"PING"}), "PONG");
    gate_.pass();
    EXPECT_EQ(gate_.port(), port);
    auto again = connect();
    EXPECT_EQ(outcome(again, {"PING"}), "PONG");
  }
}

TEST_F(gate_test, down_closes_and_refuses) {
  auto existing = connect();
  EXPECT_EQ(outcome(existing, {"PING"}), "PONG");
  gate_.set(fault::down());
  EXPECT_EQ(outcome(existing, {"PING"}), "closed");
  EXPECT_THROW(connect(), redis_error);
  gate_.pass();
  EXPECT_EQ(connect().text({"PING"}), "PONG");
}

TEST_F(gate_test, stall_holds_existing_and_new_and_delivers_later) {
  auto existing = connect();
  EXPECT_EQ(outcome(existing, {"PING"}), "PONG");
  gate_.set(fault::accept_and_stall());
  auto fresh = connect();
  existing.send({"SET", "a", "1"});
  fresh.send({"SET", "b", "1"});
  fresh.set_limit(brief);
  EXPECT_THROW(fresh.receive(), redis_error);
  EXPECT_FALSE(server_has("a"));
  EXPECT_FALSE(server_has("b"));
  gate_.pass();
  EXPECT_EQ(existing.receive().text, "OK");
  EXPECT_TRUE(eventually(patient, [&] { return server_has("b"); }));
}

TEST_F(gate_test, stall_notices_a_client_that_leaves) {
  gate_.set(fault::accept_and_stall());
  {
    auto client = connect();
    ASSERT_TRUE(gate_.wait_connections(1));
    client.send({"SET", "a", "1"});
  }
  EXPECT_TRUE(gate_.wait_connections(0));
  EXPECT_FALSE(server_has("a"));
}

TEST_F(gate_test, close_after_bytes_to_server_tears_the_request) {
  auto client = connect();
  EXPECT_EQ(outcome(client, {"PING"}), "PONG");
  const auto before = gate_.bytes_to_server();
  gate_.set(fault::close_after(direction::to_server, 10));
  EXPECT_EQ(outcome(client, {"SET", "a", "1"}), "closed");
  EXPECT_EQ(gate_.bytes_to_server(), before + 10);
  EXPECT_FALSE(server_has("a"));
}

TEST_F(gate_test, close_after_bytes_to_client_tears_the_reply) {
  gate_.set(fault::close_after(direction::to_client, 3));
  auto client = connect();
  EXPECT_EQ(outcome(client, {"SET", "a", "1"}), "closed");
  EXPECT_EQ(gate_.bytes_to_client(), 3u);
  EXPECT_TRUE(server_has("a"));
}

TEST_F(gate_test, drop_reply_lets_the_request_through) {
  auto client = connect();
  gate_.set(fault::drop_reply());
  client.set_limit(brief);
  EXPECT_EQ(outcome(client, {"SET", "a", "1"}), "late");
  EXPECT_TRUE(server_has("a"));
  EXPECT_EQ(gate_.connections(), 1u);
}

TEST_F(gate_test, drop_reply_of_a_number_of_replies) {
  auto client = connect();
  gate_.set(fault::drop_reply(2));
  for (int i = 0; i < 3; ++i) client.send({"INCR", "n"});
  EXPECT_EQ(client.receive().number, 3);
}

TEST_F(gate_test, drop_request_never_reaches_the_server) {
  auto client = connect();
  gate_.set(fault::drop_request());
  client.set_limit(brief);
  EXPECT_EQ(outcome(client, {"SET", "a", "1"}), "late");
  EXPECT_FALSE(server_has("a"));
  EXPECT_EQ(gate_.bytes_to_server(), 0u);
}

TEST_F(gate_test, delay_applies_each_way) {
  auto client = connect();
  EXPECT_EQ(outcome(client, {"PING"}), "PONG");
  gate_.set(fault::delay(60ms));
  const auto start = std::chrono::steady_clock::now();
  EXPECT_EQ(outcome(client, {"PING"}), "PONG");
  EXPECT_GE(std::chrono::steady_clock::now() - start, 120ms);
}

TEST_F(gate_test, slice_still_delivers_everything_slowly) {
  auto client = connect();
  gate_.set(fault::slice(1));
  const auto start = std::chrono::steady_clock::now();
  EXPECT_EQ(outcome(client, {"ECHO", "0123456789"}), "0123456789");
  EXPECT_GE(std::chrono::steady_clock::now() - start, 40ms);  // 30 bytes up and 17 down, 1 ms between writes
}

TEST_F(gate_test, black_hole_to_server_hides_even_the_close) {
  {
    auto client = connect();
    EXPECT_EQ(outcome(client, {"CLIENT", "SETNAME", "half-open"}), "OK");
    gate_.set(fault::black_hole(direction::to_server));
    client.set_limit(brief);
    EXPECT_EQ(outcome(client, {"SET", "a", "1"}), "late");
  }
  EXPECT_TRUE(gate_.wait_connections(0));
  EXPECT_FALSE(server_has("a"));
  EXPECT_NE(server_.text({"CLIENT", "LIST"}).find("name=half-open"), std::string::npos);
  gate_.pass();
  EXPECT_TRUE(eventually(patient, [&] {
    return server_.text({"CLIENT", "LIST"}).find("name=half-open") == std::string::npos;
  }));
}

TEST_F(gate_test, black_hole_to_client_hides_even_the_close) {
  auto client = connect();
  gate_.set(fault::black_hole(direction::to_client));
  client.set_limit(brief);
  client.send({"SET", "a", "1"});
  EXPECT_TRUE(eventually(patient, [&] { return server_has("a"); }));
  server_.kill();
  EXPECT_EQ(outcome(client, {"PING"}), "late");
  EXPECT_EQ(gate_.connections(), 1u);
  gate_.pass();
  EXPECT_TRUE(gate_.wait_connections(0));
}

TEST_F(gate_test, reset_and_cut_hit_existing_connections_and_then_pass) {
  auto first = connect();
  EXPECT_EQ(outcome(first, {"PING"}), "PONG");
  gate_.reset();
  EXPECT_EQ(gate_.connections(), 0u);
  EXPECT_EQ(outcome(first, {"PING"}), "reset");
  auto second = connect();
  EXPECT_EQ(outcome(second, {"PING"}), "PONG");
  gate_.cut();
  EXPECT_EQ(gate_.connections(), 0u);
  EXPECT_EQ(outcome(second, {"PING"}), "closed");
  EXPECT_EQ(connect().text({"PING"}), "PONG");
}

TEST_F(gate_test, trigger_before_keeps_that_request_from_the_server) {
  auto client = connect();
  gate_.when("needle", fault::cut());
  EXPECT_EQ(outcome(client, {"INCR", "n"}), "1");
  EXPECT_EQ(outcome(client, {"SET", "needle", "1"}), "closed");
  EXPECT_EQ(gate_.triggered(), 1u);
  EXPECT_FALSE(server_has("needle"));
  EXPECT_EQ(connect().text({"SET", "needle", "1"}), "OK");  // once only
}

TEST_F(gate_test, trigger_before_parts_a_pipeline_exactly) {
  auto client = connect();
  gate_.when("needle", fault::drop_request());
  client.send({"INCR", "n"});
  client.send({"SET", "needle", "1"});
  client.send({"INCR", "n"});
  EXPECT_EQ(client.receive().number, 1);
  client.set_limit(brief);
  EXPECT_THROW(client.receive(), redis_error);
  EXPECT_EQ(server_.text({"GET", "n"}), "1");
  EXPECT_FALSE(server_has("needle"));
}

TEST_F(gate_test, trigger_after_drops_exactly_that_reply) {
  auto client = connect();
  gate_.when("needle", fault::drop_reply(1), moment::after);
  client.send({"INCR", "n"});
  client.send({"INCRBY", "needle", "40"});
  client.send({"INCRBY", "n", "9"});
  EXPECT_EQ(client.receive().number, 1);
  EXPECT_EQ(client.receive().number, 10);
  EXPECT_EQ(server_.text({"GET", "needle"}), "40");
  EXPECT_EQ(gate_.triggered(), 1u);
}

TEST_F(gate_test, trigger_after_with_cut_still_executes) {
  for (const auto& then : {fault::cut(), fault::reset(), fault::down()}) {
    server_.text({"FLUSHALL"});
    auto client = connect();
    gate_.when("needle", then, moment::after);
    EXPECT_TRUE(outcome(client, {"SET", "needle", "1"}) != "OK");
    EXPECT_TRUE(eventually(patient, [&] { return server_has("needle"); }));
    gate_.pass();
  }
}

TEST_F(gate_test, trigger_executed_means_that_the_server_has_done_it) {
  auto client = connect();
  gate_.when("needle", fault::cut(), moment::executed);
  EXPECT_EQ(outcome(client, {"SET", "needle", "1"}), "closed");
  EXPECT_TRUE(server_has("needle"));
}

TEST_F(gate_test, trigger_before_with_stall_holds_the_request) {
  auto client = connect();
  gate_.when("needle", fault::accept_and_stall());
  client.send({"SET", "needle", "1"});
  ASSERT_TRUE(gate_.wait_triggered());
  EXPECT_FALSE(server_has("needle"));
  gate_.pass();
  EXPECT_EQ(client.receive().text, "OK");
}

TEST_F(gate_test, trigger_skips_and_an_empty_needle_is_every_request) {
  auto client = connect();
  gate_.when("", fault::cut(), moment::before, 2);
  EXPECT_EQ(outcome(client, {"INCR", "n"}), "1");
  EXPECT_EQ(outcome(client, {"INCR", "n"}), "2");
  EXPECT_EQ(outcome(client, {"INCR", "n"}), "closed");
  EXPECT_EQ(server_.text({"GET", "n"}), "2");
}

TEST_F(gate_test, disarmed_triggers_do_nothing) {
  auto client = connect();
  gate_.when("PING", fault::cut());
  gate_.disarm();
  EXPECT_EQ(outcome(client, {"PING"}), "PONG");
  EXPECT_EQ(gate_.triggered(), 0u);
}

TEST_F(gate_test, trigger_on_a_message_from_the_server) {
  auto subscriber = connect();
  subscriber.send({"SUBSCRIBE", "inbox"});
  EXPECT_EQ(subscriber.receive().items.at(0).text, "subscribe");
  gate_.when_reply("lost", fault::drop_reply(1));
  server_.number({"PUBLISH", "inbox", "lost"});
  server_.number({"PUBLISH", "inbox", "kept"});
  EXPECT_EQ(subscriber.receive().items.at(2).text, "kept");
}

TEST_F(gate_test, idle_and_stalled_gates_do_not_spin) {
  auto client = connect();
  EXPECT_EQ(outcome(client, {"PING"}), "PONG");
  for (const auto& kept : {fault::pass(), fault::accept_and_stall(), fault::black_hole(direction::both)}) {
    gate_.set(kept);
    const std::clock_t before = std::clock();
    std::this_thread::sleep_for(200ms);
    EXPECT_LT(std::clock() - before, CLOCKS_PER_SEC / 10);
  }
}

}  // namespace
}  // namespace holdfast::test
