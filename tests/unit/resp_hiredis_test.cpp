// A second opinion: the same bytes through our reader and through hiredis's. hiredis 0.14 speaks RESP2 only and nests
// seven deep, so the generator keeps to that. Mutated bytes may be anything.
#include <gtest/gtest.h>
#include <hiredis/hiredis.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <memory>
#include <random>
#include <string>
#include <string_view>

#include "../fuzz/resp_render.hpp"
#include "support/seed.hpp"

namespace {

namespace resp = holdfast::resp;
using random_bits = std::mt19937_64;

std::size_t below(random_bits& bits, std::size_t n) {
  return std::uniform_int_distribution<std::size_t>(0, n - 1)(bits);
}

void generate(random_bits& bits, std::string& out, int depth) {
  const auto bytes = [&](std::string_view alphabet) {
    std::string text;
    for (std::size_t n = below(bits, 12); n > 0; --n) text += alphabet[below(bits, alphabet.size())];
    return text;
  };
  switch (below(bits, depth > 0 ? 8 : 6)) {
    case 0:
      out += "+" + bytes("abc $*:-") + "\r\n";
      break;
    case 1:
      out += "-ERR " + bytes("abc $*:-") + "\r\n";
      break;
    case 2: {
      const auto number = static_cast<std::int64_t>(bits()) >> below(bits, 64);
      out += ":" + std::to_string(number) + "\r\n";
      break;
    }
    case 3:
    case 4: {
      const std::string text = bytes(std::string_view("ab\r\n\0$*:1", 9));
      out += "$" + std::to_string(text.size()) + "\r\n" + text + "\r\n";
      break;
    }
    case 5:
      out += below(bits, 2) == 0 ? "$-1\r\n" : "*-1\r\n";
      break;
    default: {
      const std::size_t n = below(bits, 5);
      out += "*" + std::to_string(n) + "\r\n";
      for (std::size_t i = 0; i < n; ++i) generate(bits, out, depth - 1);
    }
  }
}

void mutate(random_bits& bits, std::string& bytes) {
  static constexpr std::string_view telling = "\r\n:+-$*0123456789_,#%~>|(!=?a";
  for (std::size_t n = 1 + below(bits, 3); n > 0 && !bytes.empty(); --n) {
    const std::size_t at = below(bits, bytes.size());
    const char c = telling[below(bits, telling.size())];
    switch (below(bits, 4)) {
      case 0:
        bytes[at] = c;
        break;
      case 1:
        bytes.insert(at, 1, c);
        break;
      case 2:
        bytes.erase(at, 1);
        break;
      default:
        bytes.resize(at);
    }
  }
}

// hiredis allocates by the declared count, so a mutation must not declare millions.
bool declares_millions(std::string_view bytes) {
  for (std::size_t at = bytes.find('*'); at != std::string_view::npos; at = bytes.find('*', at + 1)) {
    const std::string_view count = bytes.substr(at + 1, 7);
    if (count.size() == 7 && count.find_first_not_of("0123456789") == std::string_view::npos) return true;
  }
  return false;
}

// hiredis's tree in the same notation as ours.
void render(std::string& out, const redisReply& r) {
  resp::value v;
  switch (r.type) {
    case REDIS_REPLY_NIL:
      break;
    case REDIS_REPLY_INTEGER:
      v.type = resp::kind::integer;
      v.integer = r.integer;
      break;
    case REDIS_REPLY_ARRAY:
      out += "array[";
      for (std::size_t i = 0; i < r.elements; ++i) {
        if (i > 0) out += ", ";
        render(out, *r.element[i]);
      }
      out += ']';
      return;
    default:
      v.type = r.type == REDIS_REPLY_STATUS   ? resp::kind::simple
               : r.type == REDIS_REPLY_STRING ? resp::kind::bulk
                                              : resp::kind::error;
      v.text.assign(r.str, static_cast<std::size_t>(r.len));
  }
  resp_test::render(out, v);
}

class hiredis_reader {
 public:
  explicit hiredis_reader(std::string_view bytes) { redisReaderFeed(reader_.get(), bytes.data(), bytes.size()); }

