#include "client/release_ballot.hpp"

#include "lock/names.hpp"
#include "lock/quorum_replies.hpp"

namespace holdfast::detail {

using lock::quorum_outcome;
using runtime::time_point;

namespace {

constexpr std::chrono::seconds background{10};

}  // namespace

// Counted, so that a client that closes gives it a moment, and keeps connecting for it.
release_ballot::release_ballot(core& owner, net::request* asker, matter what)
    : ballot{owner, asker, std::move(what)}, machine_{owner.nodes().size(), owner.where().node_timeout} {
  owner.count_detached(1);
}

release_ballot::~release_ballot() { owner().count_detached(-1); }

void release_ballot::send(core& owner, matter what, std::vector<std::size_t> at, time_point now) {
  if (at.empty()) return;
  auto* const made = new release_ballot{owner, nullptr, std::move(what)};
  made->only_ = std::move(at);
  made->start(now);
  owner.nudge();
}

void release_ballot::begin(time_point now) {
  until_ = now + background;
  sent(now);
  machine_.start(now);
  wake_at(machine_.wake_at());
  if (!only_.empty()) {
    for (const std::size_t each : only_) ask(purpose::vote, each, now);
    return;
  }
  for (std::size_t i = 0; i < size(); ++i) ask(purpose::vote, i, now);
}

const scripts::script& release_ballot::script_for(purpose /*why*/) const noexcept { return *by().release; }

void release_ballot::encode(purpose why, std::size_t /*node*/, bool by_text, std::string& out) {
  // Owner, entry and what the primitive adds.
  append_eval(out, script_for(why), by_text, {what().keys[0], what().keys[1]}, {}, extra(0));
}

void release_ballot::answered(purpose /*why*/, std::size_t node, const resp::value& reply, time_point now) {
  const auto read = lock::read_give_back(reply);
  follow(read ? machine_.answered(node, *read) : machine_.failed(node), now);
}

void release_ballot::failed(purpose /*why*/, std::size_t node, bool /*sent*/, time_point now) {
  follow(machine_.failed(node), now);
}

void release_ballot::follow(quorum_outcome outcome, time_point now) {
  resp::value answer;
  answer.type = resp::kind::integer;
  switch (outcome) {
    case quorum_outcome::wait:
      return;
    case quorum_outcome::released:
      answer.integer = 1;
      return decide(answer, now);
    case quorum_outcome::was_lost:
      return decide(answer, now);
    case quorum_outcome::unknown:
      return decide(failure{errc::unreachable, "no majority of the nodes answered", delivery::unanswered}, now);
  }
}

}  // namespace holdfast::detail
