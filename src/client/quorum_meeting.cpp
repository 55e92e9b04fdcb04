#include "client/quorum_meeting.hpp"

#include "client/acquire_call.hpp"
#include "client/meeting_rounds.hpp"
#include "client/release_call.hpp"
#include "lock/names.hpp"
#include "lock/quorum_failures.hpp"
#include "lock/server_error.hpp"

#include <algorithm>
#include <thread>
#include <utility>

namespace holdfast::detail {

using lock::quorum_reading;
using runtime::boot_clock;
using runtime::time_point;
using std::chrono::duration_cast;
using std::chrono::milliseconds;

namespace {

// Long enough for two rounds on a slow day; what a writer that dies costs the others.
constexpr milliseconds guard_ttl{2000};
// Looks without the guard: a writing that is on its way is over by the next.
constexpr int looks = 4;

std::string count_ms(runtime::duration what) { return std::to_string(duration_cast<milliseconds>(what).count()); }

}  // namespace

struct quorum_meeting::held_guard {
  std::string owner;
  std::uint64_t fence;
  time_point deadline;
};

struct quorum_meeting::reading {
  quorum_reading how = quorum_reading::failed;
  std::uint64_t version = 0;
  std::optional<lock::meeting_state> state{};
  std::uint64_t clock = 0;  // µs
  bool more = false;
  std::optional<failure> problem{};  // FAILED: why, if it is known and taking the guard would not help
};

// A number that is open until its arrival has ended, and with it what the nodes need to remember.
class quorum_meeting::open_number {
 public:
  explicit open_number(quorum_meeting& of) : of_{of} {
    const std::lock_guard lock{of_.numbers_guard_};
    number_ = ++of_.last_number_;
    of_.open_.insert(number_);
    oldest_ = *of_.open_.begin();
  }
  ~open_number() {
    const std::lock_guard lock{of_.numbers_guard_};
    of_.open_.erase(number_);
  }
  open_number(const open_number&) = delete;
  open_number& operator=(const open_number&) = delete;
  [[nodiscard]] std::uint64_t number() const noexcept { return number_; }
  [[nodiscard]] std::uint64_t oldest() const noexcept { return oldest_; }

