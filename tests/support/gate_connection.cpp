// Implements lane.
#include "support/gate_connection.hpp"

#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <utility>

namespace holdfast::test {
namespace {
constexpr std::chrono::milliseconds slice_pause{1};
}

void lane::push(std::string bytes, gate_clock::time_point due) {
  if (!bytes.empty()) queue_.push_back({std::move(bytes), due});
}

std::optional<std::size_t> lane::flush(int socket, std::size_t most, gate_clock::time_point now) {
  blocked_ = false;
  std::size_t written = 0;
  while (!queue_.empty() && queue_.front().due <= now && pause_until_ <= now) {
    std::string& bytes = queue_.front().bytes;
    const std::size_t want = most == 0 ? bytes.size() : std::min(most, bytes.size());
    const ssize_t put = ::send(socket, bytes.data(), want, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (put < 0) {
      if (errno == EINTR) continue;
      if (errno != EAGAIN && errno != EWOULDBLOCK) return std::nullopt;
      blocked_ = true;
      break;
    }
    written += static_cast<std::size_t>(put);
    bytes.erase(0, static_cast<std::size_t>(put));
    if (bytes.empty()) queue_.pop_front();
    if (most != 0) pause_until_ = now + slice_pause;
  }
  return written;
}

std::optional<gate_clock::time_point> lane::next_due() const {
  if (queue_.empty() || blocked_) return std::nullopt;
  return std::max(queue_.front().due, pause_until_);
}

}  // namespace holdfast::test
