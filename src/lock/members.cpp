#include "lock/members.hpp"

#include "lock/server_error.hpp"
#include "lock/take.hpp"

#include <algorithm>

namespace holdfast::lock {

result<std::vector<std::string>> order_members(std::vector<std::string> names) {
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  if (names.empty()) return failure{errc::bad_option, "no name is given; a multi_lock needs at least one"};
  if (names.size() > most_members) {
    return failure{errc::bad_option, std::to_string(names.size()) + " names are given; at most " +
                                         std::to_string(most_members) + " can be taken together"};
  }
  return names;
}

result<multi_reply> read_multi(const resp::value& reply, std::size_t members) {
  const failure odd{errc::protocol, "the answer to multi_acquire is not one that the script can give"};
  if (reply.is_error()) return server_error(reply.text);
  if (!reply.is_text()) return odd;
  std::string_view text = reply.text;
  multi_reply out;
  if (take_word(text, "granted ")) {
    for (std::size_t i = 0; i + 1 < members; ++i) {
      if (!take_number(text, out.fences.emplace_back())) return odd;
    }
    if (!is_whole_number(text, out.fences.emplace_back())) return odd;
    return out;
  }
  if (take_word(text, "awaited ")) {
    if (is_whole_number(text, out.which) && out.which < members) return out;
    return odd;
  }
  std::int64_t left = 0;
  if (!take_word(text, "held ") || !take_number(text, out.which) || out.which >= members || !take_number(text, left)) {
    return odd;
  }
  out.held = true;
  out.holds = std::chrono::milliseconds{left};
  out.holder = text;
  return out;
}

}  // namespace holdfast::lock
