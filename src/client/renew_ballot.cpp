#include "client/renew_ballot.hpp"

#include "lock/names.hpp"

#include <algorithm>
#include <cstdlib>

namespace holdfast::detail {

using lock::quorum_renewal;
using runtime::time_point;

namespace {

// Our own words, written by encode_values().
std::chrono::milliseconds read_ms(const std::string& text) {
  return std::chrono::milliseconds{std::strtoll(text.c_str(), nullptr, 10)};
}

// Of what is held in slots the arguments name them before the mode.
std::size_t slots_held(const lock::voting& by, const std::vector<std::string>& args) {
  return by.slots ? std::max<std::size_t>(lock::read_slots(args[args.size() - 2]).size(), 1) : 1;
}

}  // namespace

renew_ballot::renew_ballot(core& owner, net::request& asker, matter what)
    : ballot{owner, &asker, std::move(what)},
      length_{read_ms(this->what().args[1])},
      machine_{owner.nodes().size(), node_limit(length_), slots_held(by(), this->what().args)} {}

void renew_ballot::begin(time_point now) {
  sent(now);
  machine_.start(now, length_);
  wake_at(machine_.wake_at());
  for (std::size_t i = 0; i < size() && !decided(); ++i) ask(purpose::vote, i, now);
}

const scripts::script& renew_ballot::script_for(purpose why) const noexcept {
  return why == purpose::vote ? *by().renew : *by().acquire;
}

void renew_ballot::encode(purpose why, std::size_t node, bool by_text, std::string& out) {
  const std::string& key = what().keys[0];
  const std::string& run = owner().nodes().at(node).identity().run_id;
  if (why == purpose::vote) {
    return append_eval(out, script_for(why), by_text, {key, lock::seat_key},
                       {what().args[0], what().args[1], run, max_ttl()}, extra(common));
  }
  // The last word: it is held already. Whoever waits for it must not hold it back here.
  std::vector<std::string> more{extra(common).begin(), extra(common).end()};
  more.emplace_back("again");
  append_eval(out, script_for(why), by_text, {key, lock::waiters_key(key), lock::fence_key(key), lock::seat_key},
              {what().args[0], what().args[1], "", "", run, max_ttl()}, more);
}

void renew_ballot::answered(purpose why, std::size_t node, const resp::value& reply, time_point now) {
  if (why == purpose::again) return;  // counts from the next round on, if it was granted
  const auto read = lock::read_keep(reply);
  if (!read) problem_ = read.failure();
  follow(read ? machine_.answered(node, *read, lock::read_kept_slots(reply)) : machine_.failed(node), now);
}

void renew_ballot::failed(purpose why, std::size_t node, bool /*sent*/, time_point now) {
  if (why == purpose::vote) follow(machine_.failed(node), now);
}

failure renew_ballot::why_not() const {
  const std::string text = "no majority of the nodes confirmed the lock";
  if (problem_) return {problem_->code, text + "; " + problem_->detail};
  return {errc::unreachable, text};
}

void renew_ballot::follow(quorum_renewal outcome, time_point now) {
  switch (outcome) {
    case quorum_renewal::wait:
      break;
    case quorum_renewal::kept:
      kept_ = true;
      decide("kept", now);
      break;
    case quorum_renewal::lost:
      return decide(machine_.cause() == loss_cause::taken ? "taken" : "gone", now);
    case quorum_renewal::failed:
      return decide(why_not(), now);
  }
  if (!kept_ || withdrawn()) return;
  for (const std::size_t each : machine_.take_gone()) {
    ask(purpose::again, each, now);
    owner().nudge();
  }
}

}  // namespace holdfast::detail
