#include "run/hold.hpp"

#include "exit_code.hpp"
#include "stop.hpp"

#include <holdfast/inspect.hpp>
#include <holdfast/semaphore.hpp>
#include <holdfast/shared_mutex.hpp>

#include <charconv>
#include <optional>

namespace holdfast::cli {
namespace {

using form = hold_kind::form;

constexpr std::uint64_t most_permits = 100'000'000;

std::optional<std::uint64_t> whole_number(std::string_view text) {
  std::uint64_t number = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (problem != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return number;
}

std::string_view option_of(const hold_kind& kind) {
  switch (kind.as) {
    case form::reader:
      return "-s";
    case form::writer:
      return "-x";
    case form::permits:
      return "--permits";
    case form::alone:
      break;
  }
  return "neither -s, -x nor --permits";
}

}  // namespace

hold_kind read_permits(std::string_view text) {
  const auto wrong = [text](const std::string& why) {
    return stop{exit_usage, "--permits " + std::string{text} + ": " + why};
  };
  const auto slash = text.find('/');
  const std::string shape = "write K/N: K permits of the N that there are, such as 1/4";
  if (slash == std::string_view::npos) throw wrong(shape);
  const auto count = whole_number(text.substr(0, slash));
  const auto capacity = whole_number(text.substr(slash + 1));
  for (const auto& [number, word] :
       {std::pair{count, text.substr(0, slash)}, std::pair{capacity, text.substr(slash + 1)}}) {
    if (!number && (word.empty() || word.find_first_not_of("0123456789") != std::string_view::npos)) {
      throw wrong("'" + std::string{word} + "' is not a number; " + shape);
    }
    if (!number || *number < 1 || *number > most_permits) {
      throw wrong("'" + std::string{word} + "' is out of range; 1 to " + std::to_string(most_permits));
    }
  }
  if (*count > *capacity) {
    throw wrong(std::to_string(*count) + " permits can never be had of " + std::to_string(*capacity) + "; " + shape);
  }
  return {.as = form::permits, .count = *count, .capacity = *capacity};
}

std::string how_text(const hold_kind& kind) {
  switch (kind.as) {
    case form::reader:
      return " with other readers";
    case form::writer:
      return " alone, without readers";
    case form::permits:
      return ": " + std::to_string(kind.count) + " of " + std::to_string(kind.capacity) + " permits";
    case form::alone:
      break;
  }
  return "";
}

result<lease> take(client& redis, std::string_view name, const hold_kind& kind, bool waits, options how) {
  switch (kind.as) {
    case form::reader:
      return waits ? acquire_shared(std::nothrow, redis, name, how) : try_acquire_shared(redis, name, how);
    case form::writer:
      return waits ? acquire_exclusive(std::nothrow, redis, name, how) : try_acquire_exclusive(redis, name, how);
    case form::permits: {
      if (!waits) how.wait = std::chrono::milliseconds{0};
      return semaphore{redis, name, kind.capacity, {.ttl = how.ttl}}.take(std::nothrow, kind.count, how);
    }
    case form::alone:
      break;
  }
  return waits ? redis.acquire(std::nothrow, name, how) : redis.try_acquire(name, how);
}

std::string not_acquired_text(client& redis, const std::string& name, const hold_kind& kind, const failure& why) {
  std::string plainly = name + " was not acquired: " + why.detail;
  if (why.code != errc::wrong_type) return plainly;
  const auto seen = inspect(redis, name, {.patience = std::chrono::milliseconds{0}, .most_waiters = 0});
  if (!seen) return plainly;
  std::string is;
  std::string fix;
  if (seen->layout == lock_layout::shares) {
    is = "a lock that holders share";
    fix = "use -s to share it with readers, -x to have it alone, --permits K/N if it is a semaphore";
  } else if (seen->layout == lock_layout::plain && kind.as != form::alone) {
    is = "a plain lock";
    fix = kind.as == form::permits ? "use another name"
                                   : "say -x instead of nothing wherever it is taken alone, or use another name";
  } else {
    return plainly;
  }
  return name + " is in use as " + is + ", and was asked for with " + std::string{option_of(kind)} +
         ". One name is one kind of lock: " + fix;
}

}  // namespace holdfast::cli
