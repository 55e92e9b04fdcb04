// A client of an experiment: a process of its own, which does one order after another and answers each.
//
// A process, so that it can be killed and stopped for real. An order given to one that is stopped is done when it runs
// again, which makes "it was paused just before it sent this" a step that needs no luck. actor_work.cpp is its inside.
//
// Ends with this object: killed by its pid, and by the kernel should the laboratory die.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <vector>

namespace lab {

// The first word says what to do (actor_work.hpp).
using order = std::vector<std::string>;

struct answer {
  std::int64_t began = 0;  // ns on the shared clock, just before the order was carried out
  std::int64_t ended = 0;
  std::vector<std::string> texts{};

  [[nodiscard]] const std::string& text() const { return texts.at(0); }
};

class actor {
 public:
  explicit actor(std::string name);
  ~actor();
  actor(const actor&) = delete;
  actor& operator=(const actor&) = delete;

  [[nodiscard]] const std::string& name() const noexcept { return name_; }

  void tell(const order& what);
  // The answer to the earliest order that has none yet; throws when it does not come for too long.
  answer hear();
  // hear() would not wait.
  [[nodiscard]] bool has_answer() const;
  answer ask(const order& what);

  void kill();
  void stop();  // returns when it stands
  void resume();

 private:
  std::string name_;
  pid_t pid_ = -1;
  int line_ = -1;
};

// Messages between the two: words, one after the other.
bool send_words(int line, const std::vector<std::string>& all);
bool receive_words(int line, std::vector<std::string>& into);

}  // namespace lab
