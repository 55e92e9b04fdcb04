#include "client/acquire_ballot.hpp"

#include "client/release_ballot.hpp"
#include "lock/names.hpp"
#include "lock/quorum_failures.hpp"
#include "lock/shares.hpp"

#include <algorithm>
#include <cstdlib>
#include <numeric>

namespace holdfast::detail {

using lock::quorum_refusal;
using lock::quorum_step;
using runtime::time_point;
using std::chrono::duration_cast;
using std::chrono::milliseconds;
using std::chrono::seconds;

namespace {

// The arguments of acquire.lua and its likes.
struct argument {
  enum : std::size_t { owner_id, ttl, entry, fence, first_time, common };
};

// … of which share_acquire.lua's first is how many.
std::size_t slots_asked(const lock::voting& by, const std::vector<std::string>& args) {
  return by.slots ? std::strtoull(args[argument::common].c_str(), nullptr, 10) : 1;
}

lock::quorum_terms terms_of(core& owner, const lock::voting& by, const std::vector<std::string>& args,
                            runtime::duration limit) {
  const milliseconds length{std::strtoll(args[argument::ttl].c_str(), nullptr, 10)};
  return {.nodes = owner.nodes().size(),
          .ttl = length,
          .node_limit = limit,
          .fence = args[argument::fence] == "1",
          .slots = slots_asked(by, args)};
}

}  // namespace

acquire_ballot::acquire_ballot(core& owner, net::request& asker, matter what, const ballot* before)
    : ballot{owner, &asker, std::move(what)},
      terms_{terms_of(owner, by(), this->what().args,
                      node_limit(milliseconds{std::strtoll(this->what().args[argument::ttl].c_str(), nullptr, 10)}))},
      may_have_(terms_.nodes),
      listed_(terms_.nodes) {
  // An asker runs one script, so its last ballot was of this kind.
  if (before != nullptr) splits_ = static_cast<const acquire_ballot*>(before)->splits_;
}

void acquire_ballot::begin(time_point now) {
  began_ = now;
  sent(now);
  machine_.emplace(terms_);
  hint_ = terms_.fence ? std::to_string(owner().fence_hint()) : std::string{};
  may_have_.assign(size(), false);
  // Anywhere, but at the same slot on all nodes: nodes with the same holders choose the same slots, and contenders different ones.
  if (by().slots) wish_ = "from " + std::to_string(owner().random().number() % lock::most_slots);
  follow(machine_->start(now), now);
}

const scripts::script& acquire_ballot::script_for(purpose why) const noexcept {
  if (why == purpose::note) return *by().note;
  return why == purpose::open ? scripts::quorum_open : *by().acquire;
}

void acquire_ballot::encode(purpose why, std::size_t node, bool by_text, std::string& out) {
  const auto& keys = what().keys;  // lock, waiters, seen, fence
  const auto& args = what().args;
  switch (why) {
    case purpose::again:
      return append_vote(node, by_text, {}, {}, "to " + lock::write_slots(machine_->slots()), out);
    case purpose::note:
      return append_eval(out, script_for(why), by_text, {keys[0], keys[3]},
                         {args[argument::owner_id], std::to_string(machine_->number())}, extra(argument::common));
    case purpose::open:
      return append_eval(out, script_for(why), by_text, {lock::seat_key}, {seats_[node]});
    default:
      may_have_[node] = true;
      return append_vote(node, by_text, args[argument::entry], hint_, wish_, out);
  }
}

// `slots`: which ones, if they have numbers; it stands before the mode.
void acquire_ballot::append_vote(std::size_t node, bool by_text, std::string_view from_list, std::string_view hint,
                                 const std::string& slots, std::string& out) const {
  const auto& keys = what().keys;
  const auto& args = what().args;
  const auto given = extra(argument::common);
  std::vector<std::string> more{given.begin(), given.end()};
  if (by().slots) more.insert(more.end() - 1, slots);
  append_eval(out, *by().acquire, by_text, {keys[0], keys[1], keys[3], lock::seat_key},
              {args[argument::owner_id], args[argument::ttl], from_list, hint,
               owner().nodes().at(node).identity().run_id, max_ttl()},
              more);
}

void acquire_ballot::answered(purpose why, std::size_t node, const resp::value& reply, time_point now) {
  if (decided()) {
    // Won without it; it has put us on its list.
    const auto late = why == purpose::vote ? lock::read_vote(reply) : result<lock::vote_reply>{failure{}};
    if (!late || !machine_->won()) return;
    if (late->what == lock::vote_reply::kind::held) leave_lists({node}, now);
    const bool granted = late->what == lock::vote_reply::kind::granted;
    if (granted && by().slots && late->slots != machine_->slots()) call_back({node}, now);
    return;
  }
  if (why == purpose::open) {
    if (opening_ != 0 && --opening_ == 0) opened(now);
    return;
  }
  if (why == purpose::note) {
    const auto read = lock::read_note(reply);
    return follow(read ? machine_->noted(now, node, *read) : machine_->failed(now, node), now);
  }
  const auto read = lock::read_vote(reply);
  if (!read) {
    // An error does not undo what the script did before it: the vote may be there.
    problem_ = read.failure();
    return follow(machine_->failed(now, node), now);
  }
  may_have_[node] = read->what == lock::vote_reply::kind::granted;
  listed_[node] = read->what == lock::vote_reply::kind::held;
  if (may_have_[node]) owner().saw_fence(read->number);
  follow(machine_->answered(now, node, *read), now);
  if (!decided()) leave_behind(now);
}

// The votes are divided, and what could still decide are nodes that have been silent since before this round: whoever can try again does
// not wait for them, because meanwhile its votes would be in the way of others.
void acquire_ballot::leave_behind(time_point now) {
  if (!patient()) return;
  const auto late = machine_->stragglers();
  const auto is_silent = [&](std::size_t each) { return owner().nodes().at(each).overdue(now, terms_.node_limit); };
  if (!std::ranges::all_of(late, is_silent)) return;
  for (const std::size_t each : late) {
    if (!decided()) follow(machine_->failed(now, each), now);
  }
}

void acquire_ballot::failed(purpose why, std::size_t node, bool sent, time_point now) {
  if (why == purpose::again) return;
  if (why == purpose::vote && !sent) may_have_[node] = false;
  if (decided()) return;
  if (why == purpose::open) {
    if (opening_ != 0 && --opening_ == 0) opened(now);
    return;
  }
  follow(machine_->failed(now, node), now);
}

void acquire_ballot::limit_passed(time_point now) {
  if (opening_ != 0) return opened(now);
  follow(machine_->timer(now), now);
}

void acquire_ballot::follow(quorum_step step, time_point now) {
  switch (step) {
    case quorum_step::ask:
      wake_at(machine_->wake_at());
      for (std::size_t i = 0; i < size() && !decided(); ++i) ask(purpose::vote, i, now);
      return;
    case quorum_step::note:
      wake_at(machine_->wake_at());
      for (const std::size_t each : machine_->take_unnoted()) {
        if (!decided()) ask(purpose::note, each, now);
      }
      return;
    case quorum_step::won:
      return won(now);
    case quorum_step::refused:
      return refused(now);
    case quorum_step::wait:
      return;
  }
}

void acquire_ballot::won(time_point now) {
  owner().saw_fence(machine_->number());
  std::vector<std::size_t> against;
  for (std::size_t i = 0; i < size(); ++i) {
    if (listed_[i]) against.push_back(i);
  }
  leave_lists(std::move(against), now);
  std::string answer = "granted " + std::to_string(machine_->won()->fence);
  if (by().slots) {
    answer.append(" ").append(lock::write_slots(machine_->slots()));
    call_back(machine_->astray(), now);
  }
  decide(std::move(answer), now);
}

// Also after the asker has gone: without a vote there, given back meanwhile, nothing is moved.
void acquire_ballot::call_back(const std::vector<std::size_t>& from, time_point now) {
  for (const std::size_t each : from) ask(purpose::again, each, now);
  if (!from.empty()) owner().nudge();
}

void acquire_ballot::leave_lists(std::vector<std::size_t> at, time_point now) {
  const std::string& ours = what().args[argument::entry];
  // Under no owner, so that it can never take back a vote, whenever it arrives.
  if (!ours.empty()) give_back({}, ours, std::move(at), now);
}

void acquire_ballot::give_back(const std::string& id, const std::string& from_list, std::vector<std::size_t> at,
                               time_point now) {
  // By text: the next attempt follows on the same links, and must not come before it.
  matter back{by().asked_release, what().keys, {id, from_list}, true, &by()};
  const auto more = extra(argument::common);
  back.args.insert(back.args.end(), more.begin(), more.end());
  release_ballot::send(owner(), std::move(back), std::move(at), now);
}

void acquire_ballot::refused(time_point now) {
  const quorum_refusal why = machine_->why();
  if (why == quorum_refusal::refused) return refused_for_good(now);
  std::vector<std::size_t> voters;
  for (std::size_t i = 0; i < size(); ++i) {
    if (may_have_[i]) voters.push_back(i);
  }
  give_back(what().args[argument::owner_id], {}, std::move(voters), now);
  if (why == quorum_refusal::split) {
    const auto pause = lock::split_pause(splits_++, now - began_, owner().random());
    return tell_busy("0", duration_cast<milliseconds>(pause), now);
  }
  splits_ = 0;
  if (why == quorum_refusal::held) return tell_busy("1", machine_->left(), now);
  if (why == quorum_refusal::young && open_fresh(now)) return;
  decide(why_not(), now);
}

// In the words of the script that was asked for. Whoever asked does not wait then, and so must not be on any list.
void acquire_ballot::refused_for_good(time_point now) {
  std::vector<std::size_t> all(size());
  std::iota(all.begin(), all.end(), 0U);
  give_back(what().args[argument::owner_id], what().args[argument::entry], std::move(all), now);
  decide("refused " + machine_->refusal(), now);
}

// Who can be invited looks next at the end of the holder's time or once a second, sooner by an invitation. Rank 0 after a split: look
// again after the pause, and heed no invitation.
void acquire_ballot::tell_busy(std::string_view rank, milliseconds left, time_point now) {
  decide(waiting_words(what().args[argument::entry], rank, std::to_string(left.count()), machine_->holder()), now);
}

failure acquire_ballot::why_not() const {
  switch (machine_->why()) {
    case quorum_refusal::young:
      return lock::too_many_young(size(), machine_->left());
    case quorum_refusal::other_max_ttl:
      return lock::another_max_ttl(owner().where().max_ttl, machine_->max_ttl());
    case quorum_refusal::late:
      return {errc::unreachable, "a majority of the nodes did not answer before the lease would have been over"};
    default:
      return lock::too_few_answers(machine_->answers(), size(), problem_);
  }
}

// A quorum on which nobody has voted yet: docs/quorum.md, "A fresh quorum".
bool acquire_ballot::open_fresh(time_point now) {
  seats_ = machine_->fresh();
  if (seats_.empty() || tried_to_open_) return false;
  for (std::size_t i = 0; i < size(); ++i) {
    const net::connection& node = owner().nodes().at(i);
    // The process that answered is the one that is connected, since a connection does not outlive it.
    if (!node.ready() || !seats_[i].starts_with(node.identity().run_id + " ")) return false;
    if (!lock::may_open(duration_cast<seconds>(now - node.identity().since), owner().where().max_ttl)) return false;
  }
  tried_to_open_ = true;
  opening_ = size();
  wake_at(now + terms_.node_limit);
  for (std::size_t i = 0; i < size() && opening_ != 0; ++i) ask(purpose::open, i, now);
  return true;
}

void acquire_ballot::opened(time_point now) {
  opening_ = 0;
  begin(now);
}

}  // namespace holdfast::detail
