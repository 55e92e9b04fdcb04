// A file descriptor with an owner. Not thread-safe, as an int is not.
#pragma once

#include <unistd.h>

#include <utility>

namespace holdfast::topology {

class descriptor {
 public:
  descriptor() = default;
  explicit descriptor(int fd) noexcept : fd_{fd} {}
  descriptor(descriptor&& from) noexcept : fd_{std::exchange(from.fd_, -1)} {}
  descriptor& operator=(descriptor&& from) noexcept {
    if (this != &from) {
      reset();
      fd_ = std::exchange(from.fd_, -1);
    }
    return *this;
  }
  descriptor(const descriptor&) = delete;
  descriptor& operator=(const descriptor&) = delete;
  ~descriptor() { reset(); }

  void reset() noexcept {
    if (fd_ >= 0) ::close(std::exchange(fd_, -1));
  }
  [[nodiscard]] int get() const noexcept { return fd_; }
  explicit operator bool() const noexcept { return fd_ >= 0; }

 private:
  int fd_ = -1;
};

}  // namespace holdfast::topology
