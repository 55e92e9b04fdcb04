#include "lock/owner_text.hpp"

#include <charconv>

namespace holdfast::lock {
namespace {

constexpr std::size_t tail = 2 * inbox_digits;  // hex digits at the end
constexpr std::string_view hex = "0123456789abcdef";
constexpr std::size_t uuid_size = 36;

bool all_of(std::string_view text, std::string_view allowed) noexcept {
  return text.find_first_not_of(allowed) == std::string_view::npos;
}

bool is_plain(std::string_view owner) noexcept {
  return owner.size() >= tail + 4 && owner[owner.size() - tail - 1] == ':' &&
         all_of(owner.substr(owner.size() - tail), hex);
}

std::string_view without_mark(std::string_view owner) noexcept {
  if (owner.ends_with(no_hand_over)) owner.remove_suffix(no_hand_over.size());
  return owner;
}

bool is_in_redissons_layout(std::string_view owner) noexcept {
  if (owner.size() < uuid_size + 2 || owner[uuid_size] != ':') return false;
  if (!all_of(owner.substr(uuid_size + 1), "0123456789") || owner[14] != '8' || owner[19] != 'b') return false;
  for (std::size_t at = 0; at < uuid_size; ++at) {
    const bool dash = at == 8 || at == 13 || at == 18 || at == 23;
    if (dash ? owner[at] != '-' : hex.find(owner[at]) == std::string_view::npos) return false;
  }
  return true;
}

}  // namespace

std::string redisson_owner(std::string_view client, std::string_view acquisition, std::int64_t thread) {
  std::string made;
  made.reserve(uuid_size + 12);
  made.append(client.substr(0, 8)).append("-").append(client.substr(8, 4));
  made.append("-8").append(client.substr(12, 3));
  made.append("-b").append(client.substr(15, 1)).append(acquisition.substr(0, 2));
  made.append("-").append(acquisition.substr(2, 12));
  return made.append(":").append(std::to_string(thread));
}

bool looks_like_ours(std::string_view owner) noexcept { return is_plain(owner) || is_in_redissons_layout(owner); }

std::string inbox_of_owner(std::string_view marked) {
  const std::string_view owner = without_mark(marked);
  if (is_plain(owner)) return std::string{owner.substr(owner.size() - tail, inbox_digits)};
  if (!is_in_redissons_layout(owner)) return {};
  return std::string{owner.substr(0, 8)}
      .append(owner.substr(9, 4))
      .append(owner.substr(15, 3))
      .append(owner.substr(20, 1));
}

place place_of(std::string_view marked) {
  const std::string_view owner = without_mark(marked);
  if (!is_plain(owner)) return {};
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
