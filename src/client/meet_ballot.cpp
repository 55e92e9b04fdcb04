#include "client/meet_ballot.hpp"

#include "client/release_ballot.hpp"
#include "lock/names.hpp"
#include "lock/quorum_failures.hpp"
#include "lock/server_error.hpp"

namespace holdfast::detail {

using lock::meet_step;
using runtime::time_point;

namespace {

// The arguments of meet_wait.lua.
struct wait_argument {
  enum : std::size_t { owner_id, ttl, entry, fence, first_time, kind, expected, made, phase };
};

// A writing that is on its way arrives within that time; what is unsettled for longer has lost its writer.
constexpr std::chrono::milliseconds longest_way{250};

}  // namespace

meet_ballot::meet_ballot(core& owner, net::request& asker, matter what, const ballot* before)
    : ballot{owner, &asker, std::move(what)}, machine_{owner.nodes().size()}, listed_(owner.nodes().size()) {
  if (before == nullptr) return;
  // An asker runs one script, so its last ballot was of this kind.
  const auto& last = *static_cast<const meet_ballot*>(before);
  unsettled_since_ = last.unsettled_since_;
  if (last.machine_.lags()) lagged_at_ = last.machine_.version();
}

void meet_ballot::begin(time_point now) {
  sent(now);
  wake_at(now + owner().where().node_timeout);
  for (std::size_t i = 0; i < size() && !decided(); ++i) ask(purpose::vote, i, now);
}

const scripts::script& meet_ballot::script_for(purpose /*why*/) const noexcept { return *by().acquire; }

void meet_ballot::encode(purpose why, std::size_t node, bool by_text, std::string& out) {
  const auto& args = what().args;
  append_eval(out, script_for(why), by_text, {what().keys[0], what().keys[1], lock::seat_key},
              {owner().nodes().at(node).identity().run_id, max_ttl(), args[wait_argument::entry],
               args[wait_argument::ttl], args[wait_argument::kind], args[wait_argument::expected],
               args[wait_argument::made], args[wait_argument::phase]});
}

void meet_ballot::answered(purpose /*why*/, std::size_t node, const resp::value& reply, time_point now) {
  const auto read = lock::read_look(reply);
  if (!read) {
    problem_ = read.failure();
    return follow(machine_.failed(node), now);
  }
  listed_[node] = read->what == lock::meet_look::kind::waiting;
  if (passed_ && listed_[node]) leave_list(node, now);  // late, and it has put us on its list
  follow(machine_.answered(node, *read), now);
}

void meet_ballot::failed(purpose /*why*/, std::size_t node, bool /*sent*/, time_point now) {
  follow(machine_.failed(node), now);
}

void meet_ballot::follow(meet_step step, time_point now) {
  if (decided()) return;
  const std::string& which = what().args[wait_argument::kind];
  if (step != meet_step::wait && step != meet_step::unsettled) unsettled_since_.reset();
  switch (step) {
    case meet_step::wait:
      return;
    case meet_step::passed:
      return passed(now);
    case meet_step::waiting:
      // A whole heartbeat ago some node had less than it should have, and nothing has come since.
      if (lagged_at_ != 0 && lagged_at_ == machine_.version()) {
        return decide(failure{errc::not_replicated, "a node lags behind the others"}, now);
      }
      return tell_waiting("1", "-1", now);
    case meet_step::unsettled:
      return unsettled(now);
    case meet_step::gone:
      return decide(
          lock::server_error(machine_.replaced() ? "HFGONE another " + which + " of this name has been made since"
                                                 : "HFGONE the " + which + " is not there any more"),
          now);
    case meet_step::young:
      return decide(lock::too_many_young(size(), machine_.number()), now);
    case meet_step::other_max_ttl:
      return decide(lock::another_max_ttl(owner().where().max_ttl, machine_.number()), now);
    case meet_step::unreachable:
      return decide(lock::too_few_answers(machine_.answers(), size(), problem_), now);
  }
}

void meet_ballot::passed(time_point now) {
  passed_ = true;
  for (std::size_t i = 0; i < size(); ++i) {
    if (listed_[i]) leave_list(i, now);
  }
  decide("granted 0", now);
}

// Whoever only looks cannot look again, and whoever has looked for long enough need not.
void meet_ballot::unsettled(time_point now) {
  if (!unsettled_since_) unsettled_since_ = now;
  if (!patient() || now - *unsettled_since_ >= longest_way) {
    return decide(failure{errc::not_replicated, "the nodes do not agree whether the phase has passed"}, now);
  }
  tell_waiting("0", "10", now);
}

// Rank 0 and a time that is soon over: look again then.
void meet_ballot::tell_waiting(std::string_view rank, std::string_view left, time_point now) {
  decide(waiting_words(what().args[wait_argument::entry], rank, left, machine_.missing()), now);
}

void meet_ballot::leave_list(std::size_t node, time_point now) {
  const std::string& ours = what().args[wait_argument::entry];
  if (ours.empty()) return;
  listed_[node] = false;
  release_ballot::send(owner(), {by().asked_release, what().keys, {{}, ours}, true, &by()}, {node}, now);
}

}  // namespace holdfast::detail
