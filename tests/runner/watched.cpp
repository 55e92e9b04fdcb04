#include "runner/watched.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string>

#include "runner/metronome.hpp"
#include "runner/verdict.hpp"

namespace holdfast::test {
namespace {

constexpr const char* run_variable = "HOLDFAST_TEST_RUN";  // which run this is, from one program to the next

// Together with the runs themselves less than what ctest allows (tests/CMakeLists.txt).
constexpr std::chrono::seconds longest_wait_for_calm{15};

int this_run() {
  const char* text = std::getenv(run_variable);
  return text == nullptr ? 1 : std::atoi(text);
}

// The child, which waits for a byte in `go` before it begins: the metronome's threads start after the fork, and must not
// miss the beginning.
pid_t start(const std::function<int()>& tests, const int (&go)[2]) {
  const pid_t parent = ::getpid();
  const pid_t child = ::fork();
  if (child != 0) return child;
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);  // ctest ends the parent only, when a test takes too long
  char byte = 0;
  if (::getppid() != parent || ::read(go[0], &byte, 1) != 1) ::_exit(1);
  for (const int end : go) ::close(end);
  std::exit(tests());
}

int wait_for(pid_t child) {
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return status;
}

void say(const std::string& what) {
  std::fprintf(stderr, "%s\n", what.c_str());
  std::fflush(stderr);
}

// Output of tests that pass is not shown: a run that was void would never be heard of.
void note(char** argv, const char* file, const std::string& what) {
  std::string line = what;
  for (char** word = argv; *word != nullptr; ++word) line += std::string{" "} + *word;
  line += '\n';
  const int out = ::open(file, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
  // One write: others append at the same time.
  if (out < 0 || ::write(out, line.data(), line.size()) < 0) say(std::string{"cannot write "} + file);
  ::close(out);
}

int end_as(int status) {
  if (!WIFSIGNALED(status)) return WEXITSTATUS(status);
  ::signal(WTERMSIG(status), SIG_DFL);
  ::raise(WTERMSIG(status));
  return 1;
}

}  // namespace

int run_watched(char** argv, const char* void_runs, const std::function<int()>& tests) {
  int go[2];
  const pid_t child = ::pipe2(go, O_CLOEXEC) == 0 ? start(tests, go) : -1;
  if (child < 0) {
    std::perror("cannot start the tests");
    return 1;
  }
  std::optional<metronome> watch{std::in_place};
  if (::write(go[1], "", 1) != 1) std::perror("cannot begin");
  const int status = wait_for(child);
  const auto pause = watch->longest_pause();
  watch.reset();

  const std::string longest = std::to_string(pause.count() / 1'000'000) + " ms";
  switch (judge(status == 0, pause, this_run())) {
    case verdict::passed:
      return 0;
    case verdict::failed:
      say("runner: it counts; the longest pause of a processor was " + longest);
      break;
    case verdict::again:
      say("runner: void, a processor stood still for " + longest + "; once more");
      note(argv, void_runs, longest);
      wait_for_calm(pause_that_matters, longest_wait_for_calm);
      ::setenv(run_variable, std::to_string(this_run() + 1).c_str(), 1);
      ::execv("/proc/self/exe", argv);
      std::perror("exec");
  }
  return end_as(status);
}

}  // namespace holdfast::test
