// See reader.hpp. One token per step: take_line() or, after a bulk's header, take_body(); each ends in finish_slot(),
// which closes the lists that are full and finds where the next value goes.
//
// Whether a byte stream is refused, and with which sentence, depends on its bytes alone and never on how they were
// sliced: each check looks either at one whole token or at a count that only grows. The fuzzer compares.
#include "resp/reader.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "resp/numbers.hpp"
#include "resp/slot.hpp"

namespace holdfast::resp {
namespace {

constexpr auto known_types = [] {
  std::array<bool, 256> table{};
  for (const char type : std::string_view(":+-$*_,#(!=%~>|")) table[static_cast<unsigned char>(type)] = true;
  return table;
}();

// Up to this size a message's capacities are kept for the next one; beyond it they are freed.
constexpr std::size_t reusable = 1024;

// Lists start with room for this many items at most, however many were declared.
constexpr std::size_t first_items = 8;

// Safe to print: what is not plain ASCII is escaped, what is long is cut.
std::string quoted(std::string_view bytes) {
  constexpr std::size_t shown = 24;
  constexpr char hex[] = "0123456789abcdef";
  std::string out = "'";
  for (const char c : bytes.substr(0, shown)) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte >= 0x20 && byte < 0x7f && c != '\'' && c != '\\') {
      out += c;
    } else {
      out += "\\x";
      out += hex[byte >> 4U];
      out += hex[byte & 15U];
    }
  }
  out += bytes.size() > shown ? "'..." : "'";
  return out;
}

// Where the first line feed at or after `from` is, or the size. Most lines are headers of a few bytes, for which a call
// of memchr costs more than looking.
std::size_t find_line_feed(std::string_view bytes, std::size_t from) noexcept {
  constexpr std::size_t looked_at = 8;
  const std::size_t near = std::min(bytes.size(), from + looked_at);
  for (; from < near; ++from) {
    if (bytes[from] == '\n') return from;
  }
  return std::min(bytes.find('\n', from), bytes.size());
}

std::string over(std::string_view what, std::size_t limit) {
  return std::string(what) + " is over the limit of " + std::to_string(limit);
}

}  // namespace

void reader::commit(std::size_t n) {
  if (!broken_) buffer_.commit(n);
}

reader::status reader::next(value& out) {
  if (broken_) return status::broken;
  for (;;) {
    switch (body_type_ != 0 ? take_body() : take_line()) {
      case step::going:
        break;
      case step::more:
        return status::more;
      case step::broken:
        return status::broken;
      case step::complete:
        hand_over(out);
        return status::ready;
    }
  }
}

void reader::reset() {
  forget_message();
  problem_.clear();
  broken_ = false;
}

void reader::begin_message() {
  slot_ = &root_;
  used_ = 0;
  items_ = 0;
}

// Swapping gives us the caller's last value, whose capacities the next message then uses. Not when either is large:
// one big reply must not hold on to its memory for the life of the connection.
void reader::hand_over(value& out) {
  slot::swap(out, root_);
  if (std::max(used_, previous_) > reusable) slot::release(root_);
  previous_ = used_;
  slot_ = nullptr;
}

void reader::forget_message() {
  buffer_.clear();
  stack_.clear();
  slot::release(root_);
  slot_ = nullptr;
  scanned_ = 0;
  body_type_ = 0;
  previous_ = 0;
}

reader::step reader::take_line() {
  const std::string_view pending = buffer_.pending();
  if (pending.empty()) return step::more;
  if (slot_ == nullptr) begin_message();

  const char type = pending.front();
  const std::size_t room = limits_.message - used_;
  if (room == 0) return fail(over("the message's size in bytes", limits_.message));
  if (!known_types[static_cast<unsigned char>(type)]) {
    return fail("no RESP type begins with " + quoted(pending.substr(0, 1)));
  }

  // A line takes its type, its text and CRLF; its end must lie within what both limits leave.
  constexpr std::size_t around = 3;
  const bool by_text = room > around && room - around > limits_.text;
  const std::size_t longest = by_text ? limits_.text + around : room;
  const std::size_t window = std::min(pending.size(), longest);
  const std::size_t end = find_line_feed(pending.substr(0, window), scanned_);
  if (end == window) {
    scanned_ = window;
    if (window < longest) return step::more;
    return by_text ? fail(over("a line's length", limits_.text))
                   : fail(over("the message's size in bytes", limits_.message));
  }
  scanned_ = 0;
  if (end < 2 || pending[end - 1] != '\r') return fail("a line ends in LF without CR");
  const std::string_view line = pending.substr(1, end - 2);
  used_ += end + 1;
  buffer_.consume(end + 1);  // `line` stays readable until prepare()

  switch (type) {
    case '$':
    case '!':
    case '=':
      return begin_bulk(type, line);
    case '*':
    case '~':
    case '>':
    case '%':
    case '|':
      return begin_list(type, line);
    case ':': {
      const auto number = numbers::to_integer(line);
      if (!number) return fail_number("a 64-bit integer", line);
      slot::become(*slot_, kind::integer);
      slot_->integer = *number;
      return finish_slot();
    }
    case ',': {
      const auto number = numbers::to_real(line);
      if (!number) return fail_number("a real number", line);
      slot::become(*slot_, kind::real);
      slot_->real = *number;
      return finish_slot();
    }
    case '#':
      if (line != "t" && line != "f") return fail_number("a boolean", line);
      slot::become(*slot_, kind::boolean);
      slot_->integer = line == "t" ? 1 : 0;
      return finish_slot();
    case '_':
      if (!line.empty()) return fail_number("a null", line);
      slot::become(*slot_, kind::null);
      return finish_slot();
    default:
      return take_text(type, line);
  }
}

