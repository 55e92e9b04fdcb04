// cli: what the command costs a script. `holdfast run NAME -- true`, from start to end, against the two commands that a
// script would write by hand, `redis-cli set` and `redis-cli del`: which start two processes, but run nothing in between,
// queue nobody, renew nothing and watch over nothing.
#include "server.hpp"
#include "statistics.hpp"
#include "suite.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace holdfast::bench {
namespace {

using namespace std::chrono_literals;

// The command that was built with us stands beside us.
std::string command_path() {
  const auto path = std::filesystem::read_symlink("/proc/self/exe").parent_path() / "holdfast";
  if (::access(path.c_str(), X_OK) != 0) {
    throw std::runtime_error{path.string() + " is not there; build it with ./dev build"};
  }
  return path.string();
}

// Ours, without the settings that somebody may have set for the command.
std::vector<char*> plain_environment() {
  std::vector<char*> out;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    if (!std::string_view{*entry}.starts_with("HOLDFAST_")) out.push_back(*entry);
  }
  out.push_back(nullptr);
  return out;
}

// One program from its start to its end, silent. Throws unless it succeeds.
class program {
 public:
  explicit program(std::vector<std::string> words) : words_{std::move(words)}, environment_{plain_environment()} {
    for (std::string& each : words_) pointers_.push_back(each.data());
    pointers_.push_back(nullptr);
    posix_spawn_file_actions_init(&actions_);
    posix_spawn_file_actions_addopen(&actions_, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  }
  ~program() { posix_spawn_file_actions_destroy(&actions_); }
  program(const program&) = delete;
  program& operator=(const program&) = delete;

  void run() {
    pid_t pid = -1;
    const int failed = ::posix_spawnp(&pid, pointers_[0], &actions_, nullptr, pointers_.data(), environment_.data());
    int status = -1;
    if (failed == 0) {
      while (::waitpid(pid, &status, 0) < 0 && errno == EINTR) {
      }
    }
    if (failed != 0 || status != 0) throw std::runtime_error{"'" + words_[0] + "' fails; is it installed?"};
  }

 private:
  std::vector<std::string> words_;
  std::vector<char*> pointers_;
  std::vector<char*> environment_;
  posix_spawn_file_actions_t actions_{};
};

}  // namespace

report cli(const run_options& how) {
  const std::string command = command_path();
  const server redis{how.url};
  program set{{"redis-cli", "-u", redis.url(), "set", "bench:cli:floor", "1", "NX", "PX", "30000"}};
  program del{{"redis-cli", "-u", redis.url(), "del", "bench:cli:floor"}};
  program ours{{command, "run", "--url", redis.url(), "bench:cli:ours_", "--", "true"}};

  const rounds all = interleave(
      how.rounds.value_or(21),
      [&] {
        return rate(300ms, [&] {
          set.run();
          del.run();
        });
      },
      [&] { return rate(300ms, [&] { ours.run(); }); });

  report out{"cli", "holdfast run x -- true, time against redis-cli set and redis-cli del", sense::at_most};
  const auto ratios = all.time_ratio();
  out.judge("ratio", median(ratios), 2);
  out.figure("floor_ms", 1000 / median(all.floor), "ms");
  out.figure("ours_ms", 1000 / median(all.ours), "ms");
  add_figures(out, all, ratios, "floor", "ours");
  return out;
}

}  // namespace holdfast::bench
