#include "support/tmux.hpp"

#include <stdexcept>

#include "support/eventually.hpp"

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;

}  // namespace

std::string tmux::ask(std::vector<std::string> words) {
  words.insert(words.begin(), {"tmux", "-f", "/dev/null", "-S", dir_.file("tmux.sock")});
  process run{words, {.environment = {{"LC_ALL", "C.UTF-8"}, {"TMUX", ""}}, .merge_stderr = true}};
  std::string out = run.read_rest(10s);
  const auto ended = run.wait(10s);
  if (!ended || ended->code != 0) throw std::runtime_error{"tmux " + words[5] + ": " + out};
  return out;
}

tmux::tmux(const std::string& line, const std::map<std::string, std::string>& variables, unsigned columns,
           unsigned rows) {
  std::vector<std::string> words{"new-session", "-d", "-x", std::to_string(columns), "-y", std::to_string(rows)};
  for (const auto& [name, value] : variables) {
    words.emplace_back("-e");
    words.push_back(name + "=" + value);
  }
  words.push_back(line);
  ask(std::move(words));
}

tmux::~tmux() {
  try {
    ask({"kill-server"});
  } catch (const std::runtime_error&) {
    return;  // its last program ended, and it with it
  }
}

void tmux::press(const std::string& key) { ask({"send-keys", key}); }

void tmux::resize(unsigned columns, unsigned rows) {
  ask({"resize-window", "-x", std::to_string(columns), "-y", std::to_string(rows)});
}

std::string tmux::screen(bool styled) {
  return styled ? ask({"capture-pane", "-p", "-e"}) : ask({"capture-pane", "-p"});
}

bool tmux::shows(const std::string& text, std::chrono::milliseconds limit) {
  return eventually(limit, [&] { return screen().find(text) != std::string::npos; });
}

bool tmux::hides(const std::string& text, std::chrono::milliseconds limit) {
  return eventually(limit, [&] { return screen().find(text) == std::string::npos; });
}

std::string tmux::property(const std::string& format) {
  std::string out = ask({"display-message", "-p", format});
  while (!out.empty() && out.back() == '\n') out.pop_back();
  return out;
}

}  // namespace holdfast::test
