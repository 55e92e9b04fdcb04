#include "drawing.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <map>
#include <vector>

namespace lab {
namespace {

constexpr double left = 110;
constexpr double right = 890;
constexpr double width = 900;
constexpr double row_height = 34;
constexpr double bar_height = 16;
constexpr double top = 14;
constexpr double letter = 5.6;  // of the labels, about; those that do not fit are left to the tooltip

std::string number(double value) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.1f", value);
  return text.data();
}

std::string attribute(std::string_view name, double value) {
  return " " + std::string{name} + "=\"" + number(value) + "\"";
}

std::string seconds(nanoseconds from, nanoseconds to) {
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), "%.1f to %.1f ms", static_cast<double>(from) / 1e6,
                static_cast<double>(to) / 1e6);
  return text.data();
}

// 1, 2 or 5 times a power of ten, so that there are five to twelve of them.
double tick_of(double length_ms) {
  const double rough = std::max(length_ms, 0.001) / 8;
  const double power = std::pow(10, std::floor(std::log10(rough)));
  for (const double each : {1.0, 2.0, 5.0}) {
    if (each * power >= rough) return each * power;
  }
  return 10 * power;
}

class drawing {
 public:
  explicit drawing(const timeline& what) : what_{what}, order_(what.rows().size()) {
    // By kind; rows of a kind in the order in which they appeared.
    for (std::size_t i = 0; i < order_.size(); ++i) order_[i] = i;
    std::ranges::stable_sort(order_, {}, [&what](std::size_t each) { return what.rows()[each].kind; });
  }

  std::string text(std::string_view title) {
    const double height = top + row_height * static_cast<double>(order_.size()) + 34;
    out_ = "<svg viewBox=\"0 0 " + number(width) + " " + number(height) +
           "\" role=\"img\" aria-label=\"Timeline: " + escaped(title) + "\">\n";
    axis();
    for (std::size_t i = 0; i < what_.rows().size(); ++i) {
      write(4, middle(i) + 4, "name", what_.rows()[i].name);
    }
    for (const span& each : what_.spans()) bar(each);
    for (const overlap& each : what_.overlaps()) red(each);
    for (const mark& each : what_.marks()) dot(each);
    return out_ + "</svg>\n";
  }

 private:
  [[nodiscard]] double x(nanoseconds at) const {
    const auto length = static_cast<double>(std::max<nanoseconds>(what_.length(), 1));
    return left + (right - left) * std::clamp(static_cast<double>(at) / length, 0.0, 1.0);
  }
  [[nodiscard]] double middle(std::size_t row) const {
    const auto place = std::ranges::find(order_, row) - order_.begin();
    return top + row_height * (static_cast<double>(place) + 0.5);
  }

  void write(double at_x, double at_y, std::string_view kind, std::string_view text) {
    out_ += "<text class=\"" + std::string{kind} + "\"" + attribute("x", at_x) + attribute("y", at_y) + ">" +
            escaped(text) + "</text>\n";
  }

  void axis() {
    const double bottom = top + row_height * static_cast<double>(order_.size());
    const double length_ms = static_cast<double>(what_.length()) / 1e6;
    const double tick = tick_of(length_ms);
    for (int i = 0; i * tick <= length_ms; ++i) {
      const double at = x(static_cast<nanoseconds>(i * tick * 1e6));
      out_ += "<line class=\"grid\"" + attribute("x1", at) + attribute("x2", at) + attribute("y1", top) +
              attribute("y2", bottom) + "/>\n";
      std::array<char, 32> text{};
      std::snprintf(text.data(), text.size(), "%g ms", i * tick);
      write(at, bottom + 16, "tick", text.data());
    }
  }

  void rectangle(std::string_view kind, double from, double to, double at, double high, std::string_view tip) {
    out_ += "<rect class=\"" + std::string{kind} + "\"" + attribute("x", from) + attribute("y", at - high / 2) +
            attribute("width", std::max(to - from, 1.5)) + attribute("height", high) + " rx=\"2\"><title>" +
            escaped(tip) + "</title></rect>\n";
  }

  void bar(const span& each) {
    static constexpr std::array<std::string_view, 4> kinds{"believed", "held", "paused", "down"};
    static constexpr std::array<std::string_view, 4> words{"believes to hold", "held by ", "paused", "down"};
    const auto kind = static_cast<std::size_t>(each.kind);
    const nanoseconds to = each.to < 0 ? what_.length() : each.to;
    const bool thin = each.kind == span_kind::paused;
    std::string said{words[kind]};
    if (each.kind == span_kind::held) said += each.label;
    // Pauses lie along the foot of the row, so that the belief that outlives them stays visible.
    const double at = middle(each.row) + (thin ? bar_height / 2 + 3 : 0);
    rectangle(kinds[kind], x(each.from), x(to), at, thin ? 5 : bar_height,
              what_.rows()[each.row].name + ": " + said + ", " + seconds(each.from, to));
    const std::string shown = each.kind == span_kind::held ? each.label : said;
    if (!thin && static_cast<double>(shown.size()) * letter < x(to) - x(each.from)) {
      write(x(each.from) + 4, middle(each.row) + 4, "on", shown);
    }
  }

  void red(const overlap& each) {
    std::string who;
    for (const std::size_t row : each.rows) who += (who.empty() ? "" : " and ") + what_.rows()[row].name;
    for (const std::size_t row : each.rows) {
      rectangle("overlap", x(each.from), x(each.to), middle(row), bar_height,
                who + " both believe to hold, " + seconds(each.from, each.to));
    }
  }

  void dot(const mark& each) {
    static constexpr std::array<std::string_view, 3> kinds{"event", "accepted", "refused"};
    const double at_x = x(each.at);
    const double at_y = middle(each.row);
    out_ += "<g class=\"" + std::string{kinds[static_cast<std::size_t>(each.kind)]} + "\">";
    if (each.kind == mark_kind::refused) {  // a cross: told apart without colours, too
      out_ += "<path d=\"M" + number(at_x - 5) + " " + number(at_y - 5) + "l10 10m0 -10l-10 10\"/>";
    } else if (each.kind == mark_kind::accepted) {
      out_ += "<circle" + attribute("cx", at_x) + attribute("cy", at_y) + " r=\"5\"/>";
    } else {
      out_ += "<path d=\"M" + number(at_x) + " " + number(at_y - bar_height / 2 - 4) + "v" + number(bar_height + 8) +
              "\"/>";
    }
    out_ += "<title>" + escaped(each.text) + "</title></g>\n";
    // Right of the mark, or left of it where the drawing ends; below the bar where the note before it is in the way.
    const double length = static_cast<double>(each.text.size()) * letter;
    const bool fits = at_x + 8 + length < width;
    const double from = fits ? at_x + 8 : std::max(0.0, at_x - 8 - length);
    double& taken = note_ends_[each.row];
    const bool above = from >= taken;
    if (above) taken = from + length;
    write(from, above ? at_y - bar_height / 2 - 2 : at_y + bar_height / 2 + 9, "note", each.text);
  }

  const timeline& what_;
  std::vector<std::size_t> order_;           // rows as drawn, from the top
  std::map<std::size_t, double> note_ends_;  // of each row: where the last note above its bars ends
  std::string out_;
};

}  // namespace

std::string escaped(std::string_view text) {
  std::string out;
  for (const char each : text) {
    switch (each) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      default:
        // Control characters have no place in a page, not even as entities.
        out += static_cast<unsigned char>(each) < 0x20 ? ' ' : each;
    }
  }
  return out;
}

std::string drawing_text(const timeline& what, std::string_view title) { return drawing{what}.text(title); }

}  // namespace lab
