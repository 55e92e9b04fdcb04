#include "lock/transaction.hpp"

#include "lock/owner_text.hpp"
#include "lock/take.hpp"

#include <utility>

namespace holdfast::lock {
namespace {

using resp::kind;
using resp::value;

// Every failed EXEC means that somebody else got on; so many in a row do not happen in one call's life but by a mistake.
constexpr int most_rounds = 64;

value text(std::string what) {
  value made;
  made.type = kind::bulk;
  made.text = std::move(what);
  return made;
}

value number(std::int64_t what) {
  value made;
  made.type = kind::integer;
  made.integer = what;
  return made;
}

value error(std::string what) {
  value made;
  made.type = kind::error;
  made.text = std::move(what);
  return made;
}

value odd(std::string_view command) {
  return error("ERR the answer to " + std::string{command} + " is not of a form that it can have");
}

const value* first_error(std::span<const value> replies) {
  for (const value& each : replies) {
    if (each.is_error()) return &each;
  }
  return nullptr;
}

// Where EXEC itself is refused, it tells why behind its own word.
std::string_view reason(std::string_view text) {
  constexpr std::string_view aborted = "EXECABORT Transaction discarded because of: ";
  return text.starts_with(aborted) ? text.substr(aborted.size()) : text;
}

bool is_whole(const value& what) { return what.type == kind::integer; }

// TIME as µs; empty if the answer is none.
std::string clock_of(const value& answer) {
  std::int64_t seconds = 0;
  std::int64_t micros = 0;
  if (!answer.is_list() || answer.items.size() != 2) return {};
  if (!is_whole_number(answer.items[0].text, seconds) || !is_whole_number(answer.items[1].text, micros)) return {};
  return std::to_string(seconds * 1'000'000 + micros);
}

// The first in the queue of those who use scripts.
struct head {
  std::string owner;
  std::uint64_t ticket = 0;
};

bool read_head(const value& answer, std::optional<head>& out) {
  if (!answer.is_list()) return false;
  if (answer.items.empty()) return true;
  // RESP2 sends member and score flat, RESP3 as a pair inside, the score as a number.
  const std::vector<value>& pair = answer.items.size() == 1 ? answer.items[0].items : answer.items;
  if (pair.size() != 2) return false;
  head made{std::string{owner_of_entry(pair[0].text)}};
  if (pair[1].type == kind::real) {
    made.ticket = static_cast<std::uint64_t>(pair[1].real);
  } else if (!is_whole_number(pair[1].text, made.ticket)) {
    return false;
  }
  out = std::move(made);
  return true;
}

}  // namespace

bool transaction::knows(const scripts::script& what) noexcept {
  return &what == &scripts::acquire || &what == &scripts::release || &what == &scripts::renew;
}

transaction::transaction(const scripts::script& what, std::vector<std::string> values, std::size_t keys)
    : kind_{&what == &scripts::acquire   ? kind::acquire
            : &what == &scripts::release ? kind::release
                                         : kind::renew},
      values_{std::move(values)},
      keys_{keys} {
  look();
}

const std::string* transaction::note() const {
  const std::size_t at = kind_ == kind::release ? 4 : 1;
  return kind_ != kind::acquire && !undoing_ && keys_ > at ? &values_[at] : nullptr;
}

void transaction::look() {
  ++rounds_;
  acting_ = false;
  round_ = {{"UNWATCH"}, {"WATCH", key()}, {"GET", key()}};
  if (kind_ != kind::acquire) return;
  // The queue is watched too: whoever waits in it goes first, and has a larger number.
  round_[1].push_back(waiters());
  round_.push_back({"PTTL", key()});
  round_.push_back({"ZRANGE", waiters(), "0", "0", "WITHSCORES"});
  round_.push_back({"TIME"});
}

void transaction::act(std::vector<command> what) {
  acting_ = true;
  round_.clear();
  round_.push_back({"MULTI"});
  for (command& each : what) round_.push_back(std::move(each));
  round_.push_back({"EXEC"});
}

transaction::outcome transaction::answered(std::span<const value> replies) {
  if (replies.size() != round_.size()) return finish(odd("a transaction"));
  if (!acting_) return seen(replies);
  // What could not be queued tells more than the EXECABORT that follows from it.
  if (const value* problem = first_error(replies)) return finish(error(std::string{reason(problem->text)}));
  const value& exec = replies.back();
  if (exec.is_null()) {  // somebody wrote a key after we looked
    if (rounds_ >= most_rounds) return finish(error("TRYAGAIN " + key() + " changed under every attempt"));
    look();
    return std::nullopt;
  }
  if (!exec.is_list() || exec.items.size() + 2 != round_.size()) return finish(odd("EXEC"));
  return done(exec);
}

transaction::outcome transaction::seen(std::span<const value> replies) {
  // A key of another type is not mine either; to whoever wants the lock it is an error.
  const value& holder = replies[2];
  const bool other_type = holder.is_error() && holder.text.starts_with("WRONGTYPE");
  for (const value& each : replies) {
    if (each.is_error() && !(&each == &holder && other_type)) return finish(each);
  }
  if (kind_ == kind::acquire) return seen_by_acquire(replies);
  const bool mine = holder.is_text() && holder.text == owner();
  if (kind_ == kind::release) {
    if (!mine) return finish(number(0));
    std::vector<command> what{{"DEL", key()}};
    if (note() != nullptr) what.push_back({"DEL", *note()});
    act(std::move(what));
    return std::nullopt;
  }
  if (holder.is_null()) return finish(text("gone"));
  if (!mine) return finish(text("taken"));
  std::vector<command> what{{"PEXPIRE", key(), ttl()}};
  if (note() != nullptr) what.push_back({"PEXPIRE", *note(), ttl()});
  act(std::move(what));
  return std::nullopt;
}

transaction::outcome transaction::seen_by_acquire(std::span<const value> replies) {
  const value& holder = replies[2];
  if (holder.is_error()) return finish(holder);
  std::optional<head> first;
  if (!is_whole(replies[3])) return finish(odd("PTTL"));
  if (!read_head(replies[4], first)) return finish(odd("ZRANGE"));
  const std::string clock = clock_of(replies[5]);
  if (clock.empty()) return finish(odd("TIME"));

  number_.clear();
  if (holder.is_null()) {
    // Free, but somebody is first: it will look in a moment, as it does behind any holder that does not hand over.
    if (first) return finish(text("held 0 " + first->owner));
    std::vector<command> what{{"SET", key(), owner(), "NX", "PX", ttl()}};
    draw(what, clock);
    act(std::move(what));
    return std::nullopt;
  }
  if (!holder.is_text()) return finish(odd("GET"));
  if (holder.text != owner()) {
    // -2: it has ended since GET.
    const std::int64_t left = replies[3].integer == -2 ? 0 : replies[3].integer;
    return finish(text("held " + std::to_string(left) + " " + holder.text));
  }
  // Mine already: an answer was lost. Whatever number it carried was never seen.
  std::vector<command> what{{"PEXPIRE", key(), ttl()}};
  if (first && fenced()) {
    number_ = std::to_string(first->ticket - 1);  // above all holders so far, below all who wait
  } else {
    draw(what, clock);
  }
  act(std::move(what));
  return std::nullopt;
}

// Above every number drawn before, for INCR; and above the clock of those days, should the counter be lost or new. As in
// _fence.lua, with which it shares the counter; there the clock also sets it forward.
void transaction::draw(std::vector<command>& into, const std::string& clock) {
  if (!fenced()) {
    number_ = "0";
    return;
  }
  into.push_back({"SET", counter(), clock, "NX", "EX", "604800"});
  into.push_back({"INCR", counter()});
}

transaction::outcome transaction::done(const value& replies) {
  const value& first = replies.items.front();
  if (const value* problem = first_error(replies.items)) {
    // EXEC goes on after an error: the lock may be ours without a number. Give it back before saying so.
    if (kind_ != kind::acquire) return finish(*problem);
    undoing_ = *problem;
    kind_ = kind::release;
    look();
    return std::nullopt;
  }
  switch (kind_) {
    case kind::release:
      return finish(number(first.integer == 1 ? 1 : 0));
    case kind::renew:
      return finish(text(first.integer == 1 ? "kept" : "gone"));
    case kind::acquire:
      break;
  }
  // A key that ended between look and act is not always noticed by EXEC (Redis before 6.0.9), but here it is.
  const bool taken = first.is_text() || first.integer == 1;
  if (!taken) {
    if (rounds_ >= most_rounds) return finish(error("TRYAGAIN " + key() + " changed under every attempt"));
    look();
    return std::nullopt;
  }
  if (!number_.empty()) return finish(text("granted " + number_));
  const value& drawn = replies.items.back();
  if (!is_whole(drawn)) return finish(odd("INCR"));
  return finish(text("granted " + std::to_string(drawn.integer)));
}

transaction::outcome transaction::finish(value answer) {
  if (undoing_) return std::exchange(undoing_, std::nullopt);
  return answer;
}

bool works_without_scripts(const flavour& what) noexcept {
  return transaction::knows(*what.acquire) && transaction::knows(*what.release) && transaction::knows(*what.renew) &&
         what.extra.empty();
}

failure needs_scripts(std::string_view what) {
  return {errc::bad_option, std::string{what} +
                                " needs scripts, and scripts = off; without them there are mutex, acquire and the "
                                "call-level forms (docs/family.md, \"Without scripts\")"};
}

}  // namespace holdfast::lock
