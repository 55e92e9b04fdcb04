#include "stepped_clock.hpp"

#include <backstage/interrupts.hpp>

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace lab {
namespace {

// Debian's place, whatever the architecture.
std::string find_library() {
  std::error_code ignored;
  for (const char* const top : {"/usr/lib", "/usr/lib64"}) {
    for (const auto& folder : std::filesystem::directory_iterator{top, ignored}) {
      for (const char* const name : {"faketime/libfaketimeMT.so.1", "libfaketimeMT.so.1"}) {
        const std::filesystem::path found = folder.path() / name;
        if (std::filesystem::exists(found, ignored)) return found.string();
      }
    }
  }
  throw skipped{"libfaketime is not installed (Debian: apt-get install faketime)"};
}

}  // namespace

stepped_clock::stepped_clock() : library_{find_library()} {
  std::string pattern = (std::filesystem::temp_directory_path() / "holdfast-clock.XXXXXX").string();
  if (::mkdtemp(pattern.data()) == nullptr) throw std::runtime_error{"cannot make a directory in " + pattern};
  directory_ = pattern;
  write_offset("+0");
}

stepped_clock::~stepped_clock() {
  std::error_code ignored;
  std::filesystem::remove_all(directory_, ignored);
}

// libfaketime and jemalloc, which Debian's redis-server allocates with, wait for one another at the start
// (github.com/wolfcw/libfaketime/issues/130). So the C library's own malloc is put in front: libc_malloc_debug comes
// with it, and without its environment variables debugs nothing.
backstage::server_options stepped_clock::options() const {
  return {.environment = {{"LD_PRELOAD", "libc_malloc_debug.so.0:" + library_},
                          {"FAKETIME_TIMESTAMP_FILE", directory_ + "/offset"},
                          {"FAKETIME_NO_CACHE", "1"},
                          {"DONT_FAKE_MONOTONIC", "1"}}};
}

// Renamed into place, so that the server never reads half of it.
void stepped_clock::write_offset(const std::string& text) const {
  std::ofstream{directory_ + "/new"} << text << '\n';
  std::filesystem::rename(directory_ + "/new", directory_ + "/offset");
}

void stepped_clock::step(trial& t, place& where, int seconds) const {
  const auto clock_of = [&] { return std::stoll(t.peek(where, {"TIME"})); };
  const long long before = clock_of();
  write_offset("+" + std::to_string(seconds));
  for (int tries = 0; clock_of() < before + seconds; ++tries) {
    if (tries == 5000) throw std::runtime_error{"the clock of " + where.name + " did not step"};
    backstage::pause_for(std::chrono::milliseconds{1});
  }
  t.note(where.name, "its clock steps by " + std::to_string(seconds) + " s");
  t.event(where, "clock steps");
  t.look();
}

}  // namespace lab
