// fork, exec and waitpid; see service.hpp.
#include "families/service.hpp"

#include "placement.hpp"

#include <fcntl.h>
#include <grp.h>
#include <pwd.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <thread>
#include <utility>

namespace holdfast::bench {
namespace {

using namespace std::chrono_literals;

constexpr auto start_limit = 120s;  // three Java machines on a busy one
constexpr auto stop_limit = 10s;

const passwd* account(const std::string& user) {
  if (user.empty() || ::geteuid() != 0) return nullptr;
  const passwd* const found = ::getpwnam(user.c_str());
  if (found == nullptr) throw unavailable{"there is no user " + user};
  return found;
}

pid_t launch(const program& what) {
  const passwd* const as = account(what.user);
  const pid_t parent = ::getpid();
  const pid_t child = ::fork();
  if (child < 0) throw unavailable{"fork failed"};
  if (child > 0) return child;
  place_clients(placement::anywhere);
  const int in = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
  const int out = ::open(what.log.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
  ::dup2(in, STDIN_FILENO);
  ::dup2(out, STDOUT_FILENO);
  ::dup2(out, STDERR_FILENO);
  if (as != nullptr &&
      (::initgroups(as->pw_name, as->pw_gid) != 0 || ::setgid(as->pw_gid) != 0 || ::setuid(as->pw_uid) != 0)) {
    ::_exit(126);
  }
  // After the change of user, which forgets it.
  ::prctl(PR_SET_PDEATHSIG, what.stop_signal);
  if (as == nullptr && ::getppid() != parent) ::_exit(127);
  if (::chdir("/") != 0) ::_exit(126);
  std::vector<char*> words;
  words.reserve(what.words.size() + 1);
  for (const std::string& each : what.words) words.push_back(const_cast<char*>(each.c_str()));
  words.push_back(nullptr);
  ::execvp(words.front(), words.data());
  ::_exit(127);
}

std::string last_words(const program& what, int status) {
  if (WIFEXITED(status) && WEXITSTATUS(status) == 127) return what.words.front() + " cannot be run; is it installed?";
  std::ifstream log{what.log};
  std::string text{std::istreambuf_iterator<char>{log}, {}};
  if (text.size() > 600) text = "…" + text.substr(text.size() - 600);
  return what.words.front() + " left: " + text.substr(0, text.find_last_not_of("\n ") + 1);
}

}  // namespace

scratch_folder::scratch_folder() {
  const char* const base = std::getenv("TMPDIR");
  std::string name = std::string{base != nullptr && *base != '\0' ? base : "/tmp"} + "/holdfast-families-XXXXXX";
  if (::mkdtemp(name.data()) == nullptr) throw unavailable{"no folder can be made below " + name};
  path_ = name;
}

scratch_folder::~scratch_folder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

service::service(program what) : what_{std::move(what)}, pid_{launch(what_)} {}

service::~service() { stop(what_.stop_signal); }

void service::wait_until(const std::function<bool()>& answers) {
  const auto limit = std::chrono::steady_clock::now() + start_limit;
  while (!answers()) {
    int status = 0;
    if (::waitpid(pid_, &status, WNOHANG) == pid_) {
      pid_ = -1;
      throw unavailable{last_words(what_, status)};
    }
    if (std::chrono::steady_clock::now() > limit)
      throw unavailable{what_.words.front() + " did not answer within two minutes"};
    std::this_thread::sleep_for(50ms);
  }
}

void service::stop(int signal) noexcept {
  if (pid_ <= 0) return;
  ::kill(pid_, signal);
  const auto limit = std::chrono::steady_clock::now() + stop_limit;
  for (;;) {
    const pid_t got = ::waitpid(pid_, nullptr, WNOHANG);
    if (got == pid_ || (got < 0 && errno != EINTR)) break;
    if (std::chrono::steady_clock::now() > limit) ::kill(pid_, SIGKILL);
    std::this_thread::sleep_for(5ms);
  }
  pid_ = -1;
}

void run_program(const program& what) {
  const pid_t child = launch(what);
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (status != 0) throw unavailable{last_words(what, status)};
}

void write_file(const std::filesystem::path& where, const std::string& text) {
  std::ofstream file{where};
  if (!(file << text).flush()) throw unavailable{"cannot write " + where.string()};
}

void give_to(const std::filesystem::path& folder, const std::string& user) {
  const passwd* const as = account(user);
  if (as != nullptr && ::chown(folder.c_str(), as->pw_uid, as->pw_gid) != 0) {
    throw unavailable{"cannot give " + folder.string() + " to " + user};
  }
}

}  // namespace holdfast::bench
