#include "client/acquire_call.hpp"

#include "client/lock_keys.hpp"
#include "client/release_call.hpp"
#include "lock/names.hpp"
#include "lock/quorum_majority.hpp"
#include "lock/shares.hpp"

#include <algorithm>
#include <utility>

namespace holdfast::detail {

using lock::acquire_step;
using runtime::time_point;

namespace {

// After a heartbeat's silence the server passes us over by itself, and a grant lapses with the claim window: beyond
// both, nothing is left to undo.
constexpr std::chrono::milliseconds undo_limit{6000};

// On a quorum: from the first node's invitation to asking them all.
constexpr std::chrono::milliseconds invitation_window{2};
// … which all who wait have there.
constexpr std::uint64_t quorum_ticket = 1;

}  // namespace

// After WRONGTYPE: asks what is at the key, so that the error can name it.
class acquire_call::type_query final : public net::request {
 public:
  type_query(acquire_call& whose, failure why) : whose_{whose}, why_{std::move(why)} {}
  void encode(std::string& out) override { resp::append_command(out, "TYPE", whose_.key_); }
  [[nodiscard]] std::string_view routed_by() const noexcept override { return whose_.key_; }
  void on_reply(const resp::value& reply, time_point now) override {
    if (!reply.is_error()) {
      why_.detail = "the key " + whose_.key_ + " holds a " + reply.text + ", not " + std::string{whose_.what_->noun} +
                    "; choose another name or prefix, or remove the key";
    }
    done(now);
  }
  void on_interrupted(const failure& /*why*/, time_point now) override { done(now); }
  void on_refused(const failure& /*why*/, time_point now) override { done(now); }

