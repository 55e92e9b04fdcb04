#include "lock/owner_text.hpp"

#include <charconv>

namespace holdfast::lock {
namespace {

constexpr std::size_t tail = 2 * inbox_digits;  // hex digits at the end

}  // namespace

bool looks_like_ours(std::string_view owner) noexcept {
  if (owner.size() < tail + 4 || owner[owner.size() - tail - 1] != ':') return false;
  return owner.substr(owner.size() - tail).find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

std::string_view inbox_of(std::string_view owner) noexcept {
  return looks_like_ours(owner) ? owner.substr(owner.size() - tail, inbox_digits) : std::string_view{};
}

place place_of(std::string_view owner) {
  if (!looks_like_ours(owner)) return {};
  const std::string_view front = owner.substr(0, owner.size() - tail - 1);
  const auto colon = front.rfind(':');
  if (colon == 0 || colon == std::string_view::npos) return {};
  const std::string_view digits = front.substr(colon + 1);
  std::int64_t pid = 0;
  const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), pid);
  if (read.ec != std::errc{} || read.ptr != digits.data() + digits.size() || pid <= 0) return {};
  return {std::string{front.substr(0, colon)}, pid};
}

std::string_view owner_of_entry(std::string_view entry) noexcept {
  std::string_view rest = entry;
  for (int fields = 0; fields < 3; ++fields) {
    const auto colon = rest.find(':');
    if (colon == std::string_view::npos) return entry;
    rest.remove_prefix(colon + 1);
  }
  return rest;
}

}  // namespace holdfast::lock
