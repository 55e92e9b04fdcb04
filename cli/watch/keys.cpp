#include "watch/keys.hpp"

#include <algorithm>

namespace holdfast::cli::watch {
namespace {

constexpr char escape = '\x1b';
constexpr char interrupt = '\x03';
constexpr std::size_t longest_filter = 200;

void type(controls& state, char key) {
  if (key == '\r' || key == '\n') {
    state.typing = false;
  } else if (key == '\x7f' || key == '\b') {
    if (!state.filter.empty()) state.filter.pop_back();
  } else if (static_cast<unsigned char>(key) >= 0x20 && state.filter.size() < longest_filter) {
    state.filter += key;
  }
  state.top = 0;
}

void clear(controls& state) {
  state.filter.clear();
  state.typing = false;
  state.help = false;
  state.top = 0;
}

void scroll(controls& state, std::ptrdiff_t by, std::size_t page, std::size_t rows) {
  const auto most = static_cast<std::ptrdiff_t>(rows > page ? rows - page : 0);
  const auto wanted = static_cast<std::ptrdiff_t>(state.top) + by;
  state.top = static_cast<std::size_t>(std::clamp<std::ptrdiff_t>(wanted, 0, most));
}

void command(controls& state, char key, std::size_t page, std::size_t rows) {
  switch (key) {
    case 'q':
      state.quit = true;
      return;
    case 's':
      state.sorted = static_cast<order>((static_cast<int>(state.sorted) + 1) % 4);
      return;
    case '/':
    case 'f':
      state.typing = true;
      return;
    case ' ':
    case 'p':
      state.paused = !state.paused;
      return;
    case '?':
    case 'h':
      state.help = !state.help;
      return;
    case 'j':
      return scroll(state, 1, page, rows);
    case 'k':
      return scroll(state, -1, page, rows);
    default:
      return;
  }
}

// "\x1b[A" and its like. Returns how many bytes it took; 1 for a lone Esc.
std::size_t sequence(controls& state, std::string_view bytes, std::size_t page, std::size_t rows) {
  if (bytes.size() < 3 || (bytes[1] != '[' && bytes[1] != 'O')) {
    clear(state);
    return 1;
  }
  std::size_t end = 2;
  while (end + 1 < bytes.size() && (bytes[end] < '@' || bytes[end] > '~')) ++end;
  const std::string_view body = bytes.substr(2, end - 1);
  const auto whole = static_cast<std::ptrdiff_t>(page);
  if (body == "A") scroll(state, -1, page, rows);
  if (body == "B") scroll(state, 1, page, rows);
  if (body == "5~") scroll(state, -whole, page, rows);
  if (body == "6~") scroll(state, whole, page, rows);
  return end + 1;
}

}  // namespace

void press(controls& state, std::string_view bytes, std::size_t page, std::size_t rows) {
  while (!bytes.empty()) {
    std::size_t taken = 1;
    if (bytes.front() == interrupt) {
      state.quit = true;
    } else if (bytes.front() == escape) {
      taken = sequence(state, bytes, page, rows);
    } else if (state.typing) {
      type(state, bytes.front());
    } else {
      command(state, bytes.front(), page, rows);
    }
    bytes.remove_prefix(std::min(taken, bytes.size()));
  }
}

}  // namespace holdfast::cli::watch
