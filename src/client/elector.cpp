// holdfast::elector: a mutex with a record of who holds it. The record is written after the election, renewed and removed
// with the lock by scripts of the elector's own (lock/flavour.hpp; on a quorum, lock/voting.hpp).
#include <holdfast/elector.hpp>

#include "client/acquire_blocking.hpp"
#include "client/batch.hpp"
#include "client/lease_access.hpp"
#include "client/prepare.hpp"
#include "client/unexpected.hpp"
#include "lock/leader_record.hpp"
#include "lock/names.hpp"
#include "lock/server_error.hpp"
#include "runtime/quiet_thread.hpp"

#include <condition_variable>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

namespace holdfast {

using detail::core;

namespace {

// After a failure that may pass: the connection has its own pauses, this one only keeps from spinning.
constexpr std::chrono::milliseconds retry_pause{200};

// Whether campaigning again may help.
bool may_pass(errc code) {
  switch (code) {
    case errc::unreachable:
    case errc::server_busy:
    case errc::read_only:
    case errc::out_of_memory:
    case errc::timed_out:
    case errc::protocol:
    case errc::not_replicated:
      return true;
    default:
      return false;
  }
}

void wait_for(const std::stop_token& stop, std::optional<std::chrono::milliseconds> limit = {}) {
  std::mutex mutex;
  std::condition_variable_any never;
  std::unique_lock lock{mutex};
  if (limit) {
    never.wait_for(lock, stop, *limit, [] { return false; });
  } else {
    never.wait(lock, stop, [] { return false; });
  }
}

}  // namespace

std::string_view to_string(deposition why) noexcept {
  switch (why) {
    case deposition::lost:
      return "lost";
    case deposition::resigned:
      return "resigned";
    case deposition::stopped:
      return "stopped";
  }
  return "unknown";
}

struct elector::state {
  state(client& redis, std::string_view of, elector_options with)
      : owner{detail::lease_access::core_of(redis)}, name{of}, how{std::move(with)} {}

  std::shared_ptr<core> owner;
  const std::string name;
  const elector_options how;
  std::string key{};
  lock::flavour_ptr flavour{};

  std::mutex guard{};
  lease* current = nullptr;  // of the leadership that runs
  std::optional<std::stop_source> over{};
  std::uint64_t last_term = 0;

  std::optional<std::stop_source> campaign{};  // of start()
  std::thread thread{};

  options lock_options(const std::stop_token& stop) const {
    return {.ttl = how.ttl, .stop_margin = how.stop_margin, .stop = stop};
  }

  [[nodiscard]] bool on_quorum() const noexcept { return owner->where().deployment == deployment::quorum; }

  // What the lock is kept and released with: the key of the record; on a quorum also the record, once there is one.
  [[nodiscard]] lock::flavour_ptr flavour_with(std::string record) const {
    std::vector<std::string> extra{lock::leader_key(key)};
    if (on_quorum()) extra.push_back(std::move(record));
    return std::make_shared<const lock::flavour>(lock::flavour{
        .release = &scripts::elector_release, .renew = &scripts::elector_renew, .extra = std::move(extra), .mark = {}});
  }

  // A failure: it is not ours any more, or nobody can be told.
  std::optional<failure> announce(lease& held) {
    const leader me{how.id, std::string{held.owner()}, held.fence(), {}};
    return on_quorum() ? announce_to_nodes(held, me) : announce(held, me);
  }

  // Every renewal carries the record (quorum_leader_renew.lua); the first, at once, is the announcement.
  std::optional<failure> announce_to_nodes(lease& held, const leader& me) {
    {
      auto locked = owner->lock();
      detail::lease_access::held(held)->keep_as(flavour_with(lock::write_leader(me)));
    }
    auto told = held.extend(std::nothrow, how.ttl);
    for (int again = 0; again < 2 && !told && told.code() == errc::unreachable; ++again) {
      told = held.extend(std::nothrow, how.ttl);
    }
    return told ? std::nullopt : std::optional{told.failure()};
  }

  std::optional<failure> announce(const lease& held, const leader& me) {
    auto locked = owner->lock();
    detail::batch asked{*owner, true};
    asked.add_script(scripts::elector_announce, {key, lock::leader_key(key)}, {held.owner(), lock::write_leader(me)});
    if (auto problem = asked.run(locked)) return problem;
    const resp::value& reply = asked.reply(0);
    if (reply.is_error()) return lock::server_error(reply.text);
    if (reply.integer == 1) return std::nullopt;
    return failure{errc::lost, "the leadership of " + name + " was lost before it could be announced"};
  }

