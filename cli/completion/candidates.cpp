#include "completion/candidates.hpp"

#include "manual/help.hpp"
#include "manual/option_view.hpp"

#include <lab/laboratory.hpp>

#include <algorithm>
#include <string_view>

namespace holdfast::cli {
namespace {

using rest = completion_plan::rest;

void offer(completion_plan& plan, std::string_view begin, const std::string& word, std::string_view description) {
  if (word.starts_with(begin)) plan.candidates.push_back({word, std::string{description}});
}

void offer_verbs(completion_plan& plan, std::string_view begin) {
  for (const verb_entry& each : verbs()) {
    if (each.name.starts_with(begin)) offer(plan, begin, std::string{each.name}, each.make()->text().summary);
  }
}

const option_view* find(const std::vector<option_view>& options, std::string_view flag) {
  for (const option_view& each : options) {
    if (std::ranges::find(each.longs, flag) != each.longs.end()) return &each;
    if (std::ranges::find(each.shorts, flag) != each.shorts.end()) return &each;
  }
  return nullptr;
}

// `before` is what stands in the same word already: "--on-lost=".
void offer_values(completion_plan& plan, const option_view& option, const std::string& before, std::string_view begin) {
  for (const std::string& each : option.choices) {
    if (each.starts_with(begin)) plan.candidates.push_back({before + each, ""});
  }
  if (option.value == "FILE" || option.value == "PATH") plan.beyond = rest::files;
}

// Reads the words from left to right as CLI11 will: which are options, which are values, how many places are filled.
class reading {
 public:
  reading(const std::vector<option_view>& options, const std::vector<place_view>& places)
      : options_{options}, places_{places} {}

  void take(const std::string& word, std::size_t number) {
    if (pending_ != nullptr) {
      remember(pending_->longs, word);
      pending_ = nullptr;
    } else if (!only_places_ && word == "--") {
      only_places_ = true;
      if (place() != nullptr && place()->name == "COMMAND") command_at_ = number + 1;
    } else if (!only_places_ && word.size() > 1 && word.front() == '-') {
      take_option(word);
    } else {
      if (place() != nullptr && place()->name == "COMMAND" && !command_at_) command_at_ = number;
      ++filled_;
    }
  }

  [[nodiscard]] const option_view* pending() const { return pending_; }
  [[nodiscard]] bool options_over() const { return only_places_; }
  [[nodiscard]] std::optional<std::size_t> command_at() const { return command_at_; }
  [[nodiscard]] const std::vector<std::string>& where() const { return where_; }
  [[nodiscard]] std::size_t filled() const { return filled_; }
  // The place that the next word fills.
  [[nodiscard]] const place_view* place() const {
    if (filled_ < places_.size()) return &places_[filled_];
    return !places_.empty() && places_.back().repeats ? &places_.back() : nullptr;
  }

 private:
  void take_option(const std::string& word) {
    const auto equals = word.find('=');
    const option_view* const option = find(options_, word.substr(0, equals));
    if (option == nullptr || option->value.empty()) return;
    if (equals == std::string::npos) {
      pending_ = option;
    } else {
      remember(option->longs, word.substr(equals + 1));
    }
  }
  void remember(const std::vector<std::string>& flags, const std::string& value) {
    for (const std::string& each : flags) {
      if (each == "--url" || each == "--prefix") where_.push_back(each + "=" + value);
    }
  }

  const std::vector<option_view>& options_;
  const std::vector<place_view>& places_;
  const option_view* pending_ = nullptr;
  bool only_places_ = false;
  std::optional<std::size_t> command_at_;
  std::size_t filled_ = 0;
  std::vector<std::string> where_;
};

void offer_place(completion_plan& plan, const place_view& place, const reading& so_far, const std::string& begin,
                 std::size_t number) {
  for (const std::string& each : place.choices) offer(plan, begin, each, "");
  if (place.name == "VERB") offer_verbs(plan, begin);
  if (place.name == "EXPERIMENT") {
    for (const lab::entry& each : lab::catalogue()) offer(plan, begin, each.name, each.title);
  }
  if (place.name == "NAME" || place.name == "PATTERN") plan.locks = {begin, so_far.where()};
  if (place.name == "FILE" || place.name == "PATH") plan.beyond = rest::files;
  if (place.name == "COMMAND") {
    plan.beyond = rest::command;
    plan.from = number;
  }
}

completion_plan plan_for(verb& what, const std::vector<std::string>& words) {
  CLI::App app;
  prepare(what, app);
  const std::vector<option_view> options = options_of(app);
  const std::vector<place_view> places = places_of(what.text().usage);
  reading so_far{options, places};
  for (std::size_t i = 1; i + 1 < words.size() && !so_far.command_at(); ++i) so_far.take(words[i], i);

  completion_plan plan;
  const std::string& last = words.back();
  const std::size_t number = words.size() - 1;
  if (so_far.command_at()) {
    plan.beyond = rest::command;
    plan.from = *so_far.command_at();
    return plan;
  }
  if (so_far.pending() != nullptr) {
    offer_values(plan, *so_far.pending(), "", last);
    return plan;
  }
  const auto equals = last.find('=');
  if (!so_far.options_over() && last.starts_with("--") && equals != std::string::npos) {
    if (const option_view* const option = find(options, last.substr(0, equals)); option != nullptr) {
      offer_values(plan, *option, last.substr(0, equals + 1), std::string_view{last}.substr(equals + 1));
    }
    return plan;
  }
  if (!so_far.options_over() && last.starts_with('-')) {
    for (const option_view& each : options) {
      for (const std::string& flag : each.longs) offer(plan, last, flag, each.description);
      if (each.longs.empty() || last.size() > 1) {
        for (const std::string& flag : each.shorts) offer(plan, last, flag, each.description);
      }
    }
    return plan;
  }
  if (so_far.place() != nullptr) offer_place(plan, *so_far.place(), so_far, last, number);
  return plan;
}

}  // namespace

completion_plan plan_completion(const std::vector<std::string>& words) {
  completion_plan plan;
  if (words.empty()) return plan;
  if (words.size() == 1) {
    offer_verbs(plan, words.front());
    return plan;
  }
  for (const verb_entry& each : verbs()) {
    if (each.name == words.front()) return plan_for(*each.make(), words);
  }
  return plan;
}

}  // namespace holdfast::cli
