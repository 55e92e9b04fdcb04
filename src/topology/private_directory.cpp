// See private_directory.hpp.
#include "topology/private_directory.hpp"

#include "topology/url.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>

#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <system_error>
#include <thread>

namespace holdfast::topology {
namespace {

using namespace std::chrono_literals;

constexpr auto lock_limit = 15s;
constexpr mode_t permissions = 0777;  // set-group-ID, which some parents hand down, does no harm

failure unreachable(const std::string& why) { return {errc::unreachable, "no private Redis: " + why}; }

std::string message(int problem) { return std::generic_category().message(problem); }

std::string choose_path() {
  // secure_getenv: a set-user-ID program must not follow its caller's variables.
  if (const char* const runtime = ::secure_getenv("XDG_RUNTIME_DIR"); runtime != nullptr && runtime[0] == '/') {
    struct stat about {};
    const std::string path = std::string{runtime} + "/holdfast";
    const bool ours = ::stat(runtime, &about) == 0 && S_ISDIR(about.st_mode) && about.st_uid == ::geteuid() &&
                      (about.st_mode & permissions) == 0700;
    const bool fits = path.size() + 1 + std::string_view{private_directory::socket_name}.size() <= longest_socket_path;
    if (ours && fits) return path;
  }
  return "/tmp/holdfast-" + std::to_string(::geteuid());
}

// O_NOFOLLOW and a look at the open directory, not at its name: what is checked is what is used.
result<descriptor> open_checked(const std::string& path) {
  if (::mkdir(path.c_str(), 0700) != 0 && errno != EEXIST) {
    return unreachable("cannot make the directory " + path + ": " + message(errno));
  }
  descriptor fd{::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)};
  const std::string advice = "; somebody may have planted it: look at it, remove it, or set HOLDFAST_URL";
  if (!fd && (errno == ELOOP || errno == ENOTDIR)) return unreachable(path + " is not a directory" + advice);
  if (!fd && errno == EACCES) return unreachable(path + " belongs to somebody else or is closed to us" + advice);
  if (!fd) return unreachable("cannot open " + path + ": " + message(errno));
  struct stat about {};
  if (::fstat(fd.get(), &about) != 0) return unreachable("cannot look at " + path + ": " + message(errno));
  if (about.st_uid != ::geteuid()) return unreachable(path + " belongs to another user" + advice);
  if ((about.st_mode & permissions) != 0700) {
    return unreachable(path + " is open to others (its mode must be 0700)" + advice);
  }
  return fd;
}

// False once the directory was removed or replaced while we waited for its lock.
bool leads_to(const std::string& path, int fd) {
  struct stat by_name {};
  struct stat by_fd {};
  return ::lstat(path.c_str(), &by_name) == 0 && ::fstat(fd, &by_fd) == 0 && by_name.st_dev == by_fd.st_dev &&
         by_name.st_ino == by_fd.st_ino;
}

}  // namespace

result<private_directory> private_directory::open() {
  const auto path = choose_path();
  const auto limit = std::chrono::steady_clock::now() + lock_limit;
  while (true) {
    auto fd = open_checked(path);
    if (!fd) return fd.failure();
    while (::flock(fd->get(), LOCK_EX | LOCK_NB) != 0) {
      if (errno != EWOULDBLOCK && errno != EINTR) return unreachable("cannot lock " + path + ": " + message(errno));
      if (std::chrono::steady_clock::now() >= limit) {
        return unreachable("another process has kept " + path + " locked for 15 s (fuser " + path + " tells which)");
      }
      std::this_thread::sleep_for(5ms);
    }
    if (leads_to(path, fd->get())) return private_directory{path, std::move(*fd)};
  }
}

// Unlocked by name, for a child forked meanwhile by another thread may still have a copy of the descriptor.
private_directory::~private_directory() {
  if (fd_) ::flock(fd_.get(), LOCK_UN);
}

}  // namespace holdfast::topology