  // One leadership, from the election to its end. False: it could not be announced.
  bool serve(lease held, const std::stop_token& stop, const std::function<void(std::uint64_t, std::stop_token)>& lead) {
    std::stop_source ends;
    held.on_lost([ends](const loss& /*what*/) mutable { ends.request_stop(); });
    if (announce(held)) return false;
    const std::uint64_t term = held.fence();
    {
      const std::lock_guard lock{guard};
      current = &held;
      over = ends;
      last_term = term;
    }
    // However `lead` ends, nobody asks about this lease after it.
    struct clearing {
      state& of;
      ~clearing() {
        const std::lock_guard lock{of.guard};
        of.current = nullptr;
        of.over.reset();
      }
    };
    {
      const clearing clear{*this};
      const std::stop_callback on_stop{stop, [&ends] { ends.request_stop(); }};
      lead(term, ends.get_token());
    }
    static_cast<void>(held.release());
    return true;
  }

  void run(const std::stop_token& stop, const std::function<void(std::uint64_t, std::stop_token)>& lead) {
    while (!stop.stop_requested()) {
      auto got = detail::acquire_blocking(owner, name, lock_options(stop), true, flavour);
      if (!got) {
        if (stop.stop_requested()) return;
        if (!may_pass(got.code())) throw error{got.failure()};
        wait_for(stop, retry_pause);
        continue;
      }
      if (!serve(std::move(*got), stop, lead)) wait_for(stop, retry_pause);
    }
  }

  // A term of start(): the callbacks around a wait.
  void lead_by_callbacks(std::uint64_t term, const std::stop_token& ends, const std::stop_token& stop) {
    bool resigned = false;
    try {
      if (how.elected) how.elected(term, ends);
      wait_for(ends);
    } catch (...) {
      resigned = true;  // whoever cannot lead lets others
    }
    deposition why = resigned ? deposition::resigned : deposition::lost;
    {
      const std::lock_guard lock{guard};
      if (current != nullptr && current->state() != lease_state::LOST) {
        why = stop.stop_requested() ? deposition::stopped : deposition::resigned;
      }
    }
    try {
      if (how.deposed) how.deposed(term, why);
    } catch (...) {  // NOLINT(bugprone-empty-catch): it was told; what it makes of that is its own affair
    }
  }
};

elector::elector(client& redis, std::string_view name, elector_options how)
    : state_{std::make_unique<state>(redis, name, std::move(how))} {
  if (state_->how.id.size() > lock::longest_leader_id) {
    throw error{failure{errc::bad_option,
                        "the id has " + std::to_string(state_->how.id.size()) + " bytes; at most 1024 are allowed"}};
  }
  const auto kind = detail::unless_quorum(*state_->owner, "an elector");
  state_->key = detail::prepare(*state_->owner, name, state_->lock_options({}), true, kind).value().key;
  state_->flavour = state_->flavour_with({});
}

elector::~elector() { stop(); }

void elector::run(const std::stop_token& stop,
                  const std::function<void(std::uint64_t term, std::stop_token over)>& lead) {
  state_->run(stop, lead);
}

lease elector::campaign(const std::stop_token& stop, std::optional<std::chrono::milliseconds> wait) {
  return std::move(campaign(std::nothrow, stop, wait).value());
}

result<lease> elector::campaign(std::nothrow_t, const std::stop_token& stop,
                                std::optional<std::chrono::milliseconds> wait) noexcept try {
  options how = state_->lock_options(stop);
  const bool waits = !wait || *wait > std::chrono::milliseconds{0};
  if (waits) how.wait = wait;
  auto got = detail::acquire_blocking(state_->owner, state_->name, how, waits, state_->flavour);
  if (!got) return got;
  if (const auto problem = state_->announce(*got)) return *problem;  // a leader of whom nobody can be told is none
  return got;
} catch (const std::exception& problem) {
  return detail::unexpected(problem);
}

void elector::start() {
  if (state_->thread.joinable()) throw error{failure{errc::bad_option, "the elector has been started already"}};
  state_->campaign.emplace();
  state_->thread = runtime::start_quiet_thread([at = state_.get(), stop = state_->campaign->get_token()] {
    const auto lead = [&](std::uint64_t term, const std::stop_token& ends) { at->lead_by_callbacks(term, ends, stop); };
    while (!stop.stop_requested()) {
      try {
        at->run(stop, lead);
      } catch (const std::exception&) {
        if (at->owner->is_foreign()) return;
        wait_for(stop, retry_pause);  // refused for now; an operator may mend it
      }
    }
  });
}

void elector::stop() noexcept {
  if (!state_->thread.joinable()) return;
  if (state_->owner->is_foreign()) {
    new (&state_->thread) std::thread{};  // it does not exist here: neither to be joined nor to be ended
    return;
  }
  state_->campaign->request_stop();
  state_->thread.join();
}

void elector::resign() noexcept {
  std::optional<std::stop_source> ends;
  {
    const std::lock_guard lock{state_->guard};
    ends = state_->over;
  }
  if (ends) ends->request_stop();
}

bool elector::leads() const noexcept {
  const std::lock_guard lock{state_->guard};
  return state_->current != nullptr && !state_->over->stop_requested() && state_->current->state() != lease_state::LOST;
}

std::uint64_t elector::term() const noexcept {
  const std::lock_guard lock{state_->guard};
  return state_->last_term;
}

}  // namespace holdfast
