#include "completion/lock_names.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>

namespace holdfast::cli {
namespace {

using clock = std::chrono::steady_clock;

bool has_list() {
  return std::ranges::any_of(verbs(), [](const verb_entry& each) { return each.name == "list"; });
}

// The glob that means "begins with these very characters".
std::string pattern_of(std::string_view begin) {
  std::string out;
  for (const char c : begin) {
    if (c == '*' || c == '?' || c == '[' || c == ']' || c == '\\') out += '\\';
    out += c;
  }
  return out + "*";
}

[[noreturn]] void become_list(const std::vector<std::string>& words, int output) {
  const int nothing = ::open("/dev/null", O_RDWR | O_CLOEXEC);
  ::dup2(nothing, STDIN_FILENO);
  ::dup2(nothing, STDERR_FILENO);
  ::dup2(output, STDOUT_FILENO);
  // Where no Redis is configured, a private one would be started. Not from here: redis-server is looked for where none is.
  // One that runs already is found.
  ::setenv("HOLDFAST_TEST_REDIS_SERVER", "/nonexistent", 1);
  std::vector<char*> arguments;
  arguments.reserve(words.size() + 1);
  for (const std::string& each : words) arguments.push_back(const_cast<char*>(each.c_str()));
  arguments.push_back(nullptr);
  ::execv("/proc/self/exe", arguments.data());
  ::_exit(127);
}

// Until the end of the output or of the time.
std::string read_until(int from, clock::time_point end) {
  constexpr std::size_t enough = 1'000'000;
  std::string text;
  while (text.size() < enough) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end - clock::now()).count();
    pollfd wait{from, POLLIN, 0};
    if (left <= 0 || ::poll(&wait, 1, static_cast<int>(left)) <= 0) break;
    std::array<char, 4096> part{};
    const ssize_t got = ::read(from, part.data(), part.size());
    if (got <= 0) break;
    text.append(part.data(), static_cast<std::size_t>(got));
  }
  return text;
}

}  // namespace

std::vector<std::string> lock_names(const completion_plan::names& wanted, std::chrono::milliseconds limit) {
  std::vector<std::string> found;
  if (!has_list()) return found;
  std::vector<std::string> words{"holdfast", "list", "--names"};
  words.insert(words.end(), wanted.where.begin(), wanted.where.end());
  // Without a pattern, list shows what is surely a lock; with one, whatever may be.
  if (!wanted.begin.empty()) words.insert(words.end(), {"--", pattern_of(wanted.begin)});

  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return found;
  const pid_t child = ::fork();
  if (child == 0) become_list(words, ends[1]);
  ::close(ends[1]);
  std::string text = child > 0 ? read_until(ends[0], clock::now() + limit) : "";
  ::close(ends[0]);
  if (child > 0) {
    ::kill(child, SIGKILL);  // not reaped yet, so the number is still its own
    while (::waitpid(child, nullptr, 0) < 0 && errno == EINTR) {
    }
  }
  // A line without its end was cut off.
  for (auto end = text.find('\n'); end != std::string::npos; end = text.find('\n')) {
    std::string line = text.substr(0, end);
    text.erase(0, end + 1);
    if (!line.empty() && line.starts_with(wanted.begin)) found.push_back(std::move(line));
  }
  return found;
}

}  // namespace holdfast::cli
