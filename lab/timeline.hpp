// What happened in one experiment, as it will be drawn: rows of spans and marks over time. Pure: times are passed in.
//
//   row       A, B, …: a client            its spans: believed (it works as the holder), paused, dead
//             redis, node 1, …: a server   its spans: held (the lock's key is there, with that owner), down
//             storage: what the lock guards; its marks: accepted, refused
//
// Times are nanoseconds since the experiment began.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace lab {

using nanoseconds = std::int64_t;

enum class span_kind : unsigned char { believed, held, paused, down };
enum class mark_kind : unsigned char { event, accepted, refused };
enum class row_kind : unsigned char { client, server, storage };

struct span {
  std::size_t row = 0;
  span_kind kind{};
  std::string label{};  // of `held`: the owner
  nanoseconds from = 0;
  nanoseconds to = -1;  // -1: still open
};

struct mark {
  std::size_t row = 0;
  mark_kind kind{};
  std::string text{};
  nanoseconds at = 0;
};

struct row {
  std::string name;
  row_kind kind{};
};

// Two or more clients that believed to hold the lock at the same time.
struct overlap {
  nanoseconds from = 0;
  nanoseconds to = 0;
  std::vector<std::size_t> rows{};
};

class timeline {
 public:
  // The row of that name, made where there is none yet.
  std::size_t row_of(std::string_view name, row_kind kind);

  void set_kind(std::size_t row, row_kind kind) { rows_[row].kind = kind; }

  // Begins a span; one of the same kind that is open in the row ends first.
  void begin(std::size_t row, span_kind kind, std::string label, nanoseconds at);
  // Ends it; nothing where none is open.
  void end(std::size_t row, span_kind kind, nanoseconds at);
  void add(mark what) { marks_.push_back(std::move(what)); }
  // Forgets all but the rows.
  void restart();
  // Ends all that is open.
  void close(nanoseconds at);

  [[nodiscard]] bool is_open(std::size_t row, span_kind kind) const;
  // The label of the open span; empty where none is open.
  [[nodiscard]] std::string open_label(std::size_t row, span_kind kind) const;

  [[nodiscard]] const std::vector<row>& rows() const noexcept { return rows_; }
  [[nodiscard]] const std::vector<span>& spans() const noexcept { return spans_; }
  [[nodiscard]] const std::vector<mark>& marks() const noexcept { return marks_; }
  [[nodiscard]] nanoseconds length() const noexcept { return length_; }

  // In order of time; touching ends are no overlap. Open spans last for ever.
  [[nodiscard]] std::vector<overlap> overlaps() const;

 private:
  [[nodiscard]] const span* open(std::size_t row, span_kind kind) const;

  std::vector<row> rows_;
  std::vector<span> spans_;
  std::vector<mark> marks_;
  nanoseconds length_ = 0;
};

}  // namespace lab
