// What an owner's text tells: `<host>:<pid>:<16 hex digits of the client><16 hex digits of the acquisition>` if this
// library made it. A caller may choose any other text, and foreign holders do.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace holdfast::lock {

// Digits of a client's id, which is also its inbox.
inline constexpr std::size_t inbox_digits = 16;

// Whether the owner has the form that this library makes. Anything else may be a holder that does not hand over, and
// wants to be looked at more often. A wrong guess costs a few looks, nothing else.
bool looks_like_ours(std::string_view owner) noexcept;

// The client that made the owner; empty if it is not of our form.
std::string_view inbox_of(std::string_view owner) noexcept;

struct place {
  std::string host;  // empty: not told
  std::optional<std::int64_t> pid{};
};
place place_of(std::string_view owner);

// The owner at the end of a queue's entry, `<claim>:<inbox>:<waiter>:<owner>`; the entry itself if it has another form.
std::string_view owner_of_entry(std::string_view entry) noexcept;

}  // namespace holdfast::lock
