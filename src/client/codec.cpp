// Times as text, for codec.hpp: no locale, no time zone, no allocation beyond the result.
#include <holdfast/codec.hpp>

#include "lock/take.hpp"

#include <array>
#include <cstdio>

namespace holdfast {

using namespace std::chrono;

std::string to_iso8601(timestamp_value when) {
  const auto day = floor<days>(when);
  const year_month_day date{day};
  const hh_mm_ss<microseconds> time{when - day};
  const int year = static_cast<int>(date.year());
  if (year < 0 || year > 9999) throw std::out_of_range{"ISO 8601 needs a year from 0000 to 9999"};
  std::array<char, 64> text{};
  const int size = std::snprintf(text.data(), text.size(), "%04d-%02u-%02uT%02d:%02d:%02d.%06dZ", year,
                                 static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()),
                                 static_cast<int>(time.hours().count()), static_cast<int>(time.minutes().count()),
                                 static_cast<int>(time.seconds().count()), static_cast<int>(time.subseconds().count()));
  return {text.data(), static_cast<std::size_t>(size)};
}

namespace {

// Exactly `size` digits off the front.
bool take_digits(std::string_view& text, std::size_t size, int& out) {
  std::string_view digits;
  if (!lock::take_bytes(text, size, digits)) return false;
  return digits.find_first_not_of("0123456789") == std::string_view::npos && lock::is_whole_number(digits, out);
}

bool take_fraction(std::string_view& text, int& out) {
  if (!lock::take_word(text, ".")) return true;
  const auto size = std::min(text.find_first_not_of("0123456789"), text.size());
  if (size == 0 || size > 6 || !take_digits(text, size, out)) return false;
  for (auto i = size; i < 6; ++i) out *= 10;
  return true;
}

}  // namespace

timestamp_value from_iso8601(std::string_view text) {
  std::array<int, 7> n{};
  const bool formed = take_digits(text, 4, n[0]) && lock::take_word(text, "-") && take_digits(text, 2, n[1]) &&
                      lock::take_word(text, "-") && take_digits(text, 2, n[2]) && lock::take_word(text, "T") &&
                      take_digits(text, 2, n[3]) && lock::take_word(text, ":") && take_digits(text, 2, n[4]) &&
                      lock::take_word(text, ":") && take_digits(text, 2, n[5]) && take_fraction(text, n[6]) &&
                      text == "Z";
  const year_month_day date{year{n[0]}, month{static_cast<unsigned>(n[1])}, day{static_cast<unsigned>(n[2])}};
  if (!formed || !date.ok() || n[3] > 23 || n[4] > 59 || n[5] > 59) {
    throw std::invalid_argument{"not a time of the form 2026-03-01T12:30:00.250000Z"};
  }
  return sys_days{date} + hours{n[3]} + minutes{n[4]} + seconds{n[5]} + microseconds{n[6]};
}

}  // namespace holdfast
