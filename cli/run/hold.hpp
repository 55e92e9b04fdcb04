// Which kind of lock `run` takes, and taking it: a mutex, one side of a read-write lock, or permits of a semaphore.
#pragma once

#include <holdfast/client.hpp>

#include <cstdint>
#include <string>
#include <string_view>

namespace holdfast::cli {

struct hold_kind {
  enum class form : unsigned char { alone, reader, writer, permits };
  form as = form::alone;
  std::uint64_t count = 0;     // permits: so many
  std::uint64_t capacity = 0;  // … of so many

  friend bool operator==(const hold_kind&, const hold_kind&) = default;
};

// "2/4". Throws `stop` (64), naming the words.
[[nodiscard]] hold_kind read_permits(std::string_view text);

// " with other readers", " alone, without readers", ": 2 of 4 permits"; nothing for a plain lock.
[[nodiscard]] std::string how_text(const hold_kind& kind);

// `waits`: as long as how.wait says; otherwise one try.
[[nodiscard]] result<lease> take(client& redis, std::string_view name, const hold_kind& kind, bool waits, options how);

// What is to be said of the failure. One name is one kind of lock; where the name is in use as another, says as which, and
// which option goes with that.
[[nodiscard]] std::string not_acquired_text(client& redis, const std::string& name, const hold_kind& kind,
                                            const failure& why);

}  // namespace holdfast::cli
