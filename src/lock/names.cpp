#include "lock/names.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <charconv>

namespace holdfast::lock {
namespace {

// Every `{` is closed, not nested, and has something inside; no `}` stands alone.
bool braces_are_whole(std::string_view text) noexcept {
  std::size_t opened = std::string_view::npos;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const bool inside = opened != std::string_view::npos;
    if (text[at] == '{') {
      if (inside) return false;
      opened = at;
    } else if (text[at] == '}') {
      if (!inside || at == opened + 1) return false;
      opened = std::string_view::npos;
    }
  }
  return opened == std::string_view::npos;
}

bool has_tag(std::string_view key) noexcept { return key.find('{') != std::string_view::npos; }

std::string helper_key(std::string_view key, std::string_view suffix) {
  std::string made;
  made.reserve(key.size() + suffix.size() + 2);
  if (has_tag(key)) return made.append(key).append(suffix);
  return made.append("{").append(key).append("}").append(suffix);
}

}  // namespace

result<std::string> make_key(std::string_view prefix, std::string_view name) {
  if (name.empty()) return failure{errc::bad_name, "the lock's name is empty; give it at least one byte"};
  if (name.size() > longest_name) {
    return failure{errc::bad_name, "the lock's name has " + std::to_string(name.size()) + " bytes; at most " +
                                       std::to_string(longest_name) + " are allowed"};
  }
  if (prefix.size() > longest_name) {
    return failure{errc::bad_option, "the prefix has " + std::to_string(prefix.size()) + " bytes; at most " +
                                         std::to_string(longest_name) + " are allowed"};
  }
  std::string key;
  key.reserve(prefix.size() + name.size());
  key.append(prefix).append(name);
  if (!braces_are_whole(key)) {
    return failure{errc::bad_name,
                   "the lock's name has broken braces; use none, or pairs with something inside such as {tag}"};
  }
  return key;
}

result<void> check_owner(std::string_view owner) {
  if (owner.empty()) return failure{errc::bad_option, "the owner id is empty; give 1 to 256 bytes"};
  if (owner.size() > longest_owner) {
    return failure{errc::bad_option,
                   "the owner id has " + std::to_string(owner.size()) + " bytes; at most 256 are allowed"};
  }
  return {};
}

std::uint32_t fence_tag(std::uint16_t slot) {
  // Found by trying, a fraction of a millisecond, once per slot and process; 0 is "not yet", otherwise number + 1.
  static std::array<std::atomic<std::uint32_t>, resp::slots> known{};
  if (const std::uint32_t found = known[slot].load(std::memory_order_relaxed); found != 0) return found - 1;
  for (std::uint32_t number = 0;; ++number) {
    std::array<char, 12> digits{};
    const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), number).ptr;
    if (resp::crc16({digits.data(), static_cast<std::size_t>(end - digits.data())}) % resp::slots != slot) continue;
    known[slot].store(number + 1, std::memory_order_relaxed);
    return number;
  }
}

std::string waiters_key(std::string_view key) { return helper_key(key, ":waiters"); }
std::string seen_key(std::string_view key) { return helper_key(key, ":seen"); }
std::string fence_key(std::string_view key) {
  return "holdfast:fence:{" + std::to_string(fence_tag(slot_of(key))) + "}";
}
std::string note_key(std::string_view key) { return helper_key(key, ":note"); }
std::string value_key(std::string_view key) { return helper_key(key, ":value"); }
std::string leader_key(std::string_view key) { return helper_key(key, ":leader"); }
std::string capacity_key(std::string_view key) { return helper_key(key, ":capacity"); }
std::string guard_key(std::string_view key) { return helper_key(key, ":guard"); }
std::string shard_channel(std::string_view key, std::string_view inbox) {
  std::array<char, 12> digits{};
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), fence_tag(slot_of(key))).ptr;
  std::string out;
  out.reserve(channel_stem.size() + digits.size() + inbox.size() + 2);
  out.append(channel_stem).append("{").append(digits.data(), end).append("}").append(inbox);
  return out;
}
std::string inbox_channel(std::string_view inbox) { return std::string{channel_stem}.append(inbox); }

bool is_helper_key(std::string_view key) noexcept {
  if (key.starts_with("holdfast:fence:{")) return true;
  if (!has_tag(key)) return false;
  if (key.find(":rwlock_timeout:") != std::string_view::npos) return true;  // Redisson's, of one reader
  static constexpr std::array<std::string_view, 7> suffixes{":waiters", ":seen",   ":note", ":capacity",
                                                            ":value",   ":leader", ":guard"};
  return std::any_of(suffixes.begin(), suffixes.end(), [key](std::string_view each) { return key.ends_with(each); });
}

std::string glob_escaped(std::string_view text) {
  std::string out;
  for (const char each : text) {
    if (std::string_view{"*?[]\\"}.find(each) != std::string_view::npos) out += '\\';
    out += each;
  }
  return out;
}

}  // namespace holdfast::lock
