#include "client/release_call.hpp"

#include "client/lock_keys.hpp"

namespace holdfast::detail {

using runtime::time_point;

release_call::release_call(core& owner, std::string_view key, std::string_view id, std::string_view entry,
                           bool with_note, lock::flavour_ptr what)
    : script_call{owner, *what->release, with_note ? 5U : 4U, (with_note ? 7U : 6U) + what->extra.size()},
      key_{key},
      id_{id},
      entry_{entry},
      what_{std::move(what)},
      with_note_{with_note} {}

release_call::~release_call() {
  abandon();
  core_->timers().cancel(*this);
}

void release_call::start(time_point now, runtime::duration limit) {
  core_->timers().schedule(*this, runtime::after(now, limit));
  submit(now);
}

void release_call::detach(core& owner, std::string_view key, std::string_view id, std::string_view entry,
                          runtime::duration limit, const lock::flavour_ptr& what) {
  auto* made = new release_call{owner, key, id, entry, false, what};
  made->detached_ = true;
  made->send_text();  // whoever asks next must not find the waiter that has just given up
  owner.count_detached(1);
  made->start(runtime::boot_clock::now(), limit);
  owner.nudge();
}

void release_call::encode_values(std::string& out) {
  append_lock_keys(out, key_);
  if (with_note_) resp::append_bulk(out, lock::note_key(key_));
  resp::append_bulk(out, id_);
  resp::append_bulk(out, entry_);
  for (const std::string& each : what_->extra) resp::append_bulk(out, each);
}

void release_call::on_answer(const resp::value& reply, time_point /*now*/) { end(lock::read_release(reply)); }

void release_call::on_interrupted(const failure& why, time_point now) {
  if (why.sent == delivery::unanswered) repeated_ = true;
  if (why.code == errc::protocol || core_->closing()) return end(why);
  submit(now);
}

void release_call::on_refused(const failure& why, time_point now) {
  // Nobody waits for this one, so it need not be told soon: it goes on until its own limit. On a quorum the vote itself
  // does, with the nodes that have not answered (release_ballot.hpp).
  const bool again = detached_ && why.code == errc::unreachable && !core_->nodes().is_quorum();
  if (again && !core_->closing()) return submit(now);
  failure told = why;
  if (repeated_) told.sent = delivery::unanswered;
  end(told);
}

void release_call::fire(time_point /*now*/) {
  const bool sent = repeated_ || core_->nodes().sends(key_);
  abandon();
  end(failure{errc::unreachable, "no answer from Redis within the time limit",
              sent ? delivery::unanswered : delivery::not_sent});
}

void release_call::end(result<lock::release_reply> how) {
  core_->timers().cancel(*this);
  if (how && *how == lock::release_reply::handed_over) ++core_->counters().handoffs_given;
  if (how && *how != lock::release_reply::not_mine) ++core_->counters().released;
  outcome_ = std::move(how);
  if (on_done) return on_done(*this);
  if (!detached_) return core_->finish(*this);
  core_->count_detached(-1);
  delete this;
}

}  // namespace holdfast::detail
