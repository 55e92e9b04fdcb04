// The RESP reader against hostile or confused peers: every way to be wrong, and every limit.
#include <gtest/gtest.h>

#include <cstddef>
#include <string>
#include <vector>

#include "../fuzz/resp_render.hpp"
#include "resp/reader.hpp"

namespace {

using holdfast::resp::limits;
using resp_test::example;
using resp_test::outcome;
using resp_test::repeat;

TEST(RespRefusal, RefusesGarbageWithASentenceThatNamesIt) {
  const std::vector<example> examples = {
      {"HTTP/1.1 400\r\n", "broken: no RESP type begins with 'H'"},
      {"\x16\x03\x01", "broken: no RESP type begins with '\\x16'"},
      {"\r\n", "broken: no RESP type begins with '\\x0d'"},
      {"'", "broken: no RESP type begins with '\\x27'"},
      {":1\r\n?", "int 1\nbroken: no RESP type begins with '?'"},
      {":\r\n", "broken: '' is not a 64-bit integer"},
      {":-\r\n", "broken: '-' is not a 64-bit integer"},
      {": 1\r\n", "broken: ' 1' is not a 64-bit integer"},
      {":1 \r\n", "broken: '1 ' is not a 64-bit integer"},
      {":01\r\n", "broken: '01' is not a 64-bit integer"},
      {":0x1\r\n", "broken: '0x1' is not a 64-bit integer"},
      {":\xff\r\n", "broken: '\\xff' is not a 64-bit integer"},
      {":9223372036854775808\r\n", "broken: '9223372036854775808' is not a 64-bit integer"},
      {":-9223372036854775809\r\n", "broken: '-9223372036854775809' is not a 64-bit integer"},
      {":" + std::string(40, '1') + "\r\n", "broken: '" + std::string(24, '1') + "'... is not a 64-bit integer"},
      {",\r\n", "broken: '' is not a real number"},
      {",.5\r\n", "broken: '.5' is not a real number"},
      {",5.\r\n", "broken: '5.' is not a real number"},
      {",1e\r\n", "broken: '1e' is not a real number"},
      {",1.5x\r\n", "broken: '1.5x' is not a real number"},
      {",0x1p3\r\n", "broken: '0x1p3' is not a real number"},
      {",infinity\r\n", "broken: 'infinity' is not a real number"},
      {",--1\r\n", "broken: '--1' is not a real number"},
      {",1e999\r\n", "broken: '1e999' is not a real number"},
      {"#x\r\n", "broken: 'x' is not a boolean"},
      {"#\r\n", "broken: '' is not a boolean"},
      {"_x\r\n", "broken: 'x' is not a null"},
      {"(\r\n", "broken: '' is not a big number"},
      {"(12a\r\n", "broken: '12a' is not a big number"},
      {"=3\r\ntxt\r\n", "broken: a verbatim string begins with 'txt' instead of a format and ':'"},
      {"=5\r\ntext:\r\n", "broken: a verbatim string begins with 'text' instead of a format and ':'"},
      {"$3\r\nabcd\r\n", "broken: a bulk of 3 bytes is not followed by CRLF"},
      {"$3\r\nabc\n\r", "broken: a bulk of 3 bytes is not followed by CRLF"},
      {"+OK\n", "broken: a line ends in LF without CR"},
      {"+\n", "broken: a line ends in LF without CR"},
      {"+a\rb\r\n", "broken: a line contains CR without LF"},
      {"*1\r\n>1\r\n:1\r\n", "broken: a push is inside another value"},
  };
  for (const auto& e : examples) EXPECT_EQ(outcome(e.bytes), e.outcome) << e.bytes;
}

TEST(RespRefusal, RefusesBadLengthsAndStreams) {
  for (const std::string type : {"$", "!", "="}) {
    for (const std::string length : {"-2", "?", "", "+1", "01", "-0", "1 ", "99999999999999999999"}) {
      EXPECT_EQ(outcome(type + length + "\r\n"), "broken: '" + length + "' is not a length") << type;
    }
  }
  for (const std::string type : {"*", "%", "~", ">", "|"}) {
    for (const std::string length : {"-2", "?", "", "+1", "01", "-0", "1 ", "99999999999999999999"}) {
      EXPECT_EQ(outcome(type + length + "\r\n"), "broken: '" + length + "' is not a count of items") << type;
    }
  }
  for (const std::string type : {"!", "="}) EXPECT_EQ(outcome(type + "-1\r\n"), "broken: '-1' is not a length");
  for (const std::string type : {"%", "~", ">", "|"}) {
    EXPECT_EQ(outcome(type + "-1\r\n"), "broken: '-1' is not a count of items");
  }
}

TEST(RespRefusal, HoldsTheTextLimit) {
  const limits bounds{.text = 4};
  EXPECT_EQ(outcome("$4\r\nabcd\r\n+abcd\r\n:1234\r\n", bounds), "bulk 4:abcd\nsimple 4:abcd\nint 1234\nmore");
  EXPECT_EQ(outcome("$5\r\n", bounds), "broken: the text length 5 is over the limit of 4");
  EXPECT_EQ(outcome("!5\r\n", bounds), "broken: the text length 5 is over the limit of 4");
  EXPECT_EQ(outcome("+abcde\r\n", bounds), "broken: a line's length is over the limit of 4");
  EXPECT_EQ(outcome("-abcdefgh", bounds), "broken: a line's length is over the limit of 4") << "before any CRLF";
  EXPECT_EQ(outcome("+abcd\r", bounds), "more");
  EXPECT_EQ(outcome("$1048577\r\n"), "broken: the text length 1048577 is over the limit of 1048576");
}

TEST(RespRefusal, HoldsTheMessageLimit) {
  const std::string over = "broken: the message's size in bytes is over the limit of 20";
  const limits bounds{.message = 20};
  EXPECT_EQ(outcome("*4\r\n:1\r\n:2\r\n:3\r\n:4\r\n:5\r\n", bounds), "array[int 1, int 2, int 3, int 4]\nint 5\nmore")
      << "exactly 20, and the count begins again";
  EXPECT_EQ(outcome("*4\r\n:1\r\n:2\r\n:3\r\n:45\r\n", bounds), over);
  EXPECT_EQ(outcome("*5\r\n:1\r\n:2\r\n:3\r\n:4\r\n:5\r\n", bounds), over);
  EXPECT_EQ(outcome("$13\r\n0123456789012\r\n", bounds), "bulk 13:0123456789012\nmore") << "exactly 20";
  EXPECT_EQ(outcome("$14\r\n", bounds), over) << "declared";
  EXPECT_EQ(outcome(repeat("|0\r\n", 6), bounds), over) << "dropped attributes count";
}

TEST(RespRefusal, HoldsTheDepthLimit) {
  const limits bounds{.depth = 3};
  EXPECT_EQ(outcome("*1\r\n%1\r\n:1\r\n~1\r\n:2\r\n", bounds), "array[map[int 1, set[int 2]]]\nmore");
  EXPECT_EQ(outcome("*1\r\n*1\r\n*1\r\n*0\r\n", bounds), "broken: the nesting is over the limit of 3");
  EXPECT_EQ(outcome("*1\r\n*1\r\n*1\r\n|0\r\n", bounds), "broken: the nesting is over the limit of 3");
  EXPECT_EQ(outcome(repeat("*1\r\n", 100000)), "broken: the nesting is over the limit of 16") << "endless";
  EXPECT_EQ(outcome(repeat("|1\r\n", 100000)), "broken: the nesting is over the limit of 16") << "endless";
}

TEST(RespRefusal, HoldsTheItemLimit) {
  const limits bounds{.items = 4};
  EXPECT_EQ(outcome("*2\r\n*2\r\n:1\r\n:2\r\n:3\r\n*1\r\n:4\r\n", bounds),
            "array[array[int 1, int 2], int 3]\narray[int 4]\nmore")
      << "exactly 4, and the count begins again";
  EXPECT_EQ(outcome("*5\r\n", bounds), "broken: the count of items, at '5', is over the limit of 4");
  EXPECT_EQ(outcome("*2\r\n*3\r\n", bounds), "broken: the count of items, at '3', is over the limit of 4");
  EXPECT_EQ(outcome("%2\r\n:1\r\n:2\r\n:3\r\n:4\r\n", bounds), "map[int 1, int 2, int 3, int 4]\nmore");
  EXPECT_EQ(outcome("%3\r\n", bounds), "broken: the count of items, at '3', is over the limit of 4");
  EXPECT_EQ(outcome("%9223372036854775807\r\n", bounds),
            "broken: the count of items, at '9223372036854775807', is over the limit of 4");
}

// Were anything allocated by a declared length, these would throw.
TEST(RespRefusal, AllocatesNothingForHugeDeclaredLengths) {
  constexpr std::size_t huge = std::size_t{1} << 62;
  const limits bounds{.text = huge, .message = huge, .depth = 16, .items = huge};
  EXPECT_EQ(outcome("$1000000000000000000\r\nabc", bounds), "more");
  for (const std::string type : {"*", "%", "~", ">", "|"}) {
    EXPECT_EQ(outcome(type + "1000000000000000000\r\n:1\r\n", bounds), "more") << type;
  }
  constexpr std::size_t most = static_cast<std::size_t>(-1);
  EXPECT_EQ(outcome("+OK\r\n$2\r\nab\r\n", {most, most, most, most}), "simple 2:OK\nbulk 2:ab\nmore");
}

}  // namespace
