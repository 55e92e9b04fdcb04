// Reads MONITOR's lines:  1794777813.977801 [0 127.0.0.1:46882] "EVALSHA" "9165…" "4" "key" …
// Commands that a script runs show as [0 lua] and are left out; so is all that is neither EVALSHA nor SUBSCRIBE.
#include "recording.hpp"

#include "server.hpp"

#include <holdfast/mutex.hpp>

#include <stdexcept>
#include <string_view>

namespace holdfast::bench {
namespace {

char unescaped(std::string_view line, std::size_t& at) {
  const char kind = line.at(++at);
  switch (kind) {
    case 'n':
      return '\n';
    case 'r':
      return '\r';
    case 't':
      return '\t';
    case 'a':
      return '\a';
    case 'b':
      return '\b';
    case 'x':
      at += 2;
      return static_cast<char>(std::stoi(std::string{line.substr(at - 1, 2)}, nullptr, 16));
    default:
      return kind;
  }
}

}  // namespace

std::vector<std::string> words_of(std::string_view line) {
  std::vector<std::string> words;
  for (std::size_t at = line.find('"'); at < line.size(); at = line.find('"', at + 1)) {
    std::string word;
    for (++at; line.at(at) != '"'; ++at) word.push_back(line[at] == '\\' ? unescaped(line, at) : line[at]);
    words.push_back(std::move(word));
  }
  return words;
}

std::vector<std::unique_ptr<floor_lock>> record(const std::string& url, const std::vector<std::string>& names) {
  const std::string last_words = "bench:recorded";
  floor_connection monitor{url};
  monitor.ask({"MONITOR"});
  {
    client redis{quiet_settings(url)};
    for (const std::string& each : names) {
      mutex lock{redis, each};
      lock.lock();
      lock.unlock();
    }
    floor_connection{url}.ask({"ECHO", last_words});
  }

  std::string inbox;
  std::vector<std::vector<std::string>> scripts;
  for (;;) {
    const std::string line = monitor.take_answer();
    if (line.find(" lua] ") != std::string::npos) continue;
    auto words = words_of(line);
    if (words.size() == 2 && words[0] == "ECHO" && words[1] == last_words) break;
    if (words.size() >= 2 && words[0] == "SUBSCRIBE") inbox = words[1];  // then the channel common to all
    if (!words.empty() && words[0] == "EVALSHA") scripts.push_back(std::move(words));
  }
  if (scripts.size() != 2 * names.size() || inbox.empty()) {
    throw std::runtime_error{"overheard something else than one acquire and one release for each lock"};
  }
  std::vector<std::unique_ptr<floor_lock>> locks;
  for (std::size_t i = 0; i < scripts.size(); i += 2) {
    locks.push_back(std::make_unique<floor_lock>(std::move(scripts[i]), std::move(scripts[i + 1]), inbox));
  }
  return locks;
}

}  // namespace holdfast::bench
