// What every family needs to run servers of its own: a folder that goes with its object, and a process that does.
//
// Throws `unavailable`, saying what could not be had and, of a program that left, its last words. Not thread-safe.
#pragma once

#include "families/family.hpp"

#include <signal.h>
#include <sys/types.h>

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace holdfast::bench {

// Below $TMPDIR or /tmp: on a disk, as a rule, which is what the families that write through are measured with.
class scratch_folder {
 public:
  scratch_folder();
  ~scratch_folder();
  scratch_folder(const scratch_folder&) = delete;
  scratch_folder& operator=(const scratch_folder&) = delete;
  [[nodiscard]] const std::filesystem::path& path() const noexcept { return path_; }

 private:
  std::filesystem::path path_;
};

struct program {
  std::vector<std::string> words;  // the program and its arguments
  std::filesystem::path log;       // where its output goes
  std::string user = {};           // as whom, where we are root; empty: as we are
  int stop_signal = SIGKILL;       // how it is ended: nothing is to be saved
};

class service {
 public:
  explicit service(program what);
  ~service();
  service(const service&) = delete;
  service& operator=(const service&) = delete;

  // Asks until it says yes. Throws when the program left, or did not get there within two minutes.
  void wait_until(const std::function<bool()>& answers);
  void stop(int signal) noexcept;  // and waits for its end
  [[nodiscard]] bool running() const noexcept { return pid_ > 0; }

 private:
  program what_;
  pid_t pid_ = -1;
};

// Runs it to its end; throws when it failed.
void run_program(const program& what);

void write_file(const std::filesystem::path& where, const std::string& text);
void give_to(const std::filesystem::path& folder, const std::string& user);  // where we are root

}  // namespace holdfast::bench