  resp::reader::status next(std::string& out) {
    void* raw = nullptr;
    if (redisReaderGetReply(reader_.get(), &raw) != REDIS_OK) return resp::reader::status::broken;
    if (raw == nullptr) return resp::reader::status::more;
    const std::unique_ptr<void, decltype(&freeReplyObject)> reply(raw, &freeReplyObject);
    out.clear();
    render(out, *static_cast<const redisReply*>(raw));
    return resp::reader::status::ready;
  }

  [[nodiscard]] std::string problem() const { return reader_->errstr; }

 private:
  std::unique_ptr<redisReader, decltype(&redisReaderFree)> reader_{redisReaderCreate(), &redisReaderFree};
};

// Where hiredis reads on or waits and we refuse, it must be for one of the rules that reader.hpp lists.
bool is_stricter_rule(const std::string& problem) {
  static constexpr std::array<std::string_view, 4> rules = {"a line ends in LF without CR",
                                                            "a line contains CR without LF", "is not followed by CRLF",
                                                            "is over the limit of"};
  return std::any_of(rules.begin(), rules.end(),
                     [&](std::string_view rule) { return problem.find(rule) != std::string::npos; });
}

// hiredis 0.14 gives up on things that RESP allows (RESP3, deep nesting, ":+1"), so we may go on where it gives up, but
// never where it waits.
void compare(const std::string& bytes) {
  using status = resp::reader::status;
  resp::reader ours;
  resp_test::feed(ours, bytes);
  hiredis_reader theirs(bytes);
  resp::value v;
  std::string their_text;
  for (;;) {
    const status us = ours.next(v);
    const status them = theirs.next(their_text);
    if (them == status::broken) return;
    if (us == status::broken) {
      EXPECT_TRUE(is_stricter_rule(ours.problem())) << ours.problem();
      return;
    }
    ASSERT_EQ(us, them) << their_text;
    if (us == status::more) return;
    ASSERT_EQ(resp_test::render(v), their_text);
  }
}

TEST(RespAgainstHiredis, ValidBytesGiveTheSameTree) {
  random_bits bits(holdfast::test::make_seed());
  for (int i = 0; i < 20000 && !HasFailure(); ++i) {
    std::string bytes;
    const std::size_t messages = 1 + below(bits, 3);
    for (std::size_t n = 0; n < messages; ++n) generate(bits, bytes, 5);
    SCOPED_TRACE(testing::PrintToString(bytes));
    resp::reader ours;
    resp_test::feed(ours, bytes);
    hiredis_reader theirs(bytes);
    resp::value v;
    std::string their_text;
    for (std::size_t n = 0; n < messages; ++n) {
      ASSERT_EQ(ours.next(v), resp::reader::status::ready) << ours.problem();
      ASSERT_EQ(theirs.next(their_text), resp::reader::status::ready) << theirs.problem();
      ASSERT_EQ(resp_test::render(v), their_text);
    }
    EXPECT_EQ(ours.next(v), resp::reader::status::more);
    EXPECT_EQ(ours.buffered(), 0U);
  }
}

TEST(RespAgainstHiredis, MutatedBytesAreRefusedOnlyForADocumentedRule) {
  random_bits bits(holdfast::test::make_seed());
  int compared = 0;
  for (int i = 0; i < 40000 && !HasFailure(); ++i) {
    std::string bytes;
    generate(bits, bytes, 5);
    generate(bits, bytes, 5);
    mutate(bits, bytes);
    if (declares_millions(bytes)) continue;
    ++compared;
    SCOPED_TRACE(testing::PrintToString(bytes));
    compare(bytes);
  }
  EXPECT_TRUE(HasFailure() || compared > 30000) << compared;
}

}  // namespace