 private:
  quorum_meeting& of_;
  std::uint64_t number_ = 0;
  std::uint64_t oldest_ = 0;
};

quorum_meeting::quorum_meeting(std::shared_ptr<core> owner, std::string key)
    : core_{std::move(owner)}, key_{std::move(key)}, guard_{lock::guard_key(key_)} {}

std::uint64_t quorum_meeting::object() {
  const auto guard = core_->lock();
  if (object_ == 0) object_ = core_->random().number();
  return object_;
}

lock::arrival_terms quorum_meeting::terms_of(const arrival& what) const {
  return {.kind = what.kind,
          .expected = static_cast<std::uint64_t>(what.expected),
          .made = what.made,
          .seen = seen_.load(),
          .count = static_cast<std::uint64_t>(what.count),
          .drops = what.drops,
          .remembered = what.remembered};
}

result<lock::meet_reply> quorum_meeting::count(const arrival& what, runtime::duration limit) {
  const time_point until = boot_clock::now() + limit;
  lock::arrival_terms terms = terms_of(what);
  std::optional<open_number> mine;
  if (what.count > 0) {
    mine.emplace(*this);
    terms.id = lock::arrival_id{object(), mine->number()};
    terms.oldest = mine->oldest();
  }
  for (int i = 0; what.count == 0 && i < looks && boot_clock::now() < until; ++i) {
    if (i > 0) pause();
    if (const answer seen = look(what, false)) return *seen;
  }
  for (bool sent = false;; pause()) {
    if (const answer done = attempt(what, terms, until, sent)) return *done;
  }
}

void quorum_meeting::settle(const arrival& what, runtime::duration limit) {
  if (look(what, true)) return;
  bool sent = false;
  static_cast<void>(attempt(what, terms_of(what), boot_clock::now() + limit, sent));
}

quorum_meeting::answer quorum_meeting::look(const arrival& what, bool write_back) {
  const lock::arrival_terms terms =
      terms_of(what);  // what was seen before: others of this object may see more meanwhile
  reading now = read(what, nullptr);
  if (now.problem) return *now.problem;
  if (now.how != quorum_reading::agreed || (!now.state && what.made == 0)) return std::nullopt;
  const auto counted = lock::count(now.state, now.version, terms, now.version, now.clock);
  if (!counted) return counted.failure();
  saw(now.version);
  if (write_back) static_cast<void>(write(what, *now.state, now.version, nullptr));
  lock::meet_reply told = counted->told;
  told.more = now.more;
  return told;
}

quorum_meeting::answer quorum_meeting::attempt(const arrival& what, const lock::arrival_terms& terms, time_point until,
                                               bool& sent) {
  const auto refused = [&sent](failure why) {
    why.sent = sent ? delivery::unanswered : delivery::not_sent;  // a guard that was not had counts nothing
    return answer{std::move(why)};
  };
  auto guard = take_guard(until);
  if (!guard) return refused(guard.failure());
  reading now = read(what, &*guard);
  if (now.how == quorum_reading::failed) {
    give_back(*guard);
    const bool passes = !now.problem || now.problem->code == errc::unreachable || lock::is_passing(now.problem->code);
    if (passes && boot_clock::now() < until) return std::nullopt;
    return refused(now.problem.value_or(failure{errc::unreachable, "no majority of the nodes answered in time"}));
  }
  // Above what was read in any case, whatever the counters of the fences have gone through.
  const std::uint64_t next = std::max(guard->fence, now.version + 1);
  const auto counted = lock::count(now.state, now.version, terms, next, now.clock);
  if (!counted || (!counted->changed && now.how == quorum_reading::agreed)) {
    give_back(*guard);
    if (!counted) return refused(counted.failure());
    saw(now.version);
    return counted->told;
  }
  // Also where nothing changes but the nodes differ: what is told must be on a majority first.
  sent = sent || what.count > 0;
  const auto more = write(what, *now.state, next, &*guard);
  if (!more) {
    give_back(*guard);
    if (boot_clock::now() < until) return std::nullopt;
    return refused({errc::unreachable, "no majority of the nodes has confirmed it in time"});
  }
  saw(next);
  lock::meet_reply told = counted->told;
  told.more = *more;
  return told;
}

result<quorum_meeting::held_guard> quorum_meeting::take_guard(time_point until) {
  auto guard = core_->lock();
  const time_point now = boot_clock::now();
  lock::terms how;
  how.ttl = std::min<runtime::duration>(guard_ttl, core_->where().max_ttl);
  how.forever = false;
  how.wait = std::max<runtime::duration>(until - now, milliseconds{1});
  how.renew = false;
  acquire_call call{*core_, guard_, core_->make_owner(), how};
  call.start(now);
  core_->wait(guard, call);
  if (const auto& won = call.machine().won()) {
    return held_guard{call.id(), won->fence, lock::deadline_of(won->held, how.stop_margin)};
  }
  failure why = call.machine().lost();
  if (why.code == errc::timed_out) {
    why = {errc::server_busy, "too many arrive at once, or the nodes are too slow for them; " + why.detail};
  }
  return why;
}

void quorum_meeting::give_back(const held_guard& what) {
  auto guard = core_->lock();
  release_call::detach(*core_, guard_, what.owner, {}, guard_ttl, lock::plain());
  core_->settle(guard);
}

quorum_meeting::reading quorum_meeting::read(const arrival& what, const held_guard* under) {
  auto guard = core_->lock();
  if (core_->closing()) return {.problem = failure{errc::cancelled, "the client is closed"}};
  const std::size_t nodes = core_->nodes().size();
  read_round round{nodes, under != nullptr ? under->deadline : runtime::never};
  round.run(*core_, guard,
            {&scripts::quorum_meet_read,
             {key_, lock::waiters_key(key_), guard_, std::string{lock::seat_key}},
             {std::string{lock::to_string(what.kind)}, count_ms(what.ttl), under != nullptr ? under->owner : ""},
             core_->where().node_timeout});
  reading out{.how = round.how, .version = round.machine.version()};
  if (out.how == quorum_reading::failed && !round.unseated) {
    out.problem = lock::too_few_answers(round.machine.answers(), nodes, round.problem);
  }
  if (out.problem && out.problem->code == errc::wrong_type) out.problem = lock::not_a_meeting(key_, what.kind);
  if (out.how == quorum_reading::failed) return out;
  std::vector<std::uint64_t> clocks;
  for (const auto& each : round.copies) {
    if (!each) continue;
    clocks.push_back(each->clock);
    out.more = out.more || each->more;
  }
  out.clock = lock::middle_of(std::move(clocks));
  if (out.version != 0) out.state = std::move(round.copies[round.machine.node()]->what);
  return out;
}

// Whether waiters are still to be told; none: a majority has not got it.
std::optional<bool> quorum_meeting::write(const arrival& what, const lock::meeting_state& state, std::uint64_t version,
                                          const held_guard* under) {
  auto guard = core_->lock();
  if (core_->closing()) return std::nullopt;
  std::vector<std::string> args{under != nullptr ? under->owner : "", std::to_string(version),
                                count_ms(state.is_over() ? what.remembered : what.ttl)};
  for (std::string& each : lock::write_fields(state)) args.push_back(std::move(each));
  write_round round{core_->nodes().size(), under != nullptr ? under->deadline : time_point{}, under != nullptr};
  round.run(*core_, guard,
            {&scripts::quorum_meet_write,
             {guard_, lock::waiters_key(guard_), key_, lock::waiters_key(key_), std::string{lock::seat_key}},
             std::move(args),
             core_->where().node_timeout,
             true});
  if (!round.written) return std::nullopt;
  ++core_->counters().released;
  return round.more;
}

// Those who meet part again.
void quorum_meeting::pause() {
  auto guard = core_->lock();
  const auto length = core_->random().between(milliseconds{1}, milliseconds{8});
  guard.unlock();
  std::this_thread::sleep_for(length);
}

void quorum_meeting::saw(std::uint64_t version) noexcept {
  for (std::uint64_t known = seen_.load(); known < version && !seen_.compare_exchange_weak(known, version);) {
  }
}

}  // namespace holdfast::detail
