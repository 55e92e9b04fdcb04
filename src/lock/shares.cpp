#include "lock/shares.hpp"

#include <string>

namespace holdfast::lock {
namespace {

flavour make(std::uint64_t weight, std::uint64_t capacity, std::string_view mode, char kind) {
  flavour made;
  made.acquire = &scripts::share_acquire;
  made.release = &scripts::share_release;
  made.renew = &scripts::share_renew;
  made.extra = {std::to_string(weight), std::to_string(capacity), std::string{mode}};
  made.mark = std::to_string(weight) + kind;
  return made;
}

flavour_ptr make_read_write(std::uint64_t weight, std::string_view mode, char kind, flavour_ptr held_as) {
  flavour made = make(weight, most_shares, mode, kind);
  made.noun = "a read-write lock";
  made.held_as = std::move(held_as);
  return std::make_shared<const flavour>(std::move(made));
}

}  // namespace

const flavour_ptr& reader() {
  static const flavour_ptr made = make_read_write(1, "rw", '*', nullptr);
  return made;
}

const flavour_ptr& writer() {
  static const flavour_ptr made = make_read_write(most_shares, "rw", '*', nullptr);
  return made;
}

const flavour_ptr& upgrader() {
  static const flavour_ptr made = make_read_write(most_shares, "up", '^', writer());
  return made;
}

flavour_ptr upgrader_of(std::string_view of) {
  flavour made = *upgrader();
  made.extra.insert(made.extra.end() - 1, std::string{of});  // the mode stays the last
  return std::make_shared<const flavour>(std::move(made));
}

const flavour_ptr& downgrader() {
  static const flavour_ptr made = make_read_write(most_shares, "down", '*', nullptr);
  return made;
}

flavour_ptr permits(std::uint64_t count, std::uint64_t capacity) {
  flavour made = make(count, capacity, "permits", '*');
  made.noun = "a semaphore";
  return std::make_shared<const flavour>(std::move(made));
}

flavour_ptr in_slots(const flavour& permits, std::string_view slots) {
  flavour held = permits;
  held.extra.insert(held.extra.end() - 1, std::string{slots});
  flavour made = permits;
  made.held_as = std::make_shared<const flavour>(std::move(held));
  return std::make_shared<const flavour>(std::move(made));
}

result<void> check_permits(std::uint64_t count, std::string_view what, std::uint64_t most) {
  if (count >= 1 && count <= most) return {};
  return failure{errc::bad_option, std::string{what} + " is " + std::to_string(count) + ", but must be 1 to " +
                                       std::to_string(most) + (most == most_slots ? " on a quorum" : "")};
}

}  // namespace holdfast::lock
