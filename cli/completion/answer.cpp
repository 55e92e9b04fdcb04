#include "completion/answer.hpp"

#include "completion/candidates.hpp"
#include "completion/lock_names.hpp"
#include "exit_code.hpp"
#include "terminal.hpp"

#include <algorithm>

namespace holdfast::cli {
namespace {

constexpr std::chrono::milliseconds patience{400};  // longer feels like a hang

bool can_be_shown(const std::string& word) {
  return std::ranges::none_of(word, [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; });
}

}  // namespace

int answer_completion(const std::vector<std::string>& words) {
  completion_plan plan = plan_completion(words);
  if (plan.locks) {
    for (std::string& each : lock_names(*plan.locks, patience)) plan.candidates.push_back({std::move(each), ""});
  }
  std::string out = ":nothing\n";
  if (plan.beyond == completion_plan::rest::files) out = ":files\n";
  if (plan.beyond == completion_plan::rest::command) out = ":command " + std::to_string(plan.from) + "\n";
  for (const possible_word& each : plan.candidates) {
    if (!can_be_shown(each.word)) continue;
    out += each.word + (each.description.empty() ? "" : "\t" + each.description) + "\n";
  }
  print(out);
  return exit_ok;
}

}  // namespace holdfast::cli
