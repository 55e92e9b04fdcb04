// Owns one file descriptor; used by every part of the test support that opens one.
//
// Thread safety: none, like std::unique_ptr. Invariant: closed exactly once; -1 means "none", which poll() ignores.
#pragma once

#include <unistd.h>

#include <utility>

namespace holdfast::test {

class unique_fd {
 public:
  unique_fd() = default;
  explicit unique_fd(int fd) : fd_{fd} {}
  unique_fd(unique_fd&& other) noexcept : fd_{std::exchange(other.fd_, -1)} {}
  unique_fd& operator=(unique_fd&& other) noexcept {
    if (this != &other) reset(std::exchange(other.fd_, -1));
    return *this;
  }
  ~unique_fd() { reset(); }

  [[nodiscard]] int get() const { return fd_; }
  explicit operator bool() const { return fd_ >= 0; }
  void reset(int fd = -1) {
    if (fd_ >= 0) ::close(fd_);
    fd_ = fd;
  }

 private:
  int fd_ = -1;
};

}  // namespace holdfast::test