 private:
  void done(time_point now) { whose_.follow(whose_.machine_.refused(now, why_), now); }
  acquire_call& whose_;
  failure why_;
};

acquire_call::acquire_call(core& owner, std::string key, std::string id, const lock::terms& how, lock::flavour_ptr what)
    : script_call{owner, *what->acquire, 4, 9 + what->extra.size()},
      key_{std::move(key)},
      id_{std::move(id)},
      number_{owner.next_number()},
      how_{how},
      what_{std::move(what)},
      machine_{how, owner.where().command_timeout, owner.random()} {
  impatient = !how.waits;
}

void acquire_call::write_entry() {
  const auto claim = std::chrono::duration_cast<std::chrono::milliseconds>(lock::acquire_machine::claim(how_.ttl));
  const std::string_view inbox = channel_.empty() ? std::string_view{core_->inbox()} : lock::inbox_of(channel_);
  entry_.reserve(64 + id_.size());
  entry_.append(what_->mark).append(std::to_string(claim.count())).append(":").append(inbox).append(":");
  entry_.append(std::to_string(number_)).append(":").append(id_);
}

// The first node that it queues at decides how it is told: the entry must stay the same once a server has seen it. A lock that
// is free needs no subscription; only one that turns out to be held (on_answer) is asked for again, with it.
std::string_view acquire_call::listens_on() {
  if (core_->where().deployment != deployment::cluster || !(how_.waits && how_.queue)) return {};
  if (entry_.empty() && channel_.empty()) channel_ = lock::shard_channel(key_, core_->inbox());
  return listens_ ? std::string_view{channel_} : std::string_view{};
}

// Without an inbox no grant could reach us: poll instead of queueing.
bool acquire_call::may_queue() const {
  if (!(how_.waits && how_.queue)) return false;
  if (channel_.empty()) return core_->nodes().hears(key_);
  const net::connection& at = core_->nodes().of(key_);
  return at.has_inbox() && at.listens_to(channel_);
}

acquire_call::~acquire_call() {
  if (type_) type_->abandon();
  abandon();
  core_->timers().cancel(*this);
  core_->delist(*this);
}

void acquire_call::encode_values(std::string& out) {
  const bool queue = may_queue();
  if (queue && entry_.empty()) write_entry();
  unheard_ = !queue && !channel_.empty();
  append_lock_keys(out, key_);
  resp::append_bulk(out, id_);
  resp::append_bulk(out, std::chrono::duration_cast<std::chrono::milliseconds>(how_.ttl).count());
  resp::append_bulk(out, queue ? std::string_view{entry_} : std::string_view{});
  resp::append_bulk(out, how_.fence ? "1" : "0");
  resp::append_bulk(out, std::exchange(queued_before_, queue || queued_before_) ? "0" : "1");
  for (const std::string& each : what_->extra) resp::append_bulk(out, each);
}

void acquire_call::start(time_point now) {
  ++core_->counters().attempts;
  core_->enlist(*this);
  follow(machine_.start(now), now);
}

void acquire_call::follow(acquire_step step, time_point now) {
  if (step == acquire_step::done) return machine_.won() && how_.replicas.value != 0 ? replicate(now) : end(now);
  if (replicating_) return;  // what comes now belongs to a wait that is over
  if (machine_.queued() && !expecting) core_->expect_grant(*this);
  core_->timers().schedule(*this, std::min({machine_.wake_at(), invitations_.due, dismissals_.due}));
  if (step != acquire_step::ask || pending()) return;
  if (core_->nodes().is_quorum()) prepare_attempt(now);
  submit(now);
}

void acquire_call::replicate(time_point now) {
  abandon();
  core_->timers().schedule(*this, machine_.limit());
  const lock::flavour_ptr& kept_as = what_->held_as ? what_->held_as : what_;
  replicating_ =
      std::make_unique<replicate_call>(*core_, key_, id_, how_.ttl, how_.replicas, kept_as, machine_.limit(),
                                       [this](const result<lock::proof>& how, bool passes, time_point then) {
                                         const auto over = std::move(replicating_);  // it is running: let it end first
                                         if (!how)
                                           return follow(machine_.unconfirmed(then, how.failure(), passes), then);
                                         machine_.confirmed(*how);
                                         end(then);
                                       });
  replicating_->start(now);
}

void acquire_call::on_answer(const resp::value& reply, time_point now) {
  const auto read = lock::read_acquire(reply);
  if (read && read->what == lock::acquire_reply::kind::held && unheard_ && !std::exchange(listens_, true)) {
    return submit(now);
  }
  invitations_.heeded = !read || read->rank != 0;
  if (read) unreachable_since_.reset();
  if (read && !read->slots.empty()) what_ = lock::in_slots(*what_, read->slots);
  if (read) return follow(machine_.answered(now, sent_at(), *read), now);
  if (read.failure().code == errc::wrong_type) return name_the_type(read.failure(), now);
  follow(machine_.refused(now, read.failure()), now);
}

void acquire_call::name_the_type(const failure& why, time_point now) {
  type_ = std::make_unique<type_query>(*this, why);
  core_->nodes().submit(*type_, now);
}

void acquire_call::on_interrupted(const failure& why, time_point now) {
  if (why.sent == delivery::unanswered) unanswered_ = true;
  if (core_->closing()) return follow(machine_.cancel({errc::cancelled, "the client was closed"}), now);
  // Once may be an accident of the network; a server that does it again does not speak our language.
  if (why.code == errc::protocol && std::exchange(misunderstood_, true)) return follow(machine_.refused(now, why), now);
  follow(machine_.interrupted(now, why.sent), now);
}

void acquire_call::on_refused(const failure& why, time_point now) {
  // The connection cannot be had for now. A waiter that may still wait comes back here when it is given up for good.
  if (why.code == errc::cancelled) return follow(machine_.cancel(why), now);
  if (!core_->nodes().is_quorum() || why.code != errc::unreachable) return follow(machine_.refused(now, why), now);
  if (!unreachable_since_) unreachable_since_ = attempted_;
  const bool passes = now - *unreachable_since_ < core_->where().connect_timeout;
  follow(machine_.refused(now, why, passes), now);
}

// A vote may leave something behind on nodes that did not answer; what takes it back must not take back the next one's.
// So each attempt has an owner of its own, unless the caller has named one.
void acquire_call::prepare_attempt(time_point now) {
  if (attempted_ != time_point{} && core_->made(id_)) id_ = core_->make_owner();
  attempted_ = now;
  invitations_ = {};
}

void acquire_call::on_grant(std::uint64_t ticket, time_point now) {
  if (!core_->nodes().is_quorum()) return follow(machine_.pushed(now, ticket), now);
  // One node is free; the others are about to be. After a split everybody is invited, and would only split again.
  if (!invitations_.heeded || !machine_.queued()) return;
  if (++invitations_.count == 1) invitations_.due = now + invitation_window;
  const bool enough = invitations_.count >= lock::majority_of(core_->nodes().size());
  follow(enough ? machine_.pushed(now, 0) : acquire_step::wait, now);
}

void acquire_call::on_dismissal(std::uint64_t ticket, time_point now) {
  if (!core_->nodes().is_quorum()) return follow(machine_.dismissed(now, ticket), now);
  // One node has what we wait for; the others are about to. So many that it is there for whoever looks:
  if (++dismissals_.count >= lock::majority_of(core_->nodes().size())) {
    return follow(machine_.dismissed(now, ticket), now);
  }
  if (dismissals_.count == 1) dismissals_.due = now + invitation_window;
  follow(acquire_step::wait, now);
}

void acquire_call::on_up(time_point now) { follow(machine_.reconnected(now), now); }

void acquire_call::fire(time_point now) {
  if (replicating_) {
    replicating_.reset();
    machine_.forfeit(
        {errc::not_replicated, "its replicas did not confirm the lock before the wait limit; it was given back"});
    return end(now);
  }
  if (now >= dismissals_.due) {
    dismissals_.due = runtime::never;
    return follow(machine_.dismissed(now, quorum_ticket, true), now);
  }
  if (now >= invitations_.due) {
    invitations_.due = runtime::never;
    return follow(machine_.pushed(now, 0), now);
  }
  const bool over = machine_.asking() && now >= machine_.wake_at();
  const failure why = over ? core_->nodes().of(key_).silent({errc::unreachable, "the time limit passed"}) : failure{};
  follow(why.code == errc::protocol ? machine_.refused(now, why) : machine_.timer(now), now);
}

void acquire_call::cancel(const failure& why) {
  if (finished) return;
  if (replicating_) {
    replicating_.reset();
    machine_.forfeit(why);
    return end(runtime::boot_clock::now());
  }
  follow(machine_.cancel(why), runtime::boot_clock::now());
}

void acquire_call::end(time_point now) {
  const bool never_sent = pending() && !core_->nodes().sends(key_) && !unanswered_ && !machine_.contended();
  abandon();
  core_->timers().cancel(*this);
  core_->delist(*this);

  auto& count = core_->counters();
  if (machine_.contended()) ++count.contended;
  if (const auto& got = machine_.won()) {
    ++count.acquired;
    count.wait.record(now - machine_.started());
    if (got->through_queue) ++count.handoffs_received;
    if (machine_.contended()) ++(got->by_push ? count.woken_by_push : count.woken_by_timer);
  } else {
    const errc code = machine_.lost().code;
    ++count.errors[static_cast<std::size_t>(code)];
    if (code == errc::timed_out) ++count.timeouts;
    if (code == errc::cancelled) ++count.cancelled;
    // Not if it never left this process: an undo that waits for a connection would be the first the server hears of us.
    if (machine_.leave() && !never_sent) {
      release_call::detach(*core_, key_, id_, entry_, undo_limit, what_);
    }
  }
  if (on_done) return on_done(*this);
  core_->finish(*this);
}

}  // namespace holdfast::detail
