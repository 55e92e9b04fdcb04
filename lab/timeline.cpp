#include "timeline.hpp"

#include <algorithm>
#include <limits>
#include <set>

namespace lab {

std::size_t timeline::row_of(std::string_view name, row_kind kind) {
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    if (rows_[i].name == name) return i;
  }
  rows_.push_back({std::string{name}, kind});
  return rows_.size() - 1;
}

const span* timeline::open(std::size_t row, span_kind kind) const {
  for (const span& each : spans_) {
    if (each.row == row && each.kind == kind && each.to < 0) return &each;
  }
  return nullptr;
}

void timeline::begin(std::size_t row, span_kind kind, std::string label, nanoseconds at) {
  end(row, kind, at);
  spans_.push_back({row, kind, std::move(label), at, -1});
}

void timeline::end(std::size_t row, span_kind kind, nanoseconds at) {
  for (span& each : spans_) {
    if (each.row == row && each.kind == kind && each.to < 0) each.to = std::max(at, each.from);
  }
}

void timeline::restart() {
  spans_.clear();
  marks_.clear();
}

void timeline::close(nanoseconds at) {
  for (span& each : spans_) {
    if (each.to < 0) each.to = std::max(at, each.from);
  }
  length_ = at;
}

bool timeline::is_open(std::size_t row, span_kind kind) const { return open(row, kind) != nullptr; }

std::string timeline::open_label(std::size_t row, span_kind kind) const {
  const span* const found = open(row, kind);
  return found == nullptr ? std::string{} : found->label;
}

// Between two neighbouring ends of spans nothing changes, so each such interval is asked once who is in it.
std::vector<overlap> timeline::overlaps() const {
  constexpr nanoseconds for_ever = std::numeric_limits<nanoseconds>::max();
  const auto end_of = [](const span& each) { return each.to < 0 ? for_ever : each.to; };
  std::set<nanoseconds> ends;
  for (const span& each : spans_) {
    if (each.kind == span_kind::believed) ends.insert({each.from, end_of(each)});
  }
  std::vector<overlap> found;
  for (auto at = ends.begin(); at != ends.end() && std::next(at) != ends.end(); ++at) {
    const nanoseconds from = *at;
    const nanoseconds to = *std::next(at);
    std::set<std::size_t> inside;
    for (const span& each : spans_) {
      if (each.kind == span_kind::believed && each.from <= from && end_of(each) >= to) inside.insert(each.row);
    }
    if (inside.size() < 2) continue;
    std::vector<std::size_t> rows{inside.begin(), inside.end()};
    if (!found.empty() && found.back().to == from && found.back().rows == rows) {
      found.back().to = to;
    } else {
      found.push_back({from, to, std::move(rows)});
    }
  }
  return found;
}

}  // namespace lab
