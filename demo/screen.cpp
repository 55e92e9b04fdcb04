#include "screen.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>

namespace demo {
namespace {

constexpr std::array<std::string_view, 8> colours{"36", "33", "35", "32", "34", "96", "93", "95"};
constexpr std::size_t chart_width = 72;

bool has_text(const char* variable) {
  const char* const value = std::getenv(variable);
  return value != nullptr && value[0] != '\0';
}

bool is_terminal() {
  const char* const kind = std::getenv("TERM");
  return ::isatty(STDOUT_FILENO) == 1 && !has_text("NO_COLOR") && (kind == nullptr || std::string_view{kind} != "dumb");
}

bool speaks_utf8() {
  for (const char* const variable : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    if (!has_text(variable)) continue;
    const std::string_view value = std::getenv(variable);
    return value.find("UTF-8") != std::string_view::npos || value.find("utf8") != std::string_view::npos;
  }
  return false;
}

std::string format(const char* pattern, auto... values) {
  std::array<char, 200> out{};
  std::snprintf(out.data(), out.size(), pattern, values...);
  return out.data();
}

}  // namespace

std::string duration_text(std::int64_t nanoseconds, bool utf8) {
  const double us = static_cast<double>(nanoseconds) / 1000;
  if (us < 1000) return format("%.0f %s", us, utf8 ? "µs" : "us");
  if (us < 10'000) return format("%.2f ms", us / 1000);
  if (us < 100'000) return format("%.1f ms", us / 1000);
  return format("%.0f ms", us / 1000);
}

screen::screen() : rich_{is_terminal()}, utf8_{rich_ && speaks_utf8()} {
  std::setvbuf(stdout, nullptr, _IOLBF, 0);  // a pipe's reader sees it as it happens, too
}

std::string screen::paint(std::string_view code, std::string_view text) const {
  if (!rich_) return std::string{text};
  return "\x1b[" + std::string{code} + "m" + std::string{text} + "\x1b[0m";
}

std::string screen::name(int process) const {
  return paint(colours[static_cast<std::size_t>(process - 1) % colours.size()], "P" + std::to_string(process));
}

void screen::title(std::string_view text, std::string_view subtitle) const {
  std::printf("\n%s\n%s\n", paint("1", text).c_str(), paint("2", subtitle).c_str());
}

void screen::section(std::string_view text) const {
  const std::string mark = utf8_ ? "━━" : "==";
  std::printf("\n%s\n", paint("1", mark + " " + std::string{text}).c_str());
}

void screen::table_head() const {
  std::printf("%s\n", paint("2", "   time ms  process  what      fence                    waited").c_str());
}

void screen::row(int process, std::int64_t time, std::string_view middle) const {
  const double ms = static_cast<double>(time - start_) / 1e6;
  std::printf("%10.3f  %s       %.*s\n", ms, name(process).c_str(), static_cast<int>(middle.size()), middle.data());
}

void screen::line(const report& heard) const {
  const auto fence = format("%llu", static_cast<unsigned long long>(heard.fence));
  switch (heard.kind) {
    case what::got: {
      const auto waited = format("%14s", duration_text(heard.waited, false).c_str());
      return row(heard.process, heard.time, paint("32", "got     ") + "  " + fence + waited);
    }
    case what::released:
      return row(heard.process, heard.time, paint("2", "released  " + fence));
    case what::lost:
      return row(heard.process, heard.time, paint("31", "lost    ") + "  " + fence);
    default:
      return;
  }
}

void screen::event(int process, std::int64_t time, std::string_view text) const {
  row(process, time, paint("1;31", text));
}

void screen::remark(std::string_view text) const {
  std::printf("            %s %.*s\n", paint("2", utf8_ ? "└─" : "->").c_str(), static_cast<int>(text.size()),
              text.data());
}

void screen::verdict(bool good, std::string_view label, std::string_view text) const {
  const std::string mark = good ? paint("32", utf8_ ? "✔" : "ok ") : paint("1;31", utf8_ ? "✘" : "BAD");
  std::printf("  %s %-22.*s %.*s\n", mark.c_str(), static_cast<int>(label.size()), label.data(),
              static_cast<int>(text.size()), text.data());
}

void screen::chart(const std::vector<hold>& holds, std::size_t from, std::size_t to) const {
  to = std::min(to, holds.size());
  if (from >= to) return;
  const std::int64_t begin = holds[from].start;
  const std::int64_t end = holds[to - 1].end;
  const double per_cell = static_cast<double>(std::max<std::int64_t>(end - begin, 1)) / chart_width;
  std::printf("\n");
  for (int process = 1; process <= 8; ++process) {
    std::array<bool, chart_width> filled{};
    bool any = false;
    for (std::size_t i = from; i < to; ++i) {
      if (holds[i].process != process) continue;
      any = true;
      const auto cell = [&](std::int64_t at) {
        return std::clamp<std::size_t>(static_cast<std::size_t>(static_cast<double>(at - begin) / per_cell), 0,
                                       chart_width - 1);
      };
      for (std::size_t at = cell(holds[i].start); at <= cell(holds[i].end - 1); ++at) filled[at] = true;
    }
    if (!any) continue;
    std::string drawn;
    for (const bool on : filled) drawn += on ? (utf8_ ? "█" : "#") : (utf8_ ? "·" : ".");
    const auto colour = colours[static_cast<std::size_t>(process - 1)];
    std::printf("  %s  %s\n", name(process).c_str(), paint(colour, drawn).c_str());
  }
  const auto scale = format("      %.0f ms %*s %.0f ms", static_cast<double>(begin - start_) / 1e6,
                            static_cast<int>(chart_width) - 16, "", static_cast<double>(end - start_) / 1e6);
  std::printf("%s\n", paint("2", scale).c_str());
}

}  // namespace demo
