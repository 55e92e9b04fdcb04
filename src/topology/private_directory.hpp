// The directory of the private Redis: found, made if need be, proven to be ours alone, and locked.
//
// The flock is on the directory itself: there is no lock file that a cleaner of /tmp could remove under our feet, and
// systemd-tmpfiles leaves a locked directory alone. Invariant: while a `private_directory` lives, no other process
// looks for, starts or ends this user's server, and `path` still leads to the directory behind `fd()`.
// Not thread-safe itself; two threads that each open one exclude each other like two processes.
#pragma once

#include <holdfast/result.hpp>

#include "topology/descriptor.hpp"

#include <string>
#include <system_error>

namespace holdfast::topology {

inline failure no_private_redis(const std::string& why) { return {errc::unreachable, "no private Redis: " + why}; }

inline std::string system_message(int problem) { return std::generic_category().message(problem); }

class private_directory {
 public:
  static constexpr const char* socket_name = "redis.sock";

  // Waits for the lock for at most 15 s: longer than a start can take.
  static result<private_directory> open();

  private_directory(private_directory&&) noexcept = default;
  private_directory& operator=(private_directory&&) = delete;
  ~private_directory();

  [[nodiscard]] const std::string& path() const noexcept { return path_; }
  [[nodiscard]] std::string socket() const { return path_ + "/" + socket_name; }
  [[nodiscard]] int fd() const noexcept { return fd_.get(); }

 private:
  private_directory(std::string path, descriptor fd) : path_{std::move(path)}, fd_{std::move(fd)} {}

  std::string path_;
  descriptor fd_;
};

}  // namespace holdfast::topology
