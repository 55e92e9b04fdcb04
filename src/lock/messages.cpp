#include "lock/messages.hpp"

#include "lock/names.hpp"
#include "lock/take.hpp"

namespace holdfast::lock {
namespace {

// What a key may be at most: a prefix and a name.
constexpr std::size_t longest_key = 2 * longest_name;
// A holder of another library may have a longer owner than ours.
constexpr std::size_t longest_foreign_owner = 4096;

bool is_hex(std::string_view text) noexcept {
  return !text.empty() && text.size() <= 32 && text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

bool is_subject(const subject& what) noexcept {
  return !what.key.empty() && what.key.size() <= longest_key && !what.owner.empty() &&
         what.owner.size() <= longest_foreign_owner;
}

bool take_subject(std::string_view& text, subject& out) {
  std::size_t key = 0;
  std::size_t owner = 0;
  return take_number(text, key) && take_number(text, owner) && take_bytes(text, key, out.key) &&
         take_bytes(text, owner, out.owner) && is_subject(out);
}

std::optional<lease_state> read_state(std::string_view word) noexcept {
  if (word == "VALID") return lease_state::VALID;
  if (word == "JEOPARDY") return lease_state::JEOPARDY;
  return std::nullopt;
}

}  // namespace

std::optional<subject> read_broken(std::string_view message) {
  subject out;
  std::size_t key = 0;
  if (!take_word(message, "broken ") || !take_number(message, key) || !take_bytes(message, key, out.key)) return {};
  out.owner = message;
  return is_subject(out) ? std::optional{out} : std::nullopt;
}

std::optional<dismissal> read_dismissal(std::string_view message) {
  dismissal out;
  if (!take_word(message, "dismissed ") || !take_number(message, out.waiter)) return {};
  return is_whole_number(message, out.ticket) ? std::optional{out} : std::nullopt;
}

std::optional<std::string_view> read_leader_change(std::string_view message) {
  if (!take_word(message, "leader ") || message.empty() || message.size() > longest_key) return {};
  return message;
}

std::string write_ask(const ask_message& what) {
  std::string out = "ask " + std::string{what.inbox} + " " + std::to_string(what.first) + " ";
  for (const subject& each : what.about) {
    out.append(std::to_string(each.key.size())).append(" ").append(std::to_string(each.owner.size())).append(" ");
    out.append(each.key).append(each.owner);
  }
  return out;
}

std::optional<ask_message> read_ask(std::string_view message) {
  ask_message out;
  if (!take_word(message, "ask ")) return {};
  const auto space = message.find(' ');
  if (space == std::string_view::npos) return {};
  out.inbox = message.substr(0, space);
  message.remove_prefix(space + 1);
  if (!is_hex(out.inbox) || !take_number(message, out.first)) return {};
  while (!message.empty()) {
    subject each;
    if (out.about.size() == most_asked || !take_subject(message, each)) return {};
    out.about.push_back(each);
  }
  return out.about.empty() ? std::nullopt : std::optional{std::move(out)};
}

std::string write_told(const std::vector<told_item>& items) {
  std::string out = "told ";
  for (const told_item& each : items) {
    out.append(std::to_string(each.number)).append(" ").append(std::to_string(each.fence)).append(" ");
    out.append(std::to_string(each.held.count())).append(" ").append(std::to_string(each.remaining.count()));
    out.append(" ").append(to_string(each.state)).append("\n");
  }
  return out;
}

std::optional<std::vector<told_item>> read_told(std::string_view message) {
  std::vector<told_item> out;
  if (!take_word(message, "told ")) return {};
  while (!message.empty()) {
    told_item each;
    std::int64_t held = 0;
    std::int64_t remaining = 0;
    if (out.size() == most_asked || !take_number(message, each.number) || !take_number(message, each.fence) ||
        !take_number(message, held) || !take_number(message, remaining) || held < 0 || remaining < 0) {
      return {};
    }
    const auto end = message.find('\n');
    if (end == std::string_view::npos) return {};
    const auto state = read_state(message.substr(0, end));
    if (!state) return {};
    message.remove_prefix(end + 1);
    each.held = std::chrono::microseconds{held};
    each.remaining = std::chrono::microseconds{remaining};
    each.state = *state;
    out.push_back(each);
  }
  return out.empty() ? std::nullopt : std::optional{std::move(out)};
}

}  // namespace holdfast::lock
