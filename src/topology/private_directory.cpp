// See private_directory.hpp.
#include "topology/private_directory.hpp"

#include "topology/url.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>

#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <optional>
#include <system_error>
#include <thread>
#include <vector>

namespace holdfast::topology {
namespace {

using namespace std::chrono_literals;

constexpr auto lock_limit = 15s;
constexpr mode_t permissions = 0777;  // set-group-ID, which some parents hand down, does no harm

// `base`/holdfast, if `base` is a directory of ours alone and the socket's path fits.
std::optional<std::string> inside(const std::string& base) {
  struct stat about {};
  const bool ours = ::stat(base.c_str(), &about) == 0 && S_ISDIR(about.st_mode) && about.st_uid == ::geteuid() &&
                    (about.st_mode & permissions) == 0700;
  std::string path = base + "/holdfast";
  const bool fits = path.size() + 1 + std::string_view{private_directory::socket_name}.size() <= longest_socket_path;
  if (ours && fits) return path;
  return {};
}

// A server lives there: it keeps server.lock locked as long as it runs.
bool has_server(const std::string& path) {
  const descriptor lock{::open((path + "/server.lock").c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW)};
  if (!lock || ::flock(lock.get(), LOCK_EX | LOCK_NB) == 0) return false;
  return errno == EWOULDBLOCK;
}

// The user's processes do not all have the same environment: cron has no XDG_RUNTIME_DIR, a login session has. They must
// meet at one server all the same, so a server that runs in any of the places comes before the order of the places.
std::string choose_path() {
  std::vector<std::string> places;
  // secure_getenv: a set-user-ID program must not follow its caller's variables.
  const char* const runtime = ::secure_getenv("XDG_RUNTIME_DIR");
  if (runtime != nullptr && runtime[0] == '/') {
    if (auto place = inside(runtime)) places.push_back(*place);
  }
  const bool alone = ::secure_getenv("HOLDFAST_TEST_PRIVATE_ALONE") != nullptr;  // tests keep to themselves
  if (!alone) {
    if (auto place = inside("/run/user/" + std::to_string(::geteuid()))) places.push_back(*place);
  }
  if (!alone || places.empty()) places.push_back("/tmp/holdfast-" + std::to_string(::geteuid()));
  for (const auto& place : places) {
    if (has_server(place)) return place;
  }
  return places.front();
}

// O_NOFOLLOW and a look at the open directory, not at its name: what is checked is what is used.
result<descriptor> open_checked(const std::string& path) {
  if (::mkdir(path.c_str(), 0700) != 0 && errno != EEXIST) {
    return no_private_redis("cannot make the directory " + path + ": " + system_message(errno));
  }
  descriptor fd{::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)};
  const std::string advice = "; somebody may have planted it: look at it, remove it, or set HOLDFAST_URL";
  if (!fd && (errno == ELOOP || errno == ENOTDIR)) return no_private_redis(path + " is not a directory" + advice);
  if (!fd && errno == EACCES) return no_private_redis(path + " belongs to somebody else or is closed to us" + advice);
  if (!fd) return no_private_redis("cannot open " + path + ": " + system_message(errno));
  struct stat about {};
  if (::fstat(fd.get(), &about) != 0) return no_private_redis("cannot look at " + path + ": " + system_message(errno));
  if (about.st_uid != ::geteuid()) return no_private_redis(path + " belongs to another user" + advice);
  if ((about.st_mode & permissions) != 0700) {
    return no_private_redis(path + " is open to others (its mode must be 0700)" + advice);
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
      if (errno != EWOULDBLOCK && errno != EINTR)
        return no_private_redis("cannot lock " + path + ": " + system_message(errno));
      if (std::chrono::steady_clock::now() >= limit) {
        return no_private_redis("another process has kept " + path + " locked for 15 s (fuser " + path +
                                " tells which)");
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
