// The helper thread around getaddrinfo(), and what makes it safe to walk away from. See resolver.hpp.
#include "net/resolver.hpp"

#include <arpa/inet.h>
#include <netdb.h>
#include <netinet/in.h>
#include <pthread.h>
#include <sys/un.h>

#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstring>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>

namespace holdfast::net {
namespace {

using addresses = std::vector<address>;

std::string text_of(const sockaddr_storage& storage) {
  char name[INET6_ADDRSTRLEN] = "?";
  if (storage.ss_family == AF_INET) {
    const auto& v4 = reinterpret_cast<const sockaddr_in&>(storage);
    inet_ntop(AF_INET, &v4.sin_addr, name, sizeof name);
    return std::string{name} + ":" + std::to_string(ntohs(v4.sin_port));
  }
  const auto& v6 = reinterpret_cast<const sockaddr_in6&>(storage);
  inet_ntop(AF_INET6, &v6.sin6_addr, name, sizeof name);
  return "[" + std::string{name} + "]:" + std::to_string(ntohs(v6.sin6_port));
}

result<addresses> look_up(const std::string& host, std::uint16_t port) {
  addrinfo hints{};
  hints.ai_family = AF_UNSPEC;
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  const int status = getaddrinfo(host.c_str(), std::to_string(port).c_str(), &hints, &found);
  if (status != 0) {
    const std::string why = status == EAI_SYSTEM ? std::system_category().message(errno) : gai_strerror(status);
    return failure{errc::unreachable, "cannot resolve the host name '" + host + "': " + why +
                                          "; check the name and this machine's name service"};
  }
  const std::unique_ptr<addrinfo, decltype(&freeaddrinfo)> owner{found, &freeaddrinfo};
  addresses all;
  for (const addrinfo* each = found; each != nullptr; each = each->ai_next) {
    if ((each->ai_family != AF_INET && each->ai_family != AF_INET6) || each->ai_addrlen > sizeof(sockaddr_storage)) {
      continue;
    }
    address one;
    std::memcpy(&one.storage, each->ai_addr, each->ai_addrlen);
    one.size = each->ai_addrlen;
    one.text = text_of(one.storage);
    all.push_back(std::move(one));
  }
  if (all.empty()) return failure{errc::unreachable, "the host name '" + host + "' has no IPv4 or IPv6 address"};
  return all;
}

// The application's signals are not for this thread: it inherits a full mask from its maker.
class all_signals_blocked {
 public:
  all_signals_blocked() {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  ~all_signals_blocked() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  all_signals_blocked(const all_signals_blocked&) = delete;
  all_signals_blocked& operator=(const all_signals_blocked&) = delete;

 private:
  sigset_t before_{};
};

}  // namespace

std::optional<address> numeric_address(const std::string& host, std::uint16_t port) {
  address one;
  auto& v4 = reinterpret_cast<sockaddr_in&>(one.storage);
  auto& v6 = reinterpret_cast<sockaddr_in6&>(one.storage);
  if (inet_pton(AF_INET, host.c_str(), &v4.sin_addr) == 1) {
    v4.sin_family = AF_INET;
    v4.sin_port = htons(port);
    one.size = sizeof v4;
  } else if (inet_pton(AF_INET6, host.c_str(), &v6.sin6_addr) == 1) {
    v6.sin6_family = AF_INET6;
    v6.sin6_port = htons(port);
    one.size = sizeof v6;
  } else {
    return std::nullopt;
  }
  one.text = text_of(one.storage);
  return one;
}

result<address> unix_address(const std::string& path) {
  address one;
  auto& local = reinterpret_cast<sockaddr_un&>(one.storage);
  constexpr std::size_t longest = sizeof local.sun_path - 1;
  if (path.empty()) return failure{errc::bad_option, "the path of the Unix socket is empty: unix:///path/to/socket"};
  if (path.size() > longest) {
    return failure{errc::bad_option, "the path of the Unix socket has " + std::to_string(path.size()) +
                                         " bytes, the system allows " + std::to_string(longest) + ": " + path};
  }
  if (path.find('\0') != std::string::npos) return failure{errc::bad_option, "the Unix socket's path has a NUL byte"};
  local.sun_family = AF_UNIX;
  std::memcpy(local.sun_path, path.c_str(), path.size() + 1);
  one.size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + path.size() + 1);
  one.text = path;
  return one;
}

struct resolver::lookup {
  std::string host;
  std::uint16_t port = 0;
  std::mutex guard;            // held while wake runs, so that abandon() outlasts it
  std::function<void()> wake;  // empty: nobody waits any more
  std::optional<result<addresses>> outcome;
};

resolver::~resolver() { abandon(); }

void resolver::abandon() {
  if (!current_) return;
  const std::lock_guard hold{current_->guard};
  current_->wake = nullptr;
}

void resolver::start(std::string host, std::uint16_t port, std::function<void()> wake) {
  if (current_ && current_->host == host && current_->port == port) {
    const std::lock_guard hold{current_->guard};
    if (!current_->outcome) {
      current_->wake = std::move(wake);
      return;
    }
  }
  abandon();
  current_ = std::make_shared<lookup>();
  current_->host = std::move(host);
  current_->port = port;
  if (auto numeric = numeric_address(current_->host, port)) {
    current_->outcome = addresses{std::move(*numeric)};
    return;
  }
  current_->wake = std::move(wake);
  try {
    const all_signals_blocked quiet;
    std::thread{[work = current_] {
      auto outcome = look_up(work->host, work->port);
      const std::lock_guard hold{work->guard};
      work->outcome = std::move(outcome);
      if (work->wake) work->wake();
    }}.detach();
  } catch (const std::system_error& why) {
    current_->outcome = failure{errc::unreachable, std::string{"cannot start a thread to resolve the host name '"} +
                                                       current_->host + "': " + why.code().message()};
  }
}

std::optional<result<std::vector<address>>> resolver::poll() {
  if (!current_) return std::nullopt;
  std::optional<result<addresses>> outcome;
  {
    const std::lock_guard hold{current_->guard};
    if (!current_->outcome) return std::nullopt;
    outcome = std::move(current_->outcome);
  }
  current_.reset();
  return outcome;
}

}  // namespace holdfast::net
