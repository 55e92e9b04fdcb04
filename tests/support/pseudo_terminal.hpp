// A program on a terminal of its own, driven by a test as by a person: type, and wait for what appears.
//
// Thread safety: none. The program is the leader of a new session on the terminal, and is killed with the object.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <map>
#include <string>
#include <vector>

#include "support/unique_fd.hpp"

namespace holdfast::test {

class pseudo_terminal {
 public:
  explicit pseudo_terminal(const std::vector<std::string>& argv, const std::map<std::string, std::string>& environment);
  ~pseudo_terminal();
  pseudo_terminal(const pseudo_terminal&) = delete;
  pseudo_terminal& operator=(const pseudo_terminal&) = delete;

  void type(std::string_view text) const;
  // Waits until this appears after what was waited for before; false when the limit passes first.
  [[nodiscard]] bool shows(const std::string& text, std::chrono::milliseconds limit = std::chrono::seconds{10});
  void resize(unsigned short rows, unsigned short columns) const;
  void hang_up() { master_.reset(); }

  [[nodiscard]] const std::string& screen() const { return seen_; }  // all that has appeared so far
  [[nodiscard]] pid_t pid() const { return pid_; }

 private:
  pid_t pid_ = -1;
  unique_fd master_;
  std::string seen_;
  std::size_t looked_at_ = 0;
};

}  // namespace holdfast::test
