#include "lock/acquire_machine.hpp"

#include "lock/owner_text.hpp"
#include "lock/server_error.hpp"

#include <algorithm>
#include <cstdio>

namespace holdfast::lock {

using runtime::duration;
using runtime::time_point;
using std::chrono::milliseconds;

namespace {

// How often the first in the queue looks whether a holder that does not hand over has gone.
constexpr milliseconds foreign_look_least{25};
constexpr milliseconds foreign_look_most{75};
// Beyond the holder's expiry: the first looks at once, the others spread out behind it.
constexpr milliseconds expiry_slack{1};
constexpr milliseconds follower_least{30};
constexpr milliseconds follower_most{120};

std::string describe(const std::string& holder, milliseconds holds) {
  std::string text = "held by ";
  for (const char c : holder.substr(0, 120)) text.push_back(static_cast<unsigned char>(c) < 0x20 ? '?' : c);
  if (holds.count() < 0) return text + ", without expiry";
  char left[48];
  std::snprintf(left, sizeof left, ", for %.1f s more", static_cast<double>(holds.count()) / 1000.0);
  return text + left;
}

}  // namespace

duration acquire_machine::claim(duration ttl) noexcept { return std::min<duration>(ttl, claim_window); }

acquire_step acquire_machine::ask(time_point now) {
  state_ = state::asking;
  asked_ = now;
  return acquire_step::ask;
}

acquire_step acquire_machine::finish(const acquisition& got) {
  state_ = state::done;
  won_ = got;
  return acquire_step::done;
}

acquire_step acquire_machine::finish(failure why) {
  state_ = state::done;
  lost_ = std::move(why);
  return acquire_step::done;
}

acquire_step acquire_machine::start(time_point now) {
  started_ = now;
  if (!terms_.waits) {
    limit_ = runtime::after(now, patience_);
  } else if (!terms_.forever) {
    limit_ = runtime::after(now, terms_.wait);
  }
  return ask(now);
}

acquire_step acquire_machine::answered(time_point now, time_point sent, const acquire_reply& reply) {
  answered_ = true;
  passing_.reset();
  if (reply.what == acquire_reply::kind::granted) {
    return finish(acquisition{.fence = reply.fence,
                              .held = {sent, terms_.ttl},
                              .through_queue = contended_ && terms_.queue,
                              .by_push = !looked_by_timer_ && contended_});
  }
  contended_ = true;
  holder_ = reply.holder;
  holds_ = reply.holds;
  // Only ever becomes true: "held", from a link without an inbox, does not take an earlier entry off the queue.
  if (reply.what == acquire_reply::kind::queued) known_to_server_ = true;
  if (!terms_.waits) return finish(failure{errc::held, describe(holder_, holds_)});
  if (now >= limit_) return give_up(now);
  if (reply.what == acquire_reply::kind::held) return pause(now);
  state_ = state::queued;
  ticket_ = reply.ticket;
  queued_sent_ = sent;
  plan_look(now, reply);
  return acquire_step::wait;
}

void acquire_machine::plan_look(time_point now, const acquire_reply& reply) {
  const duration beat = claim(terms_.ttl) / 3;
  duration next = random_->between(beat * 9 / 10, beat);
  if (reply.rank == 0 && !looks_like_ours(reply.holder)) {
    next = std::min<duration>(next, random_->between(foreign_look_least, foreign_look_most));
  }
  if (reply.holds.count() >= 0) {
    const duration slack = reply.rank == 0 ? expiry_slack : random_->between(follower_least, follower_most);
    next = std::min(next, reply.holds + slack);
  }
  look_ = now + next;
}

// Back-off of the unqueued mode: decorrelated jitter, so that equal callers do not move in step.
acquire_step acquire_machine::pause(time_point now) {
  state_ = state::pausing;
  pause_ = std::min<duration>(terms_.retry.most,
                              random_->between(terms_.retry.first, std::max<duration>(terms_.retry.first, pause_ * 3)));
  look_ = now + pause_;
  return acquire_step::wait;
}

acquire_step acquire_machine::refused(time_point now, const failure& why) {
  return refused(now, why, is_passing(why.code));
}

acquire_step acquire_machine::refused(time_point now, const failure& why, bool passes) {
  if (why.sent == delivery::unanswered) known_to_server_ = true;
  if (terms_.waits && passes && now < limit_) {
    passing_ = why;
    return pause(now);
  }
  return finish(why);
}

acquire_step acquire_machine::interrupted(time_point now, delivery sent) {
  if (sent == delivery::unanswered) known_to_server_ = true;
  if (state_ == state::done) return acquire_step::wait;
  if (now >= limit_) return give_up(now);
  return ask(now);
}

acquire_step acquire_machine::pushed(time_point now, std::uint64_t ticket) {
  if (state_ == state::done) return acquire_step::wait;
  const proof grant{queued_sent_, claim(terms_.ttl)};
  const bool mine = ticket_ != 0 && ticket == ticket_;
  if (mine && deadline_of(grant, terms_.stop_margin) - now >= grant.length / 5) {
    const std::uint64_t fence = terms_.fence ? ticket : 0;  // drawn when we joined
    return finish(acquisition{.fence = fence, .held = grant, .through_queue = true, .by_push = true});
  }
  // A grant of a place in the queue that is not the current one, or an old one: only the server can tell.
  looked_by_timer_ = false;
  return state_ == state::asking ? acquire_step::wait : ask(now);
}

acquire_step acquire_machine::dismissed(time_point /*now*/, std::uint64_t ticket, bool queued) {
  if (state_ == state::done || ticket_ == 0 || ticket != ticket_) return acquire_step::wait;
  // The server took us off the queue itself, but a heartbeat that is under way may put us back.
  known_to_server_ = queued || state_ == state::asking;
  return finish(failure{errc::held, "the holder has done what was waited for"});
}

acquire_step acquire_machine::reconnected(time_point now) {
  if (state_ != state::queued && state_ != state::pausing) return acquire_step::wait;
  return ask(now);
}

acquire_step acquire_machine::timer(time_point now) {
  if (state_ == state::done) return acquire_step::wait;
  if (now >= limit_) return give_up(now);
  if (state_ == state::asking || now < look_) return acquire_step::wait;
  looked_by_timer_ = true;
  return ask(now);
}

acquire_step acquire_machine::give_up(time_point now) {
  // The request under way may or may not have reached the server; only a sent one needs compensation, and whoever
  // carries it knows. Being asked at all is the safe answer.
  const bool silent = state_ == state::asking && (!answered_ || now - asked_ >= patience_);
  if (state_ == state::asking) known_to_server_ = true;
  if (passing_) return finish(*passing_);
  if (silent)
    return finish(failure{errc::unreachable, "no answer from Redis within the time limit", delivery::unanswered});
  return finish(failure{errc::timed_out, "the wait limit passed; " + describe(holder_, holds_)});
}

acquire_step acquire_machine::cancel(const failure& why) {
  if (state_ == state::done) return acquire_step::wait;
  if (state_ == state::asking) known_to_server_ = true;
  return finish(why);
}

acquire_step acquire_machine::unconfirmed(time_point now, const failure& why, bool passes) {
  forfeit(why);
  return refused(now, why, passes);
}

void acquire_machine::forfeit(failure why) {
  won_.reset();
  lost_ = std::move(why);
  known_to_server_ = true;
}

time_point acquire_machine::wake_at() const noexcept {
  switch (state_) {
    case state::queued:
    case state::pausing:
      return std::min(look_, limit_);
    case state::asking:
      return limit_;
    default:
      return runtime::never;
  }
}

}  // namespace holdfast::lock
