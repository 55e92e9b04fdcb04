// Formats a report. Names are ours and need no escaping, notes may hold anything; numbers keep six digits, more would be
// noise.
#include "report.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <utility>

namespace holdfast::bench {
namespace {

std::string number(double value) {
  if (!std::isfinite(value)) return "null";  // JSON has no word for it, and it holds no bar
  char text[40];
  std::snprintf(text, sizeof text, "%.6g", value);
  return text;
}

std::string padded(const std::string& text, std::size_t width) {
  return text.size() < width ? text + std::string(width - text.size(), ' ') : text + ' ';
}

std::string quoted(const std::string& text) { return '"' + text + '"'; }

std::string escaped(const std::string& text) {
  std::string out;
  for (const char each : text) {
    if (each == '"' || each == '\\') out.push_back('\\');
    out.push_back(static_cast<unsigned char>(each) < ' ' ? ' ' : each);
  }
  return out;
}

}  // namespace

report::report(std::string suite, std::string what, sense direction)
    : suite_{std::move(suite)}, what_{std::move(what)}, direction_{direction} {}

void report::judge(std::string name, double value, double bar) { judged_.push_back({std::move(name), value, bar}); }

void report::figure(std::string name, double value, std::string unit) {
  raw_.push_back({std::move(name), value, std::move(unit)});
}

void report::text(std::string lines) { text_ += std::move(lines); }

void report::note(std::string name, std::string content) { notes_.emplace_back(std::move(name), std::move(content)); }

// Written so that a value that is not a number fails.
bool report::holds(const judged& each) const noexcept {
  return direction_ == sense::at_most ? each.value <= each.bar : each.value >= each.bar;
}

bool report::ok() const noexcept {
  return !judged_.empty() &&
         std::all_of(judged_.begin(), judged_.end(), [this](const judged& each) { return holds(each); });
}

std::string report::table() const {
  std::string out = suite_ + ": " + what_ + "\n" + text_;
  const std::string bar = direction_ == sense::at_most ? "bar <= " : "bar >= ";
  for (const judged& each : judged_) {
    out += "  " + padded(each.name, 30) + padded(number(each.value), 14) + padded(bar + number(each.bar), 16) +
           (holds(each) ? "ok" : "MISSED") + "\n";
  }
  for (const raw& each : raw_)
    out += "    " + padded(each.name, 28) + padded(number(each.value), 14) + each.unit + "\n";
  return out;
}

std::string report::json() const {
  std::string values;
  std::string bars;
  for (const judged& each : judged_) {
    const std::string comma = values.empty() ? "" : ", ";
    values += comma + quoted(each.name) + ": " + number(each.value);
    bars += comma + quoted(each.name) + ": " + number(each.bar);
  }
  const bool single = judged_.size() == 1;
  std::string out = "{\"suite\": " + quoted(suite_) + ", ";
  if (single) {
    out += values + ", \"bar\": " + number(judged_.front().bar);
  } else {
    out += "\"ratios\": {" + values + "}, \"bar\": {" + bars + "}";
  }
  out += std::string{", \"sense\": "} + (direction_ == sense::at_most ? "\"at most\"" : "\"at least\"");
  out += std::string{", \"ok\": "} + (ok() ? "true" : "false") + ", \"figures\": {";
  for (const raw& each : raw_) {
    out += (&each == &raw_.front() ? "" : ", ") + quoted(each.name) + ": " + number(each.value);
  }
  out += "}";
  for (const auto& [name, content] : notes_) {
    out += (name == notes_.front().first ? ", \"notes\": {" : ", ") + quoted(name) + ": " + quoted(escaped(content));
  }
  return out + (notes_.empty() ? "}" : "}}");
}

}  // namespace holdfast::bench
