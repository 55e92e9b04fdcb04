// Owns one file descriptor. Everything that the command opens is closed on exec: the child gets only what is meant for it.
//
// Thread safety: none, like std::unique_ptr.
#pragma once

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>
#include <utility>

namespace holdfast::cli {

class descriptor {
 public:
  descriptor() = default;
  explicit descriptor(int number) noexcept : number_{number} {}
  descriptor(descriptor&& other) noexcept : number_{std::exchange(other.number_, -1)} {}
  descriptor& operator=(descriptor&& other) noexcept {
    if (this != &other) reset(std::exchange(other.number_, -1));
    return *this;
  }
  ~descriptor() { reset(); }

  [[nodiscard]] int get() const noexcept { return number_; }
  explicit operator bool() const noexcept { return number_ >= 0; }
  void reset(int number = -1) noexcept {
    if (number_ >= 0) ::close(number_);
    number_ = number;
  }

 private:
  int number_ = -1;
};

// Throws std::system_error with the errno of the call that is named.
inline int checked(int result, const char* call) {
  if (result < 0) throw std::system_error{errno, std::generic_category(), call};
  return result;
}

struct pipe_ends {
  descriptor read;
  descriptor write;
};

inline pipe_ends make_pipe() {
  int ends[2] = {-1, -1};
  checked(::pipe2(ends, O_CLOEXEC), "pipe");
  return {descriptor{ends[0]}, descriptor{ends[1]}};
}

}  // namespace holdfast::cli
