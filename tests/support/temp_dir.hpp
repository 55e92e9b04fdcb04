// A fresh directory that disappears with the object; each test keeps its files in its own, so tests run in parallel.
//
// Thread safety: none needed after construction. Invariant: the path is short (below $TMPDIR or /tmp), because a Unix
// socket's path has room for about 107 bytes. A forked child must leave by _exit, or it removes its parent's directory;
// fork_child (process.hpp) does.
#pragma once

#include <filesystem>
#include <string>

namespace holdfast::test {

class temp_dir {
 public:
  temp_dir();
  ~temp_dir();
  temp_dir(const temp_dir&) = delete;
  temp_dir& operator=(const temp_dir&) = delete;

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  [[nodiscard]] std::string file(const std::string& name) const { return (path_ / name).string(); }

 private:
  std::filesystem::path path_;
};

}  // namespace holdfast::test
