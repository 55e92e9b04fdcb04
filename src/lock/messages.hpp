// What clients tell each other through their inboxes, besides grants (replies.hpp): written and read, without I/O.
//
//   broken <key size> <key><owner>                                   an operator took this lock from its holder
//   dismissed <waiter> <ticket>                                      the work this waiter wants to do has been done
//   leader <key>                                                     another leads now, or nobody (to all)
//   ask <inbox> <first> {<key size> <owner size> <key><owner>}…      who holds these, tell me; numbered from <first> on
//   told {<number> <fence> <held µs> <remaining µs> <state>\n}…      the answer, to that inbox: of those that are held here
//
// Whoever may publish may send anything, so reading is strict: a message that is not exactly of these forms is none.
#pragma once

#include <holdfast/lease.hpp>

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace holdfast::lock {

// One message asks for no more than this; whoever wants more asks again.
inline constexpr std::size_t most_asked = 256;

// One acquisition of one lock. The views are into the message.
struct subject {
  std::string_view key;
  std::string_view owner;
};

std::optional<subject> read_broken(std::string_view message);

struct dismissal {
  std::uint64_t waiter = 0;
  std::uint64_t ticket = 0;
};
std::optional<dismissal> read_dismissal(std::string_view message);

// The lock's key; into the message.
std::optional<std::string_view> read_leader_change(std::string_view message);

struct ask_message {
  std::string_view inbox;  // whom to answer: hex digits only
  std::uint64_t first = 0;
  std::vector<subject> about;
};
std::string write_ask(const ask_message& what);
std::optional<ask_message> read_ask(std::string_view message);

struct told_item {
  std::uint64_t number = 0;
  std::uint64_t fence = 0;
  std::chrono::microseconds held{};
  std::chrono::microseconds remaining{};
  lease_state state{};
};
std::string write_told(const std::vector<told_item>& items);
std::optional<std::vector<told_item>> read_told(std::string_view message);

}  // namespace holdfast::lock
