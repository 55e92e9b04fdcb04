// A terminal of the test's own, in a tmux server of its own: type keys, look at the screen as a person would see it.
//
// Thread safety: none. The tmux server and all in it end with the object.
#pragma once

#include <chrono>
#include <map>
#include <string>
#include <vector>

#include "support/process.hpp"
#include "support/temp_dir.hpp"

namespace holdfast::test {

class tmux {
 public:
  // Runs a shell command line in a terminal of this size.
  explicit tmux(const std::string& line, const std::map<std::string, std::string>& variables = {},
                unsigned columns = 100, unsigned rows = 24);
  ~tmux();
  tmux(const tmux&) = delete;
  tmux& operator=(const tmux&) = delete;

  // Text, or tmux's names of keys: "q", "Enter", "C-c", "Escape".
  void press(const std::string& key);
  void resize(unsigned columns, unsigned rows);
  // What is shown now; with `styled`, escape sequences of colours included.
  [[nodiscard]] std::string screen(bool styled = false);
  // Waits until the text is shown.
  [[nodiscard]] bool shows(const std::string& text, std::chrono::milliseconds limit = std::chrono::seconds{15});
  [[nodiscard]] bool hides(const std::string& text, std::chrono::milliseconds limit = std::chrono::seconds{15});
  // tmux's own view of the pane: "1" for a format like #{alternate_on} or #{cursor_flag}.
  [[nodiscard]] std::string property(const std::string& format);

 private:
  std::string ask(std::vector<std::string> words);
  temp_dir dir_;
};

}  // namespace holdfast::test
