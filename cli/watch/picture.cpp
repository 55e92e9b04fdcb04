#include "watch/picture.hpp"

#include "duration.hpp"
#include "terminal.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

namespace holdfast::cli::watch {
namespace {

constexpr std::size_t bar_width = 10;
constexpr std::size_t time_width = 11;  // "59 min 59 s"
constexpr std::size_t count_width = 6;

// Columns on the screen, taking every code point for one wide: names are rarely more.
std::size_t columns(std::string_view text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char each) { return (each & '\xC0') != '\x80'; }));
}

// Exactly `width` columns: cut with … or filled with spaces.
std::string fitted(std::string_view text, std::size_t width) {
  if (columns(text) <= width) return std::string{text} + std::string(width - columns(text), ' ');
  std::string out;
  std::size_t used = 0;
  for (const char each : text) {
    const bool starts = (each & '\xC0') != '\x80';
    if (starts && used + 1 >= width) break;
    if (starts) ++used;
    out += each;
  }
  return out + "…";
}

std::string right(const std::string& text, std::size_t width) {
  return text.size() >= width ? text : std::string(width - text.size(), ' ') + text;
}

struct layout {
  std::size_t name;
  std::size_t holder;
};

// Fixed: held, bar, remaining, waiters, hand-offs, losses; the rest is shared by name and holder.
layout share(std::size_t width) {
  constexpr std::size_t fixed = 1 + 1 + time_width + 1 + bar_width + 1 + time_width + 3 * count_width;
  const std::size_t rest = width > fixed + 24 ? width - fixed : 24;
  return {rest * 3 / 5, rest - rest * 3 / 5};
}

std::string heading(const layout& how) {
  return fitted("NAME", how.name) + " " + fitted("HOLDER", how.holder) + " " + fitted("HELD", time_width) + " " +
         fitted("REMAINING", bar_width + 1 + time_width) + right("WAIT", count_width) + right("HAND", count_width) +
         right("LOST", count_width);
}

std::string line(const row& each, const layout& how, bool coloured) {
  const sight& now = each.now;
  const std::string held = now.held_for ? duration_text(*now.held_for) : "?";
  std::string left = now.owner.empty() ? "" : "never ends";
  double part = 1;
  if (now.remaining) {
    left = duration_text(*now.remaining);
    part = each.longest.count() > 0
               ? static_cast<double>(now.remaining->count()) / static_cast<double>(each.longest.count())
               : 0;
  }
  const colour tint = part > 0.5 ? colour::green : part > 0.2 ? colour::yellow : colour::red;
  const std::string drawn =
      now.owner.empty() ? std::string(bar_width, ' ') : paint(coloured, tint, bar(part, bar_width));
  const std::string losses = right(std::to_string(each.losses), count_width);
  return fitted(printable(now.name), how.name) + " " +
         fitted(now.owner.empty() ? "(nobody)" : printable(now.holder), how.holder) + " " + fitted(held, time_width) +
         " " + drawn + " " + fitted(left, time_width) + right(std::to_string(now.waiting), count_width) +
         right(std::to_string(each.handoffs), count_width) +
         (each.losses > 0 ? paint(coloured, colour::red, losses) : losses);
}

std::string summary(const board& known) {
  std::array<char, 128> text{};
  std::snprintf(text.data(), text.size(), "%zu lock%s, %zu waiting, %.1f hand-offs/s seen, %llu lost", known.size(),
                known.size() == 1 ? "" : "s", known.waiting(), known.handoffs_per_second(),
                static_cast<unsigned long long>(known.losses()));
  return text.data();
}

std::string footer(const controls& state, std::size_t shown, std::size_t all) {
  if (state.typing) return "filter: " + printable(state.filter) + "_   (Enter keeps it, Esc clears it)";
  std::string out = "q quit  s sort: " + std::string{to_string(state.sorted)} + "  / filter";
  if (!state.filter.empty()) out += ": " + printable(state.filter);
  out += state.paused ? "  PAUSED (space)" : "  space pause";
  if (shown < all)
    out += "  rows " + std::to_string(state.top + 1) + "-" + std::to_string(state.top + shown) + " of " +
           std::to_string(all);
  return out + "  ? help";
}

std::vector<std::string> help_lines() {
  return {"q, ^C        quit",
          "s            sort by name, remaining time, waiters, time held",
          "/            show only names that contain a text; Esc clears it",
          "up, down     scroll (also j, k, PgUp, PgDn)",
          "space        hold the picture",
          "",
          "WAIT         how many wait for it",
          "HAND         hand-offs seen since the look before; shorter holds than a look stay unseen",
          "LOST         leases that ran out instead of being released, since watching began"};
}

}  // namespace

std::string bar(double share, std::size_t width) {
  const double clamped = std::clamp(share, 0.0, 1.0);
  const auto full = static_cast<std::size_t>(std::lround(clamped * static_cast<double>(width)));
  std::string out;
  for (std::size_t i = 0; i < width; ++i) out += i < full ? "█" : "░";
  return out;
}

std::vector<std::string> draw(const board& known, const controls& state, const canvas& on, std::string_view where,
                              std::string_view trouble) {
  const layout how = share(on.width);
  const std::vector<row> rows = known.rows(state.sorted, state.filter);
  const std::size_t space = on.height > frame_lines ? on.height - frame_lines : 1;
  std::vector<std::string> out;
  out.push_back(paint(on.coloured, colour::bold, fitted("holdfast watch  " + std::string{where}, on.width)));
  out.push_back(trouble.empty() ? fitted(summary(known), on.width)
                                : paint(on.coloured, colour::red, fitted(printable(trouble), on.width)));
  out.emplace_back();
  std::size_t shown = 0;
  if (state.help) {
    for (const std::string& each : help_lines()) out.push_back(fitted(each, on.width));
  } else {
    out.push_back(paint(on.coloured, colour::dim, fitted(heading(how), on.width)));
    const std::size_t top = std::min(state.top, rows.size());
    shown = std::min(space, rows.size() - top);
    for (std::size_t i = 0; i < shown; ++i) out.push_back(line(rows[top + i], how, on.coloured));
    if (rows.empty()) out.push_back(fitted(state.filter.empty() ? "no locks" : "no lock matches the filter", on.width));
  }
  out.resize(std::max<std::size_t>(on.height, 2) - 1);
  out.push_back(paint(on.coloured, colour::dim, fitted(footer(state, shown, rows.size()), on.width)));
  return out;
}

}  // namespace holdfast::cli::watch
