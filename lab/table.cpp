#include "table.hpp"

#include <algorithm>
#include <array>
#include <cstdio>

namespace lab {
namespace {

// Characters, not bytes: µ is one column.
std::size_t width_of(const std::string& text) {
  return static_cast<std::size_t>(
      std::ranges::count_if(text, [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }));
}

std::string line_of(const std::vector<std::string>& cells, const std::vector<std::size_t>& widths) {
  std::string out = "  ";
  for (std::size_t i = 0; i < cells.size(); ++i) {
    out += cells[i];
    if (i + 1 < cells.size()) out.append(widths[i] - width_of(cells[i]) + 2, ' ');
  }
  out.erase(out.find_last_not_of(' ') + 1);
  return out + "\n";
}

std::string verdict_of(const record& what) {
  if (!what.skipped.empty()) return "skipped";
  return what.agrees() ? "as expected" : "NOT AS EXPECTED";
}

std::string overlap_text(const record& what) {
  if (!what.skipped.empty()) return "";
  return what.drawn.overlaps().empty() ? "no" : "yes";
}

}  // namespace

std::string milliseconds_text(nanoseconds time) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.3f", static_cast<double>(time) / 1e6);
  return text.data();
}

std::string columns_text(const std::vector<std::vector<std::string>>& rows) {
  std::vector<std::size_t> widths;
  for (const auto& cells : rows) {
    widths.resize(std::max(widths.size(), cells.size()));
    for (std::size_t i = 0; i < cells.size(); ++i) widths[i] = std::max(widths[i], width_of(cells[i]));
  }
  std::string out;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    out += line_of(rows[i], widths);
    if (i > 0) continue;
    std::vector<std::string> rules;
    for (const std::size_t each : widths) rules.emplace_back(each, '-');
    out += line_of(rules, widths);
  }
  return out;
}

std::string record_text(const record& what, bool with_steps) {
  std::string out = what.name + ": " + what.title + "\n";
  if (!what.skipped.empty()) return out + "  skipped: " + what.skipped + "\n";
  if (with_steps) {
    std::vector<std::vector<std::string>> rows{{"ms", "who", "step", "answer"}};
    std::size_t widest = 0;
    for (const step& each : what.steps) widest = std::max(widest, milliseconds_text(each.at).size());
    for (const step& each : what.steps) {
      std::string at = milliseconds_text(each.at);
      at.insert(0, widest - at.size(), ' ');
      rows.push_back({at, each.who, each.what, each.answer});
    }
    out += columns_text(rows) + "\n";
  }
  std::vector<std::vector<std::string>> rows{{"", "what", "expected", "saw"}};
  for (const finding& each : what.findings) {
    rows.push_back({each.agrees ? "ok" : "!!", each.what, each.expected, each.saw});
  }
  out += columns_text(rows);
  return out + "  " + what.lesson + "\n";
}

std::string summary_text(const std::vector<record>& all) {
  std::vector<std::vector<std::string>> rows{{"experiment", "two held at once", "result"}};
  std::size_t agree = 0;
  std::size_t skipped = 0;
  for (const record& each : all) {
    rows.push_back({each.name, overlap_text(each), verdict_of(each)});
    if (each.agrees()) ++agree;
    if (!each.skipped.empty()) ++skipped;
  }
  std::string out = columns_text(rows) + "\n";
  out += std::to_string(agree) + " of " + std::to_string(all.size() - skipped) + " came out as expected";
  if (skipped > 0) out += "; " + std::to_string(skipped) + " skipped";
  return out + "\n";
}

std::string list_text(const std::vector<entry>& all) {
  std::size_t widest = 0;
  for (const entry& each : all) widest = std::max(widest, each.name.size());
  std::string out;
  for (const entry& each : all) {
    out += each.name + std::string(widest - each.name.size() + 2, ' ') + each.title + "\n";
  }
  return out;
}

}  // namespace lab
