// See private_server.hpp. Look, else start, then wait for the answer; all of it under the directory's lock.
#include "topology/private_server.hpp"

#include "topology/duration.hpp"
#include "topology/private_directory.hpp"
#include "topology/private_watcher.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <system_error>
#include <thread>
#include <vector>

namespace holdfast::topology {
namespace {

using namespace std::chrono_literals;
using moment = std::chrono::steady_clock::time_point;

constexpr auto answer_limit = 5s;
constexpr auto idle_limit = 5min;

enum class presence { answers, absent, silent };

// One PING over a connection of its own. Whatever Redis answers, it is there. Tries at least once, even after `limit`.
presence look(const std::string& socket, moment limit) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::memcpy(address.sun_path, socket.c_str(), socket.size() + 1);
  do {
    const descriptor fd{::socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0)};
    if (!fd) return presence::silent;
    if (::connect(fd.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
      if (errno == ENOENT || errno == ECONNREFUSED) return presence::absent;
    } else if (::send(fd.get(), "PING\r\n", 6, MSG_NOSIGNAL) == 6) {
      const auto left = std::chrono::ceil<std::chrono::milliseconds>(limit - std::chrono::steady_clock::now());
      pollfd wait{fd.get(), POLLIN, 0};
      char first = 0;
      if (left > 0ms && ::poll(&wait, 1, static_cast<int>(left.count())) == 1 && ::recv(fd.get(), &first, 1, 0) == 1 &&
          (first == '+' || first == '-')) {
        return presence::answers;
      }
    }
    std::this_thread::sleep_for(5ms);  // its backlog is full, or it closed on us: it is ending or starting
  } while (std::chrono::steady_clock::now() < limit);
  return presence::silent;
}

bool is_program(const std::string& path) { return ::access(path.c_str(), X_OK) == 0; }

result<std::string> find_program() {
  const std::string advice =
      "redis-server is not installed; install it (apt-get install redis-server), or set HOLDFAST_URL to the Redis to "
      "use";
  if (const char* const forced = ::secure_getenv("HOLDFAST_TEST_REDIS_SERVER")) {
    if (is_program(forced)) return std::string{forced};
    return no_private_redis(advice);
  }
  const char* const search = ::secure_getenv("PATH");
  std::string places = search == nullptr ? "" : search;
  places += ":/usr/bin:/usr/sbin:/usr/local/bin:/usr/local/sbin";
  for (std::size_t at = 0; at < places.size();) {
    const auto end = std::min(places.find(':', at), places.size());
    const auto path = places.substr(at, end - at) + "/redis-server";
    if (path.front() == '/' && end > at && is_program(path)) return path;
    at = end + 1;
  }
  return no_private_redis(advice);
}

std::string end_of_log(const private_directory& directory) {
  const descriptor log{::openat(directory.fd(), "redis.log", O_RDONLY | O_CLOEXEC | O_NOFOLLOW)};
  const auto size = log ? ::lseek(log.get(), 0, SEEK_END) : -1;
  if (size <= 0) return "its log is empty";
  std::array<char, 1000> buffer{};
  const auto from = std::max<off_t>(0, size - static_cast<off_t>(buffer.size()));
  const auto got = ::pread(log.get(), buffer.data(), buffer.size(), from);
  return "its log (" + directory.path() + "/redis.log) ends:\n" +
         std::string{buffer.data(), static_cast<std::size_t>(std::max<ssize_t>(got, 0))};
}

// Above 9, so that the watcher can put its copies at 0 to 4 in any order.
descriptor high(descriptor low) { return descriptor{low ? ::fcntl(low.get(), F_DUPFD_CLOEXEC, 10) : -1}; }

descriptor open_life_lock(const private_directory& directory) {
  return high(descriptor{::openat(directory.fd(), "server.lock", O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600)});
}

int idle_ms() {
  const char* const test = ::secure_getenv("HOLDFAST_TEST_PRIVATE_IDLE_MS");
  const auto value = test == nullptr ? std::nullopt : parse_duration(test);
  return static_cast<int>(value.value_or(idle_limit).count());
}

// Forks twice, so that the watcher is init's child and never a zombie of ours. Signals are blocked meanwhile: no
// handler of this program may run in the child.
result<void> launch(const watch_plan& plan) {
  sigset_t all;
  sigset_t before;
  ::sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, &all, &before);
  const pid_t middle = fork_bare();
  const int problem = errno;
  if (middle == 0) {
    ::setsid();
    const pid_t watcher = fork_bare();
    if (watcher == 0) run_watcher(plan);
    ::_exit(watcher < 0 ? 1 : 0);
  }
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  if (middle < 0) return no_private_redis("cannot fork: " + system_message(problem));
  // ECHILD: this program ignores SIGCHLD or reaps every child itself; either is fine.
  while (::waitpid(middle, nullptr, 0) < 0 && errno == EINTR) {
  }
  return {};
}

