// The RESP writer: exact bytes, and that the reader gets back what was put in.
#include "resp/writer.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

#include "../fuzz/resp_render.hpp"

namespace {

namespace resp = holdfast::resp;
using namespace std::string_literals;

static_assert(resp::argument<std::string> && resp::argument<std::string_view> && resp::argument<const char*>);
static_assert(resp::argument<int> && resp::argument<unsigned char> && resp::argument<std::uint64_t>);
static_assert(!resp::argument<bool> && !resp::argument<char> && !resp::argument<double>);

TEST(RespWriter, AppendsAndKeepsWhatIsThere) {
  std::string out = "x";
  resp::append_array(out, 0);
  EXPECT_EQ(out, "x*0\r\n");
  resp::append_bulk(out, "ab");
  EXPECT_EQ(out, "x*0\r\n$2\r\nab\r\n");
}

TEST(RespWriter, WritesNumbersAsBulks) {
  std::string out;
  resp::append_bulk(out, 0);
  resp::append_bulk(out, -12);
  resp::append_bulk(out, std::numeric_limits<std::int64_t>::min());
  EXPECT_EQ(out, "$1\r\n0\r\n$3\r\n-12\r\n$20\r\n-9223372036854775808\r\n");
}

TEST(RespWriter, WritesTheLongestHeader) {
  std::string out;
  resp::append_array(out, std::numeric_limits<std::size_t>::max());
  EXPECT_EQ(out, "*18446744073709551615\r\n");
}

TEST(RespWriter, WritesACommandOfTextsAndNumbers) {
  const std::string key = "k";
  const std::string_view owner = "me";
  const char* option = "PX";
  std::string out;
  resp::append_command(out, "SET", key, owner, option, 30000, std::int64_t{-1}, std::uint8_t{200},
                       std::numeric_limits<std::uint64_t>::max());
  EXPECT_EQ(out,
            "*8\r\n$3\r\nSET\r\n$1\r\nk\r\n$2\r\nme\r\n$2\r\nPX\r\n$5\r\n30000\r\n$2\r\n-1\r\n$3\r\n200\r\n"
            "$20\r\n18446744073709551615\r\n");
}

TEST(RespWriter, TheReaderGetsBackWhatWasWritten) {
  std::string every_byte;
  for (int c = 0; c < 256; ++c) every_byte += static_cast<char>(c);
  const std::string with_zero = "a\0\r\n$5\r\n"s;
  const std::string large(100000, '\n');

  std::string wire;
  resp::append_command(wire, "PING");
  resp::append_command(wire, "EVAL", every_byte, with_zero, "", large, 42);

  resp::reader in;
  resp::value v;
  resp_test::feed(in, wire);
  ASSERT_EQ(in.next(v), resp::reader::status::ready);
  EXPECT_EQ(resp_test::render(v), "array[bulk 4:PING]");
  ASSERT_EQ(in.next(v), resp::reader::status::ready);
  ASSERT_EQ(v.items.size(), 6U);
  EXPECT_EQ(v.items[0].text, "EVAL");
  EXPECT_EQ(v.items[1].text, every_byte);
  EXPECT_EQ(v.items[2].text, with_zero);
  EXPECT_EQ(v.items[3].text, "");
  EXPECT_EQ(v.items[4].text, large);
  EXPECT_EQ(v.items[5].text, "42");
  EXPECT_EQ(in.next(v), resp::reader::status::more);
  EXPECT_EQ(in.buffered(), 0U);
}

}  // namespace
