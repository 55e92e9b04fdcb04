#include "lock/quorum_cache.hpp"

#include "lock/quorum_failures.hpp"
#include "lock/quorum_majority.hpp"
#include "lock/quorum_replies.hpp"
#include "lock/server_error.hpp"
#include "lock/take.hpp"

#include <algorithm>
#include <array>
#include <string_view>

namespace holdfast::lock {

using resp::kind;
using resp::value;
using std::chrono::milliseconds;

namespace {

constexpr std::array<std::string_view, 7> known_words{"drawn", "stored", "newer", "lost", "unsure", "young", "refused"};

failure odd() { return {errc::protocol, "the answer to a quorum_cache script is not of a form that it can return"}; }

}  // namespace

result<std::string> read_kept_word(const value& reply) {
  if (reply.is_error()) return server_error(reply.text);
  if (reply.is_null()) return std::string{};
  if (!reply.is_list() || reply.items.size() != 2) return odd();
  const auto read = read_entry(reply.items[0], reply.items[1]);
  if (!read) return read.failure();
  return *read ? reply.items[0].text : std::string{};
}

result<std::string> read_cache_word(const value& reply) {
  if (reply.is_error()) return server_error(reply.text);
  if (reply.type != kind::bulk) return odd();
  const std::string word = reply.text.substr(0, reply.text.find(' '));
  if (std::ranges::find(known_words, word) == known_words.end()) return odd();
  return word;
}

result<std::optional<cache_entry>> read_entries(const node_replies& same) {
  const value* least = nullptr;
  for (const value* each : same) {
    if (each->is_null()) return std::optional<cache_entry>{};
    if (least == nullptr || each->items[1].integer < least->items[1].integer) least = each;
  }
  if (least == nullptr) return std::optional<cache_entry>{};
  return read_entry(least->items[0], least->items[1]);
}

std::uint64_t greatest_number(const node_replies& all) {
  std::uint64_t greatest = 0;
  for (const value* each : all) {
    if (each == nullptr) continue;
    std::string_view text = each->text;
    std::uint64_t number = 0;
    if ((take_word(text, "drawn ") || take_word(text, "newer ")) && is_whole_number(text, number)) {
      greatest = std::max(greatest, number);
    }
  }
  return greatest;
}

std::optional<failure> not_seated(const node_replies& all, milliseconds max_ttl) {
  std::vector<milliseconds> young;
  std::size_t answers = 0;
  for (const value* each : all) {
    if (each == nullptr) continue;
    ++answers;
    const auto told = read_not_seated(each->text);
    if (!told) continue;
    if (told->what == vote_reply::kind::other_max_ttl) return another_max_ttl(max_ttl, told->max_ttl);
    young.push_back(told->left);
  }
  if (young.empty()) return std::nullopt;
  // When a majority will be of age, as far as these tell.
  std::ranges::sort(young);
  const std::size_t grown = answers - young.size();
  const std::size_t needed = majority_of(all.size());
  const std::size_t missing = needed > grown ? needed - grown : 1;
  return too_many_young(all.size(), young[std::min(missing, young.size()) - 1]);
}

std::int64_t longest_age(std::chrono::nanoseconds by_our_clock) noexcept {
  const auto micros = std::chrono::ceil<std::chrono::microseconds>(by_our_clock).count();
  return micros + micros / 50 + 1;
}

}  // namespace holdfast::lock
