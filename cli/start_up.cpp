#include "start_up.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <string_view>

namespace holdfast::cli {
namespace {

void hide(char* from, const char* to) noexcept { std::fill(from, from + (to - from), '*'); }

// Of user:password@ everything after the colon, up to the last @: a password may contain one. And password=… in the query.
void hide_in_url(char* url) noexcept {
  char* const end = url + std::strlen(url);
  if (char* const scheme = std::strstr(url, "://"); scheme != nullptr) {
    char* const begin = scheme + 3;
    char* const at = std::strrchr(begin, '@');
    char* const colon = std::find(begin, at != nullptr ? at : begin, ':');
    if (at != nullptr && colon != at) hide(colon + 1, at);
  }
  constexpr std::string_view key = "password=";
  char* found = std::search(url, end, key.begin(), key.end());
  while (found != end) {
    char* const value = found + key.size();
    char* const stop = std::find(value, end, '&');
    hide(value, stop);
    found = std::search(stop, end, key.begin(), key.end());
  }
}

}  // namespace

void hide_passwords(int count, char** words) noexcept {
  for (int i = 1; i < count; ++i) {
    const std::string_view word{words[i]};
    if (word == "--url" && i + 1 < count) hide_in_url(words[i + 1]);
    if (word.starts_with("--url=")) hide_in_url(words[i] + 6);
  }
}

void fill_standard_descriptors() noexcept {
  for (int number = STDIN_FILENO; number <= STDERR_FILENO; ++number) {
    if (::fcntl(number, F_GETFD) >= 0) continue;
    // Such that using it still fails: what cannot be told must not look told. It gets the smallest free number: this one.
    const int mode = number == STDIN_FILENO ? O_WRONLY : O_RDONLY;
    if (::open("/dev/null", mode | O_CLOEXEC) < 0) return;
  }
}

}  // namespace holdfast::cli
