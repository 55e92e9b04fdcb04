// Bytes in, values out: an incremental RESP2 and RESP3 parser without I/O.
//
//   for (;;) {
//     auto room = in.prepare();
//     in.commit(read(socket, room));
//     while (in.next(reply) == reader::status::ready) use(reply);
//   }
//
// How it works. Every step takes one whole token from the front of the buffer: a line up to its CRLF, or the body of a
// bulk. Open arrays and maps live on an explicit stack that points into the half-built tree, so a message that arrives
// in pieces is continued, never parsed again; the search for the end of a line continues where it stopped. Feeding a
// message byte by byte therefore costs linear time.
//
// Hostile peers. Nothing is allocated by a declared length: texts are copied once they are there, lists grow as their
// items come. `limits` bounds what one message can make us keep. The reader is stricter than RESP's usual parsers:
//   - lines end in CRLF and contain no other CR or LF; a bulk is followed by CRLF
//   - integers and lengths have no blanks and no leading zeros and fit in 64 bits; only '$' and '*' may have length -1
//   - a push is never inside another value; streamed values ("$?", "*?") are refused
// Adding a type: value.hpp (its table), reader.cpp (`known_types`, `take_line`), tests/fuzz/corpus/.
//
// Thread safety: none; one reader belongs to one connection. Not movable, because the stack points into the reader.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "resp/buffer.hpp"
#include "resp/value.hpp"

namespace holdfast::resp {

struct limits {
  std::size_t text = 1 << 20;      // longest text, be it a bulk or a line
  std::size_t message = 16 << 20;  // bytes of one message as sent, dropped attributes included
  std::size_t depth = 16;          // arrays, maps, sets, pushes and attributes inside one another
  std::size_t items = 1 << 16;     // items of one message, nested ones included; a map's pair counts as two
};

class reader {
 public:
  enum class status : unsigned char {
    ready,   // `out` holds the next message
    more,    // the message is not complete yet; `out` is untouched
    broken,  // the bytes are not RESP or pass a limit, see problem(); `out` is untouched; stays so until reset()
  };

  explicit reader(limits bounds = {}) : limits_(bounds) {}
  reader(const reader&) = delete;
  reader& operator=(const reader&) = delete;

  // Room to receive into, at least `at_least` bytes; valid until the next call of prepare(), next() or reset().
  [[nodiscard]] std::span<char> prepare(std::size_t at_least = 16384) { return buffer_.prepare(at_least); }

  // The first `n` bytes of that room have been filled. A broken reader throws them away.
  void commit(std::size_t n);

  // The next complete message. `out` is overwritten and its capacities are used again, so pass the same one each time.
  [[nodiscard]] status next(value& out);

  // Why the reader is broken: a short sentence, printable ASCII only. Empty if it is not.
  [[nodiscard]] const std::string& problem() const noexcept { return problem_; }

  // As new, for the next connection.
  void reset();

  // A message has begun and is not complete.
  [[nodiscard]] bool midway() const noexcept { return slot_ != nullptr || buffered() != 0; }

  // Bytes received and not parsed yet.
  [[nodiscard]] std::size_t buffered() const noexcept { return buffer_.pending().size(); }

 private:
  struct frame {
    value* target;       // whose items are being read
    std::size_t count;   // how many there will be
    std::size_t filled;  // how many are complete
    bool attribute;      // to be dropped; the value that it describes then takes its place
  };
  enum class step : unsigned char { more, broken, going, complete };

  step take_line();
  step take_body();
  step take_text(char type, std::string_view line);
  step begin_bulk(char type, std::string_view line);
  step begin_list(char type, std::string_view line);
  step finish_slot();
  step fail(std::string sentence);
  step fail_number(std::string_view what, std::string_view line);
  void begin_message();
  void hand_over(value& out);
  void forget_message();

  limits limits_;
  buffer buffer_;
  std::string problem_;
  bool broken_ = false;

  // The message under way.
  value root_;
  std::vector<frame> stack_;
  value* slot_ = nullptr;    // where the next token's value goes; null between messages
  std::size_t used_ = 0;     // bytes of this message consumed so far
  std::size_t items_ = 0;    // items declared in it so far
  std::size_t scanned_ = 0;  // pending bytes already known to hold no line feed
  char body_type_ = 0;       // '$', '!' or '=' while a bulk's body is awaited
  std::size_t body_size_ = 0;
  std::size_t previous_ = 0;  // size of the message before
};

}  // namespace holdfast::resp
