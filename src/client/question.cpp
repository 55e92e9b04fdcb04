#include "client/question.hpp"

#include "lock/names.hpp"
#include "lock/owner_text.hpp"
#include "resp/writer.hpp"

#include <algorithm>
#include <map>

namespace holdfast::detail {

using runtime::time_point;

question::question(core& owner, std::span<lock_info> about, bool broadly)
    : core_{owner}, first_{owner.reserve_numbers(about.size())} {
  std::map<std::string, std::vector<lock_info*>> by_client;  // empty: unknown
  for (lock_info& each : about) {
    if (!each.held || each.contact != contact::unasked) continue;
    const std::string inbox = lock::inbox_of_owner(each.owner);
    // What lies in Redisson's layout and does not name one of us is Java's: nobody here knows more of it.
    const bool perhaps_ours = each.layout == lock_layout::plain || each.layout == lock_layout::shares;
    if (!inbox.empty() || (broadly && perhaps_ours)) by_client[inbox].push_back(&each);
  }
  asked_.reserve(about.size());
  for (const auto& [inbox, theirs] : by_client) {
    for (std::size_t at = 0; at < theirs.size(); at += lock::most_asked) {
      add_post(inbox, std::span{theirs}.subspan(at, std::min(lock::most_asked, theirs.size() - at)));
    }
  }
  open_ = asked_.size();
  core_.enlist(*this);
}

question::~question() {
  core_.delist(*this);
  core_.timers().cancel(*this);
  for (post& each : posts_) each.abandon();
}

void question::add_post(std::string_view inbox, std::span<lock_info* const> about) {
  lock::ask_message message{core_.inbox(), first_ + asked_.size(), {}};
  const std::size_t begin = asked_.size();
  for (lock_info* each : about) {
    message.about.push_back({each->key, each->owner});
    asked_.push_back({each});
  }
  std::string channel = inbox.empty() ? std::string{lock::common_channel} : lock::inbox_channel(inbox);
  post& made = posts_.emplace_back(*this, std::move(channel), lock::write_ask(message));
  made.begin = begin;
  made.end = asked_.size();
}

void question::run(guard_type& guard, std::chrono::milliseconds patience) {
  if (open_ == 0) return;
  const time_point now = runtime::boot_clock::now();
  core_.timers().schedule(*this, now + patience);
  for (post& each : posts_) core_.nodes().submit(each, now);
  if (!finished) core_.wait(guard, *this);
}

void question::told(const lock::told_item& what) {
  if (what.number < first_ || what.number - first_ >= asked_.size()) return;
  asked& whose = asked_[what.number - first_];
  if (whose.settled) return;
  whose.about->fence = what.fence;
  whose.about->held_for = what.held;
  whose.about->state = what.state;
  settle(whose, contact::answered);
}

void question::settle(asked& what, contact how) {
  if (std::exchange(what.settled, true)) return;
  what.about->contact = how;
  if (--open_ == 0 && !finished) core_.finish(*this);
}

void question::settle_all(const post& what, contact how) {
  for (std::size_t i = what.begin; i < what.end; ++i) settle(asked_[i], how);
}

void question::post::encode(std::string& out) { resp::append_command(out, "PUBLISH", channel, message); }

void question::post::on_reply(const resp::value& reply, time_point /*now*/) {
  const bool to_all = channel == lock::common_channel;
  if (reply.type != resp::kind::integer) return whose.settle_all(*this, contact::unasked);
  if (!to_all) {
    if (reply.integer == 0) whose.settle_all(*this, contact::absent);
    return;
  }
  // On the channel of all we hear ourselves, and are going to answer what we hold.
  if (reply.integer > 1) return;
  for (std::size_t i = begin; i < end; ++i) {
    asked& each = whose.asked_[i];
    if (whose.core_.find_lease(each.about->key, each.about->owner) == nullptr) whose.settle(each, contact::unasked);
  }
}

// Who has not answered by now: its client is there and silent; of a foreign owner nothing is known.
void question::fire(time_point /*now*/) {
  for (const post& each : posts_) {
    settle_all(each, each.channel == lock::common_channel ? contact::unasked : contact::silent);
  }
}

}  // namespace holdfast::detail
