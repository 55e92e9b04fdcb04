// The words for the enums of holdfast/inspect.hpp.
#include <holdfast/inspect.hpp>

namespace holdfast {

std::string_view to_string(lock_layout layout) noexcept {
  switch (layout) {
    case lock_layout::none:
      return "none";
    case lock_layout::plain:
      return "plain";
    case lock_layout::redisson:
      return "redisson";
    case lock_layout::redisson_fair:
      return "redisson_fair";
    case lock_layout::redisson_read:
      return "redisson_read";
    case lock_layout::redisson_write:
      return "redisson_write";
    case lock_layout::shares:
      return "shares";
    case lock_layout::meeting:
      return "meeting";
    case lock_layout::other:
      return "other";
  }
  return "unknown";
}

std::string_view to_string(lock_kind kind) noexcept {
  switch (kind) {
    case lock_kind::unknown:
      return "unknown";
    case lock_kind::mutex:
      return "mutex";
    case lock_kind::recursive_mutex:
      return "recursive_mutex";
    case lock_kind::shared_mutex:
      return "shared_mutex";
    case lock_kind::semaphore:
      return "semaphore";
    case lock_kind::latch:
      return "latch";
    case lock_kind::barrier:
      return "barrier";
    case lock_kind::elector:
      return "elector";
    case lock_kind::cache:
      return "cache";
    case lock_kind::multi_lock:
      return "multi_lock";
  }
  return "unknown";
}

std::string_view to_string(contact how) noexcept {
  switch (how) {
    case contact::unasked:
      return "unasked";
    case contact::answered:
      return "answered";
    case contact::silent:
      return "silent";
    case contact::absent:
      return "absent";
    case contact::left:
      return "left";
  }
  return "unknown";
}

}  // namespace holdfast
