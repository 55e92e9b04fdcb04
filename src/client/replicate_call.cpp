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

namespace {

// The link is given up after command_timeout without an answer, and the proof runs out after ttl: WAIT must have answered well
// before both; and not after the caller has gone, or the next one would wait behind it.
milliseconds longest_wait(const settings& how, runtime::duration ttl, runtime::duration left) {
  const auto most = std::min({runtime::duration{how.command_timeout} / 2, ttl / 2, left});
  return std::max(duration_cast<milliseconds>(most), milliseconds{1});
}

}  // namespace

replicate_call::replicate_call(core& owner, std::string_view key, std::string_view id, runtime::duration ttl,
                               replica_count wanted, lock::flavour_ptr what, time_point limit, outcome done)
    : core_{owner},
      key_{key},
      id_{id},
      ttl_{ttl},
      wanted_{wanted},
      what_{std::move(what)},
      limit_{limit},
      done_{std::move(done)} {
  takes_turn = true;
  blocks = true;
}

replicate_call::~replicate_call() { abandon(); }

void replicate_call::start(time_point now) {
  again(now);
  core_.nudge();
}

void replicate_call::again(time_point now) { core_.nodes().submit(*this, now); }

// The script as text: were it not known, WAIT would follow a write that did not happen.
void replicate_call::encode(std::string& out) {
  answer_ = 0;
  gone_ = false;
  asked_for_ = lock::replicas_needed(wanted_, core_.nodes().replicas_seen(key_));
  wait_ = longest_wait(core_.where(), ttl_, limit_ - runtime::boot_clock::now());
  resp::append_array(out, 6 + what_->extra.size());
  resp::append_bulk(out, "EVAL");
  resp::append_bulk(out, what_->renew->source);
  resp::append_bulk(out, std::int64_t{1});
  resp::append_bulk(out, key_);
  resp::append_bulk(out, id_);
  resp::append_bulk(out, duration_cast<milliseconds>(ttl_).count());
  for (const std::string& each : what_->extra) resp::append_bulk(out, each);
  if (asks_role()) resp::append_command(out, "ROLE");
  resp::append_command(out, "WAIT", asked_for_, wait_.count());
  answers_ = asks_role() ? 3 : 2;
}

void replicate_call::on_reply(const resp::value& reply, time_point now) {
  if (reply.is_error()) return fail(lock::server_error(reply.text), now);  // nothing else will be told
  const std::size_t which = answer_++;
  if (which == 0) {
    const auto renewed = lock::read_renew(reply);
    if (!renewed) return fail(renewed.failure(), now);
    gone_ = *renewed != lock::renew_reply::kept;
    return;
  }
  if (which == 1 && asks_role()) {
    const auto seen = lock::read_replicas(reply);
    if (!seen) return fail(seen.failure(), now);
    return core_.nodes().saw_replicas(key_, *seen);
  }
  const auto had = lock::read_wait(reply);
  end_turn(now);
  if (!had) return fail(had.failure(), now);
  had_ = *had;
  judge(now);
}

void replicate_call::judge(time_point now) {
  if (gone_) return fail({errc::lost, "the lock was lost while its replicas were waited for"}, now, true);
  auto& nodes = core_.nodes();
  const int needed = lock::replicas_needed(wanted_, nodes.replicas_seen(key_));
  // Two links, and the primary may have changed under one of them: what was confirmed must be where the lock is.
  const net::connection& here = nodes.waiting(key_);
  if (carried_by() != &here || here.place() != nodes.of(key_).place()) {
    return fail({errc::unreachable, "the primary changed while the replicas were waited for", delivery::unanswered},
                now, true);
  }
  if (had_ < needed) {
    // There are more replicas than were known when it was asked.
    if (asked_for_ < needed) return again(now);
    return fail(lock::not_replicated(needed, had_, wait_), now);
  }
  const auto done = std::move(done_);
  done(lock::proof{sent_at(), ttl_}, false, now);
}

void replicate_call::on_interrupted(const failure& why, time_point now) {
  if (core_.closing()) return fail(why, now);
  if (std::exchange(repeated_, true)) return fail(why, now, true);
  again(now);
}

void replicate_call::on_refused(const failure& why, time_point now) { fail(why, now); }

void replicate_call::fail(failure why, time_point now, bool passes) {
  const auto done = std::move(done_);
  done(std::move(why), passes, now);
}

}  // namespace holdfast::detail
