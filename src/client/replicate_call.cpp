#include "client/replicate_call.hpp"

#include "lock/replicas.hpp"
#include "lock/replies.hpp"
#include "lock/server_error.hpp"
#include "resp/writer.hpp"

#include <algorithm>
#include <utility>

namespace holdfast::detail {

using runtime::time_point;
using std::chrono::duration_cast;
using std::chrono::milliseconds;

replicate_call::replicate_call(core& owner, std::string_view key, std::string_view id, runtime::duration ttl,
                               replica_count wanted, lock::flavour_ptr what,
                               std::function<void(const result<lock::proof>&, time_point)> done)
    : core_{owner},
      key_{key},
      id_{id},
      ttl_{ttl},
      wanted_{wanted},
      what_{std::move(what)},
      done_{std::move(done)},
      // The link is given up after command_timeout without an answer; WAIT must have answered before.
      limit_{std::max(owner.where().command_timeout / 2, milliseconds{1})} {
  takes_turn = true;
}

replicate_call::~replicate_call() { abandon(); }

void replicate_call::start(time_point now) {
  core_.nodes().waiting().submit(*this, now);
  core_.nudge();
}

// The script as text: were it not known, WAIT would follow a write that did not happen.
void replicate_call::encode(std::string& out) {
  answer_ = 0;
  problem_.reset();
  asked_for_ = lock::replicas_needed(wanted_, core_.nodes().replicas_seen());
  resp::append_array(out, 6 + what_->extra.size());
  resp::append_bulk(out, "EVAL");
  resp::append_bulk(out, what_->renew->source);
  resp::append_bulk(out, std::int64_t{1});
  resp::append_bulk(out, key_);
  resp::append_bulk(out, id_);
  resp::append_bulk(out, duration_cast<milliseconds>(ttl_).count());
  for (const std::string& each : what_->extra) resp::append_bulk(out, each);
  if (asks_role()) resp::append_command(out, "ROLE");
  resp::append_command(out, "WAIT", asked_for_, limit_.count());
  answers_ = asks_role() ? 3 : 2;
}

void replicate_call::on_reply(const resp::value& reply, time_point now) {
  const std::size_t which = answer_++;
  if (which == 0) {
    const auto renewed = lock::read_renew(reply);
    if (!renewed) {
      problem_ = renewed.failure();
    } else if (*renewed != lock::renew_reply::kept) {
      problem_ = failure{errc::lost, "the lock was lost while its replicas were waited for"};
    }
    return;
  }
  if (which == 1 && asks_role()) {
    const auto seen = lock::read_replicas(reply);
    if (seen) {
      core_.nodes().saw_replicas(*seen);
    } else if (!problem_) {
      problem_ = seen.failure();
    }
    return;
  }
  const auto had = lock::read_wait(reply);
  if (had) {
    had_ = *had;
  } else if (!problem_) {
    problem_ = had.failure();
  }
  end_turn(now);
  judge(now);
}

void replicate_call::judge(time_point now) {
  if (problem_) return fail(*problem_, now);
  const int needed = lock::replicas_needed(wanted_, core_.nodes().replicas_seen());
  if (had_ < needed) {
    // There are more replicas than were known when it was asked.
    if (asked_for_ < needed) return core_.nodes().waiting().submit(*this, now);
    return fail(lock::not_replicated(needed, had_, limit_), now);
  }
  // Two links, and the primary may have changed under one of them: what was confirmed must be where the lock is.
  if (core_.nodes().waiting().place() != core_.nodes().of(key_).place()) {
    return fail({errc::unreachable, "the primary changed while the replicas were waited for", delivery::unanswered},
                now);
  }
  const auto done = std::move(done_);
  done(lock::proof{sent_at(), ttl_}, now);
}

void replicate_call::on_interrupted(const failure& why, time_point now) {
  if (core_.closing() || std::exchange(repeated_, true)) return fail(why, now);
  core_.nodes().waiting().submit(*this, now);
}

void replicate_call::on_refused(const failure& why, time_point now) { fail(why, now); }

void replicate_call::fail(failure why, time_point now) {
  const auto done = std::move(done_);
  done(std::move(why), now);
}

}  // namespace holdfast::detail
