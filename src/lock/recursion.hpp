// Who of this process is inside a recursive lock, and how deep. Decides; the gate around it (client/recursive_hold.hpp)
// waits and asks the server.
//
// A visitor is a thread, or an owner that the caller named. One visitor at a time; the same one may come again.
// Thread safety: none.
#pragma once

#include <cstdint>
#include <string>
#include <utility>

namespace holdfast::lock {

struct visitor {
  std::uint64_t thread = 0;  // a number that no other thread of this process has or had; 0 with `owner`
  std::string owner{};       // the caller's own id, or empty

  friend bool operator==(const visitor&, const visitor&) = default;
};

enum class entering : unsigned char {
  first,  // nobody is inside: ask the server, then arrived() or gone()
  again,  // the visitor is inside already: one deeper
  busy,   // somebody else is, or the visitor itself is just coming or going (in another thread)
};

enum class leaving : unsigned char {
  last,    // give the lock back, then gone()
  inner,   // still inside
  absent,  // the visitor is not inside
};

class recursion {
 public:
  entering enter(const visitor& who) {
    if (!open_to(who)) return entering::busy;
    if (depth_++ != 0) return entering::again;
    inside_ = who;
    moving_ = true;
    return entering::first;
  }
  void arrived() noexcept { moving_ = false; }

  leaving leave(const visitor& who) {
    if (!is_inside(who)) return leaving::absent;
    if (depth_ == 1) {
      moving_ = true;
      return leaving::last;
    }
    --depth_;
    return leaving::inner;
  }
  void gone() noexcept {
    depth_ = 0;
    moving_ = false;
  }

  [[nodiscard]] bool is_inside(const visitor& who) const { return depth_ != 0 && !moving_ && who == inside_; }
  [[nodiscard]] bool open_to(const visitor& who) const { return depth_ == 0 || is_inside(who); }
  [[nodiscard]] std::uint64_t depth() const noexcept { return depth_; }

 private:
  visitor inside_;
  std::uint64_t depth_ = 0;
  bool moving_ = false;  // between the gate and the server's answer, in either direction
};

}  // namespace holdfast::lock
