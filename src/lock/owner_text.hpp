// What an owner's text tells: `<host>:<pid>:<16 hex digits of the client><16 hex digits of the acquisition>` if this
// library made it. A caller may choose any other text, and foreign holders do.
//
// Without scripts ":noscript" follows, so that waiters with scripts know that nobody will hand over to them.
//
// In Redisson's layout an owner is `<uuid>:<thread>`. Ours are UUIDs of version 8 ("custom", RFC 9562), where Java makes
// version 4 (random); C is the client's id, A the acquisition's digits:
//
//   CCCCCCCC-CCCC-8CCC-bCAA-AAAAAAAAAAAA:<thread id>
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace holdfast::lock {

// Digits of a client's id, which is also its inbox.
inline constexpr std::size_t inbox_digits = 16;

// At the end of the owners of clients without scripts.
inline constexpr std::string_view no_hand_over = ":noscript";

// An owner in Redisson's layout. `client` and `acquisition` have 16 digits each; the last two of these are not used.
std::string redisson_owner(std::string_view client, std::string_view acquisition, std::int64_t thread);

// Whether the owner has a form that this library makes for those who hand over. Anything else may be a holder that does not hand over, and
// wants to be looked at more often. A wrong guess costs a few looks, nothing else.
bool looks_like_ours(std::string_view owner) noexcept;

// The client that made the owner; empty if it is not of our form.
std::string inbox_of_owner(std::string_view owner);

struct place {
  std::string host;  // empty: not told
  std::optional<std::int64_t> pid{};
};
place place_of(std::string_view owner);

// The owner at the end of a queue's entry, `<claim>:<inbox>:<waiter>:<owner>`; the entry itself if it has another form.
std::string_view owner_of_entry(std::string_view entry) noexcept;

}  // namespace holdfast::lock