reader::step reader::take_text(char type, std::string_view line) {
  if (type == '(' && !numbers::is_whole(line)) return fail_number("a big number", line);
  if (line.find('\r') != std::string_view::npos) return fail("a line contains CR without LF");
  slot::become(*slot_, type == '+' ? kind::simple : type == '-' ? kind::error : kind::bulk);
  slot_->text.assign(line);
  return finish_slot();
}

reader::step reader::begin_bulk(char type, std::string_view line) {
  const auto length = numbers::to_length(line);
  if (!length || (*length < 0 && type != '$')) return fail_number("a length", line);
  if (*length < 0) {
    slot::become(*slot_, kind::null);
    return finish_slot();
  }
  const auto size = static_cast<std::uint64_t>(*length);
  if (size > limits_.text) return fail(over("the text length " + std::to_string(size), limits_.text));
  const std::size_t room = limits_.message - used_;
  if (room < 2 || size > room - 2) return fail(over("the message's size in bytes", limits_.message));
  body_type_ = type;
  body_size_ = static_cast<std::size_t>(size);
  return step::going;
}

reader::step reader::take_body() {
  const std::string_view pending = buffer_.pending();
  if (pending.size() < body_size_ + 2) return step::more;
  if (pending[body_size_] != '\r' || pending[body_size_ + 1] != '\n') {
    return fail("a bulk of " + std::to_string(body_size_) + " bytes is not followed by CRLF");
  }
  std::string_view body = pending.substr(0, body_size_);
  if (body_type_ == '=') {
    constexpr std::size_t format = 4;  // "txt:"
    if (body.size() < format || body[format - 1] != ':') {
      return fail("a verbatim string begins with " + quoted(body.substr(0, format)) + " instead of a format and ':'");
    }
    body.remove_prefix(format);
  }
  slot::become(*slot_, body_type_ == '!' ? kind::error : kind::bulk);
  slot_->text.assign(body);
  used_ += body_size_ + 2;
  buffer_.consume(body_size_ + 2);
  body_type_ = 0;
  return finish_slot();
}

reader::step reader::begin_list(char type, std::string_view line) {
  const auto length = numbers::to_length(line);
  if (!length || (*length < 0 && type != '*')) return fail_number("a count of items", line);
  if (*length < 0) {
    slot::become(*slot_, kind::null);
    return finish_slot();
  }
  if (type == '>' && !stack_.empty()) return fail("a push is inside another value");
  if (stack_.size() >= limits_.depth) return fail(over("the nesting", limits_.depth));
  const bool pairs = type == '%' || type == '|';
  const auto declared = static_cast<std::uint64_t>(*length);
  const std::size_t left = limits_.items - items_;
  if (declared > (pairs ? left / 2 : left)) {
    return fail(over("the count of items, at " + quoted(line) + ',', limits_.items));
  }
  const std::size_t count = static_cast<std::size_t>(declared) * (pairs ? 2 : 1);
  items_ += count;

  // Unlike become(), keeps the old items to be overwritten one by one, for the sake of their capacities.
  slot_->type = type == '*' ? kind::array : type == '~' ? kind::set : type == '>' ? kind::push : kind::map;
  slot_->integer = 0;
  slot_->real = 0;
  slot_->text.clear();
  if (slot_->items.size() > count) slot_->items.resize(count);
  if (count == 0) return type == '|' ? step::going : finish_slot();
  slot_->items.reserve(std::min(count, first_items));
  stack_.push_back({slot_, count, 0, type == '|'});
  slot_ = slot::item_at(*slot_, 0);
  return step::going;
}

reader::step reader::finish_slot() {
  while (!stack_.empty()) {
    frame& top = stack_.back();
    if (++top.filled < top.count) {
      slot_ = slot::item_at(*top.target, top.filled);
      return step::going;
    }
    const frame full = top;
    stack_.pop_back();
    if (full.attribute) {
      slot_ = full.target;
      return step::going;
    }
  }
  return step::complete;
}

reader::step reader::fail(std::string sentence) {
  problem_ = std::move(sentence);
  broken_ = true;
  forget_message();  // whatever else the peer sends, it costs nothing
  return step::broken;
}

reader::step reader::fail_number(std::string_view what, std::string_view line) {
  return fail(quoted(line) + " is not " + std::string(what));
}

}  // namespace holdfast::resp
