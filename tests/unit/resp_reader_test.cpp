// The RESP reader on good bytes: every type, every slicing, reuse, reset, and cost. What it refuses: see
// resp_refusal_test.cpp.
#include "resp/reader.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <ctime>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "../fuzz/resp_render.hpp"

namespace {

using namespace std::string_literals;
using holdfast::resp::kind;
using holdfast::resp::limits;
using holdfast::resp::reader;
using holdfast::resp::value;
using resp_test::example;
using resp_test::feed;
using resp_test::outcome;
using resp_test::repeat;

TEST(RespReader, ReadsEveryTypeOfResp2) {
  const std::vector<example> examples = {
      {"+OK\r\n", "simple 2:OK\nmore"},
      {"+\r\n", "simple 0:\nmore"},
      {"-ERR no\r\n", "error 6:ERR no\nmore"},
      {":0\r\n", "int 0\nmore"},
      {":-7\r\n", "int -7\nmore"},
      {":+7\r\n", "int 7\nmore"},
      {":9223372036854775807\r\n", "int 9223372036854775807\nmore"},
      {":-9223372036854775808\r\n", "int -9223372036854775808\nmore"},
      {"$3\r\nabc\r\n", "bulk 3:abc\nmore"},
      {"$0\r\n\r\n", "bulk 0:\nmore"},
      {"$4\r\n\r\n\r\n\r\n", "bulk 4:\r\n\r\n\nmore"},
      {"$3\r\na\0b\r\n"s, "bulk 3:a\0b\nmore"s},
      {"$-1\r\n", "null\nmore"},
      {"*-1\r\n", "null\nmore"},
      {"*0\r\n", "array[]\nmore"},
      {"*4\r\n:1\r\n$3\r\nabc\r\n:12\r\n$-1\r\n", "array[int 1, bulk 3:abc, int 12, null]\nmore"},
      {"*2\r\n*1\r\n+a\r\n*2\r\n-b\r\n*-1\r\n", "array[array[simple 1:a], array[error 1:b, null]]\nmore"},
  };
  for (const auto& e : examples) EXPECT_EQ(outcome(e.bytes), e.outcome) << e.bytes;
}

TEST(RespReader, ReadsEveryTypeOfResp3) {
  const std::vector<example> examples = {
      {"_\r\n", "null\nmore"},
      {",1.5\r\n", "real 1.5\nmore"},
      {",10\r\n", "real 10\nmore"},
      {",-2.5e-3\r\n", "real -0.0025000000000000001\nmore"},
      {",+1E2\r\n", "real 100\nmore"},
      {",inf\r\n,-inf\r\n", "real inf\nreal -inf\nmore"},
      {",nan\r\n", "real nan\nmore"},
      {"#t\r\n#f\r\n", "bool 1\nbool 0\nmore"},
      {"(-12345678901234567890123\r\n", "bulk 24:-12345678901234567890123\nmore"},
      {"!8\r\nERR a\r\nb\r\n", "error 8:ERR a\r\nb\nmore"},
      {"=8\r\ntxt:text\r\n", "bulk 4:text\nmore"},
      {"=4\r\nmkd:\r\n", "bulk 0:\nmore"},
      {"%2\r\n+a\r\n:1\r\n+b\r\n_\r\n", "map[simple 1:a, int 1, simple 1:b, null]\nmore"},
      {"%0\r\n", "map[]\nmore"},
      {"~2\r\n:1\r\n#t\r\n", "set[int 1, bool 1]\nmore"},
      {">2\r\n+message\r\n$1\r\nx\r\n:1\r\n", "push[simple 7:message, bulk 1:x]\nint 1\nmore"},
  };
  for (const auto& e : examples) EXPECT_EQ(outcome(e.bytes), e.outcome) << e.bytes;
}

TEST(RespReader, DropsAttributesWhereverTheyStand) {
  EXPECT_EQ(outcome("|1\r\n+ttl\r\n:3\r\n+OK\r\n"), "simple 2:OK\nmore");
  EXPECT_EQ(outcome("|0\r\n:1\r\n"), "int 1\nmore");
  EXPECT_EQ(outcome("|1\r\n+a\r\n+b\r\n|1\r\n+c\r\n+d\r\n*0\r\n"), "array[]\nmore") << "two in a row";
  EXPECT_EQ(outcome("*2\r\n|1\r\n+a\r\n*1\r\n:9\r\n:1\r\n:2\r\n"), "array[int 1, int 2]\nmore");
  EXPECT_EQ(outcome("|1\r\n+a\r\n|1\r\n+b\r\n:1\r\n:2\r\n*1\r\n:3\r\n"), "array[int 3]\nmore") << "in an attribute";
  EXPECT_EQ(outcome("|1\r\n+a\r\n+b\r\n"), "more") << "an attribute alone is not a value";
}

TEST(RespReader, HelpersTellKindsApart) {
  const auto of = [](kind type) {
    value v;
    v.type = type;
    return v;
  };
  for (const kind type : {kind::null, kind::integer, kind::real, kind::boolean, kind::simple, kind::bulk, kind::error,
                          kind::array, kind::map, kind::set, kind::push}) {
    EXPECT_EQ(of(type).is_null(), type == kind::null);
    EXPECT_EQ(of(type).is_error(), type == kind::error);
    EXPECT_EQ(of(type).is_text(), type == kind::simple || type == kind::bulk);
    EXPECT_EQ(of(type).is_list(), type == kind::array || type == kind::set || type == kind::push);
  }
}

TEST(RespReader, AnyCutOfAMessageIsHalfAReply) {
  const std::string message =
      "*5\r\n:1\r\n$5\r\nab\r\nc\r\n|1\r\n+k\r\n+v\r\n%1\r\n#t\r\n,1.5\r\n=5\r\ntxt:x\r\n-ERR x\r\n";
  const std::string expected = "array[int 1, bulk 5:ab\r\nc, map[bool 1, real 1.5], bulk 1:x, error 5:ERR x]\nmore";
  EXPECT_EQ(outcome(message), expected);
  for (std::size_t cut = 0; cut < message.size(); ++cut) {
    EXPECT_EQ(outcome(message.substr(0, cut)), "more") << cut;
    bool first = true;
    const auto two_parts = [&] { return std::exchange(first, false) ? cut : message.size(); };
    EXPECT_EQ(resp_test::transcript(message, {}, two_parts), expected) << cut;
  }
}

TEST(RespReader, LeavesOutAloneUntilAMessageIsComplete) {
  reader in;
  value v;
  v.type = kind::integer;
  v.integer = 99;
  feed(in, "*2\r\n:1\r\n");
  EXPECT_EQ(in.next(v), reader::status::more);
  EXPECT_EQ(resp_test::render(v), "int 99");
  feed(in, "x");
  EXPECT_EQ(in.next(v), reader::status::broken);
  EXPECT_EQ(resp_test::render(v), "int 99");
}

TEST(RespReader, ReusedValuesKeepNothingOfTheOld) {
  const std::vector<example> shapes = {
      {"*3\r\n$20\r\naaaaaaaaaaaaaaaaaaaa\r\n*2\r\n:1\r\n:2\r\n,1.5\r\n",
       "array[bulk 20:aaaaaaaaaaaaaaaaaaaa, array[int 1, int 2], real 1.5]"},
      {"*2\r\n:7\r\n$1\r\nx\r\n", "array[int 7, bulk 1:x]"},
      {"+OK\r\n", "simple 2:OK"},
      {"%1\r\n,2.5\r\n*1\r\n_\r\n", "map[real 2.5, array[null]]"},
      {"_\r\n", "null"},
      {"*1\r\n|1\r\n+k\r\n*3\r\n:1\r\n:2\r\n:3\r\n*1\r\n:4\r\n", "array[array[int 4]]"},
      {"$2000\r\n" + std::string(2000, 'z') + "\r\n", "bulk 2000:" + std::string(2000, 'z')},
      {":5\r\n", "int 5"},
  };
  reader in;
  value v;
  for (const auto& first : shapes) {
    for (const auto& second : shapes) {
      for (const auto* shape : {&first, &second}) {
        feed(in, shape->bytes);
        ASSERT_EQ(in.next(v), reader::status::ready);
        EXPECT_EQ(resp_test::render(v), shape->outcome);
      }
    }
  }
}

TEST(RespReader, OneBigReplyDoesNotHoldItsMemory) {
  reader in;
  value v;
  feed(in, "$500000\r\n" + std::string(500000, 'z') + "\r\n");
  ASSERT_EQ(in.next(v), reader::status::ready);
  for (int i = 0; i < 3; ++i) {
    feed(in, "+OK\r\n");
    ASSERT_EQ(in.next(v), reader::status::ready);
    EXPECT_LT(v.text.capacity(), 2000U) << i;
  }
  EXPECT_LT(in.prepare().size(), 500000U);
}

TEST(RespReader, StaysBrokenUntilReset) {
  reader in;
  value v;
  feed(in, "+a\r\nx:1\r\n");
  EXPECT_EQ(in.next(v), reader::status::ready);
  EXPECT_TRUE(in.problem().empty());
  EXPECT_EQ(in.next(v), reader::status::broken);
  const std::string problem = in.problem();
  feed(in, ":1\r\n");
  EXPECT_EQ(in.next(v), reader::status::broken);
  EXPECT_EQ(in.problem(), problem);
  EXPECT_EQ(in.buffered(), 0U) << "a broken reader collects nothing";

  in.reset();
  EXPECT_TRUE(in.problem().empty());
  EXPECT_EQ(in.next(v), reader::status::more);
  feed(in, ":1\r\n");
  EXPECT_EQ(in.next(v), reader::status::ready);
  EXPECT_EQ(v.integer, 1);
}

TEST(RespReader, ResetForgetsAHalfReply) {
  for (const std::string half : {"*2\r\n:1\r\n", "$5\r\nab", "+lo", "|1\r\n+a\r\n"}) {
    reader in;
    value v;
    feed(in, half);
    EXPECT_EQ(in.next(v), reader::status::more);
    in.reset();
    EXPECT_EQ(in.buffered(), 0U);
    feed(in, "*1\r\n+n\r\n");
    ASSERT_EQ(in.next(v), reader::status::ready) << half;
    EXPECT_EQ(resp_test::render(v), "array[simple 1:n]");
  }
}

TEST(RespReader, PreparesTheRoomAskedForAndCountsWhatIsBuffered) {
  reader in;
  EXPECT_GE(in.prepare().size(), 16384U);
  EXPECT_GE(in.prepare(0).size(), 1U);
  EXPECT_GE(in.prepare(1000000).size(), 1000000U);
  feed(in, ":1\r\n:2");
  EXPECT_EQ(in.buffered(), 6U);
  EXPECT_GE(in.prepare(3000000).size(), 3000000U) << "growing keeps what is there";
  value v;
  EXPECT_EQ(in.next(v), reader::status::ready);
  EXPECT_EQ(in.buffered(), 2U);
  feed(in, "3\r\n");
  EXPECT_EQ(in.next(v), reader::status::ready);
  EXPECT_EQ(v.integer, 23);
  EXPECT_EQ(in.buffered(), 0U);
}

TEST(RespReader, KeepsUpWithAPipelineInSmallRooms) {
  reader in;
  value v;
  std::string wire;
  for (int i = 0; i < 20000; ++i) wire += ":" + std::to_string(i) + "\r\n";
  std::int64_t expected = 0;
  for (std::size_t at = 0; at < wire.size(); at += 37) {
    feed(in, std::string_view(wire).substr(at, 37));
    if (at % 5 == 0) continue;  // sometimes a backlog builds up
    while (in.next(v) == reader::status::ready) ASSERT_EQ(v.integer, expected++);
  }
  while (in.next(v) == reader::status::ready) ASSERT_EQ(v.integer, expected++);
  EXPECT_EQ(expected, 20000);
}

// Processor time per quarter of one message that is fed byte by byte. Were anything done again from the start for each
// byte, the last quarter would cost seven times the first. The bound is loose because the machine may be busy.
void expect_linear(const std::string& message) {
  reader in(limits{.text = 2 << 20, .message = 4 << 20, .depth = 16, .items = 1 << 20});
  value v;
  double quarters[4] = {};
  const std::size_t quarter = message.size() / 4;
  auto status = reader::status::more;
  for (int q = 0; q < 4; ++q) {
    const auto begin = static_cast<std::size_t>(q) * quarter;
    const std::size_t end = q == 3 ? message.size() : begin + quarter;
    const std::clock_t start = std::clock();
    for (std::size_t i = begin; i < end; ++i) {
      ASSERT_EQ(status, reader::status::more);
      in.prepare(1)[0] = message[i];
      in.commit(1);
      status = in.next(v);
    }
    quarters[q] = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
  }
  EXPECT_EQ(status, reader::status::ready) << in.problem();
  EXPECT_LT(quarters[3], 4 * quarters[0] + 0.3);
}

TEST(RespReader, ByteByByteIsLinearInALongLine) { expect_linear("+" + std::string(1 << 20, 'a') + "\r\n"); }

TEST(RespReader, ByteByByteIsLinearInALongBulk) { expect_linear("$1048576\r\n" + std::string(1 << 20, '\n') + "\r\n"); }

TEST(RespReader, ByteByByteIsLinearInALongArray) { expect_linear("*260000\r\n" + repeat(":1\r\n", 260000)); }

}  // namespace
