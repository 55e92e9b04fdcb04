#include "client/batch.hpp"
#include "client/supported.hpp"

#include "lock/server_error.hpp"
#include "lock/transaction.hpp"
#include "resp/writer.hpp"

namespace holdfast::detail {

using runtime::time_point;

namespace {

// A link that breaks again and again under the same commands is not one to insist on.
constexpr int most_repetitions = 3;

}  // namespace

batch::~batch() {
  for (item& each : items_) each.abandon();
}

std::size_t batch::add(std::initializer_list<std::string_view> command) {
  item& made = items_.emplace_back(*this, nullptr);
  made.count = command.size();
  for (const std::string_view each : command) resp::append_bulk(made.words, each);
  return items_.size() - 1;
}

std::size_t batch::add_for(std::string_view key, std::initializer_list<std::string_view> command) {
  const std::size_t place = add(command);
  items_[place].route = key;
  return place;
}

std::size_t batch::add_at(net::connection& node, std::initializer_list<std::string_view> command) {
  const std::size_t place = add(command);
  items_[place].only_at = &node;
  return place;
}

std::size_t batch::add_script(const scripts::script& what, std::initializer_list<std::string_view> keys,
                              std::initializer_list<std::string_view> args, bool as_text) {
  item& made = items_.emplace_back(*this, &what);
  made.by_text = as_text;
  made.count = 1 + keys.size() + args.size();
  if (keys.size() > 0) made.route = *keys.begin();
  resp::append_bulk(made.words, static_cast<std::int64_t>(keys.size()));
  for (const std::string_view each : keys) resp::append_bulk(made.words, each);
  for (const std::string_view each : args) resp::append_bulk(made.words, each);
  return items_.size() - 1;
}

std::size_t batch::add_script(const scripts::script& what, std::span<const std::string> keys,
                              std::span<const std::string> args) {
  item& made = items_.emplace_back(*this, &what);
  made.count = 1 + keys.size() + args.size();
  if (!keys.empty()) made.route = *keys.begin();
  resp::append_bulk(made.words, static_cast<std::int64_t>(keys.size()));
  for (const std::string& each : keys) resp::append_bulk(made.words, each);
  for (const std::string& each : args) resp::append_bulk(made.words, each);
  return items_.size() - 1;
}

void batch::send() {
  for (const item& each : items_) {
    if (each.what == nullptr || (only_ != nullptr && core_.where().scripts)) continue;
    problem_ = unsupported(core_, each.what->name);
    if (problem_) return;
  }
  open_ = items_.size();
  const time_point now = runtime::boot_clock::now();
  for (item& each : items_) {
    if (only_ != nullptr) each.only_at = only_;
    if (!problem_) core_.nodes().submit(each, now);  // a closed client refuses at once
  }
}

std::optional<failure> batch::wait(guard_type& guard) {
  if (open_ > 0) core_.wait(guard, *this);
  return problem_;
}

void batch::answered() {
  if (--open_ == 0 && !finished) core_.finish(*this);
}

void batch::failed(const failure& why, time_point /*now*/) {
  if (finished) return;
  problem_ = why;
  if (unanswered_) problem_->sent = delivery::unanswered;
  ++core_.counters().errors[static_cast<std::size_t>(why.code)];
  for (item& each : items_) each.abandon();
  core_.finish(*this);
}

void batch::item::encode(std::string& out) {
  resp::append_array(out, count + (what != nullptr ? 2 : 0));
  if (what != nullptr) {
    resp::append_bulk(out, by_text ? "EVAL" : "EVALSHA");
    resp::append_bulk(out, by_text ? what->source : what->sha1);
  }
  out.append(words);
}

void batch::item::on_reply(const resp::value& answer, time_point now) {
  if (what != nullptr && !by_text && answer.is_error() && lock::is_noscript(answer.text)) {
    by_text = true;  // nothing ran
    return whose.core_.nodes().submit(*this, now);
  }
  reply = answer;
  whose.answered();
}

void batch::item::on_interrupted(const failure& why, time_point now) {
  if (why.sent == delivery::unanswered) whose.unanswered_ = true;
  const bool again = (whose.repeatable_ || why.sent == delivery::not_sent) && why.code != errc::protocol;
  if (!again || whose.core_.closing() ||
      ++whose.repetitions_ > most_repetitions * static_cast<int>(whose.items_.size())) {
    return whose.failed(why, now);
  }
  whose.core_.nodes().submit(*this, now);
}

}  // namespace holdfast::detail