result<void> start(const private_directory& directory, descriptor life_lock) {
  const auto program = find_program();
  if (!program) return program.failure();
  const auto log = high(descriptor{
      ::openat(directory.fd(), "redis.log", O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0600)});
  const auto null = high(descriptor{::open("/dev/null", O_RDWR | O_CLOEXEC)});
  const descriptor folder{::fcntl(directory.fd(), F_DUPFD_CLOEXEC, 10)};
  if (!log || !null || !folder)
    return no_private_redis("cannot open files in " + directory.path() + ": " + system_message(errno));

  std::vector<std::string> words{*program,
                                 "--port",
                                 "0",
                                 "--unixsocket",
                                 directory.socket(),
                                 "--unixsocketperm",
                                 "700",
                                 "--dir",
                                 directory.path(),
                                 "--save",
                                 "",
                                 "--appendonly",
                                 "no",
                                 "--maxmemory-policy",
                                 "noeviction",
                                 "--databases",
                                 "16",
                                 "--daemonize",
                                 "no",
                                 "--logfile",
                                 ""};
  std::vector<char*> arguments;
  arguments.reserve(words.size() + 1);
  for (auto& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  // Nothing of our environment: the server outlives us, and variables may hold secrets.
  std::string path = "PATH=/usr/local/bin:/usr/bin:/bin";
  std::array<char*, 2> environment{path.data(), nullptr};
  return launch({program->c_str(), arguments.data(), environment.data(), folder.get(), null.get(), log.get(),
                 life_lock.get(), idle_ms()});
}

result<void> await_answer(const private_directory& directory, moment limit) {
  const auto life_lock = open_life_lock(directory);
  while (std::chrono::steady_clock::now() < limit) {
    if (look(directory.socket(), limit) == presence::answers) return {};
    if (life_lock && ::flock(life_lock.get(), LOCK_EX | LOCK_NB) == 0) {
      return no_private_redis("redis-server ended right after its start; " + end_of_log(directory));
    }
    std::this_thread::sleep_for(5ms);
  }
  return no_private_redis("redis-server was started but does not answer within 5 s; " + end_of_log(directory));
}

}  // namespace

result<settings> private_server() {
  const auto directory = private_directory::open();
  if (!directory) return directory.failure();
  settings out;
  out.transport = transport::unix_socket;
  out.path = directory->socket();

  const auto limit = std::chrono::steady_clock::now() + answer_limit;
  while (true) {
    const auto found = look(out.path, limit);
    if (found == presence::answers) return out;
    if (found == presence::silent) {
      return no_private_redis("the one at " + out.path + " does not answer within 5 s; " + end_of_log(*directory));
    }
    auto life_lock = open_life_lock(*directory);
    if (!life_lock)
      return no_private_redis("cannot open " + directory->path() + "/server.lock: " + system_message(errno));
    if (::flock(life_lock.get(), LOCK_EX | LOCK_NB) == 0) {
      if (auto good = start(*directory, std::move(life_lock)); !good) return good.failure();
      if (auto good = await_answer(*directory, std::chrono::steady_clock::now() + answer_limit); !good) {
        return good.failure();
      }
      return out;
    }
    // A server lives but does not listen: its starter was killed half-way and it is still coming up, or it is ending,
    // or its socket was removed. A second one beside it would give the same locks out twice.
    if (std::chrono::steady_clock::now() >= limit) {
      return no_private_redis("one is running but " + out.path + " is gone; end it (fuser -k " + directory->path() +
                              "/server.lock)");
    }
    std::this_thread::sleep_for(5ms);
  }
}

}  // namespace holdfast::topology
