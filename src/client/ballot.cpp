#include "client/ballot.hpp"

#include "client/acquire_ballot.hpp"
#include "client/meet_ballot.hpp"
#include "client/release_ballot.hpp"
#include "client/renew_ballot.hpp"
#include "lock/quorum_majority.hpp"
#include "lock/server_error.hpp"
#include "resp/writer.hpp"

#include <algorithm>
#include <utility>

namespace holdfast::detail {

using runtime::time_point;
using std::chrono::milliseconds;

namespace {

// How often to look whether enough nodes are connected, while they are connecting.
constexpr milliseconds look_every{2};

}  // namespace

// Answers may destroy what they are given to, and with it us.
class ballot::scope {
 public:
  explicit scope(ballot& of) : of_{of} { ++of_.busy_; }
  ~scope() {
    if (--of_.busy_ == 0 && of_.withdrawn() && of_.slips_.empty()) delete &of_;
  }
  scope(const scope&) = delete;
  scope& operator=(const scope&) = delete;

 private:
  ballot& of_;
};

ballot::pointer ballot::make(core& owner, net::request& asker, matter what, const ballot* before) {
  // A note (leave.lua) is a nicety, and on a quorum would be one more thing for a majority to agree on.
  if (what.script == &scripts::leave) {
    what.script = &scripts::renew;
    what.args.resize(renew_ballot::common);
  }
  what.by = lock::voting_on(*what.script, what.args);
  if (what.by == nullptr) return nullptr;
  if (what.script == &scripts::meet_wait) return pointer{new meet_ballot{owner, asker, std::move(what), before}};
  if (what.script == what.by->asked_acquire) {
    return pointer{new acquire_ballot{owner, asker, std::move(what), before}};
  }
  if (what.script == what.by->asked_release) return pointer{new release_ballot{owner, &asker, std::move(what)}};
  return pointer{new renew_ballot{owner, asker, std::move(what)}};
}

ballot::ballot(core& owner, net::request* asker, matter what)
    : core_{owner}, asker_{asker}, what_{std::move(what)}, max_ttl_{std::to_string(owner.where().max_ttl.count())} {}

ballot::~ballot() {
  core_.rounds().cancel(*this);
  for (slip& each : slips_) each.abandon();
}

void ballot::start(time_point now) {
  const scope alive{*this};
  sent(now);
  gather_until_ = runtime::after(now, core_.where().connect_timeout);
  gather(now);
}

// Before the time of the lease begins to run, because it counts from the first sending: enough nodes to win with are
// connected, or cannot be within the asker's patience.
void ballot::gather(time_point now) {
  const auto& nodes = core_.nodes();
  std::size_t ready = 0;
  std::size_t hopeful = 0;
  for (std::size_t i = 0; i < size(); ++i) {
    ready += nodes.at(i).ready() ? 1 : 0;
    // What was opened and is idle again could not be reached.
    hopeful += nodes.at(i).hopeful() && !(opened_ && nodes.at(i).idle()) ? 1 : 0;
  }
  const std::size_t needed = lock::majority_of(size());
  const bool worth_waiting =
      gathers() && !withdrawn() && !core_.closing() && (hopeful >= needed || patient()) && now < gather_until_;
  if (ready < needed && worth_waiting) {
    for (std::size_t i = 0; i < size(); ++i) core_.nodes().at(i).open(now);  // those that nobody needed
    opened_ = true;
    return wake_at(now + look_every);
  }
  begun_ = true;
  begin(now);
}

void ballot::fire(time_point now) {
  const scope alive{*this};
  if (!begun_) return gather(now);
  decided_ ? drop_unsent(now) : limit_passed(now);
}

runtime::duration ballot::node_limit(runtime::duration ttl) const {
  return std::min<runtime::duration>(core_.where().node_timeout, ttl / 4);
}

void ballot::sent(time_point when) noexcept {
  if (asker_ != nullptr) take(*asker_, *this, when);
}

// ---- the nodes

void ballot::ask(purpose why, std::size_t node, time_point now) {
  net::connection& to = core_.nodes().at(node);
  if (core_.nodes().is_twin(node)) return failed(why, node, false, now);
  if (!to.hopeful() && !goes_on(now)) return failed(why, node, false, now);
  if (to.laden(now, core_.where().node_timeout)) return failed(why, node, false, now);
  slip& made = slips_.emplace_back(*this, why, node);
  made.self = std::prev(slips_.end());
  made.impatient = !goes_on(now);
  made.unawaited = decided_;
  to.submit(made, now);
}

void ballot::encode(slip& what, std::string& out) {
  const scripts::script& script = script_for(what.why);
  const std::string_view run_id = core_.nodes().at(what.node).identity().run_id;
  what.by_text = what_.by_text || !core_.known().has(what.node, run_id, script);
  encode(what.why, what.node, what.by_text, out);
}

void ballot::on_reply(slip& from, const resp::value& reply, time_point now) {
  const scope alive{*this};
  const purpose why = from.why;
  const std::size_t node = from.node;
  if (!from.by_text && reply.is_error() && lock::is_noscript(reply.text)) {
    core_.known().forget(node, script_for(why));
    // Nothing ran. Later it may come behind what must follow it.
    if (!decided_ || goes_on(now)) return core_.nodes().at(node).submit(from, now);
  }
  if (from.by_text && !reply.is_error()) {
    core_.known().learn(node, core_.nodes().at(node).identity().run_id, script_for(why));
  }
  slips_.erase(from.self);
  // Whoever was asked before it was known that it is another's second name.
  if (core_.nodes().is_twin(node)) return failed(why, node, true, now);
  answered(why, node, reply, now);
}

void ballot::on_failed(slip& from, bool may_have_run, bool was_sent, time_point now) {
  const scope alive{*this};
  const purpose why = from.why;
  const std::size_t node = from.node;
  if (was_sent && goes_on(now) && !core_.closing()) {
    core_.nodes().at(node).submit(from, now);
  } else {
    slips_.erase(from.self);
  }
  failed(why, node, may_have_run, now);
}

// ---- the asker

// For what was sent nobody waits; what was not is of use for a while, or of none.
void ballot::settle_slips(time_point now) {
  bool unsent = false;
  for (slip& each : slips_) {
    each.unawaited = true;
    unsent = unsent || !each.on_wire();
  }
  if (!unsent) return;
  if (now < useful_until()) return wake_at(useful_until());
  drop_unsent(now);
}

void ballot::drop_unsent(time_point now) {
  for (auto each = slips_.begin(); each != slips_.end();) {
    const auto at = each++;
    if (at->on_wire() || goes_on(now)) continue;
    at->abandon();
    slips_.erase(at);
  }
}

net::request* ballot::end_for_asker(time_point now) {
  decided_ = true;
  core_.rounds().cancel(*this);
  settle_slips(now);
  if (asker_ != nullptr) hand_back(*asker_);
  return asker_;
}

void ballot::decide(const resp::value& answer, time_point now) {
  if (decided_) return;
  if (net::request* const asker = end_for_asker(now)) asker->on_reply(answer, now);
}

void ballot::decide(std::string text, time_point now) {
  resp::value answer;
  answer.type = resp::kind::bulk;
  answer.text = std::move(text);
  decide(answer, now);
}

void ballot::decide(const failure& why, time_point now) {
  if (decided_) return;
  if (net::request* const asker = end_for_asker(now)) asker->on_refused(why, now);
}

void ballot::abandon(net::request& what) noexcept {
  const scope alive{*this};
  if (decided_) return;
  decided_ = true;
  core_.rounds().cancel(*this);
  settle_slips(runtime::boot_clock::now());
  hand_back(what);
}

void ballot::withdraw() noexcept {
  const scope alive{*this};
  if (asker_ != nullptr && !decided_) abandon(*asker_);
  asker_ = nullptr;
}

std::string ballot::waiting_words(std::string_view entry, std::string_view rank, std::string_view left,
                                  std::string_view who) {
  std::string out;
  if (entry.empty()) {
    out = "held ";
  } else {
    out.append("queued 1 ").append(rank).append(" ");
  }
  return out.append(left).append(" ").append(who);
}

// `keys` keys and `args` arguments are to follow.
void ballot::append_head(std::string& out, const scripts::script& script, bool by_text, std::size_t keys,
                         std::size_t args) {
  resp::append_array(out, 3 + keys + args);
  resp::append_bulk(out, by_text ? "EVAL" : "EVALSHA");
  resp::append_bulk(out, by_text ? script.source : script.sha1);
  resp::append_bulk(out, static_cast<std::int64_t>(keys));
}

void ballot::append_eval(std::string& out, const scripts::script& script, bool by_text,
                         std::initializer_list<std::string_view> keys, std::initializer_list<std::string_view> args,
                         std::span<const std::string> extra) {
  append_head(out, script, by_text, keys.size(), args.size() + extra.size());
  for (const std::string_view each : keys) resp::append_bulk(out, each);
  for (const std::string_view each : args) resp::append_bulk(out, each);
  for (const std::string& each : extra) resp::append_bulk(out, each);
}

}  // namespace holdfast::detail
