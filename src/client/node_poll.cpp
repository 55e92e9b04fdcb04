#include "client/node_poll.hpp"

#include "lock/quorum_majority.hpp"
#include "lock/server_error.hpp"
#include "resp/writer.hpp"

#include <utility>

namespace holdfast::detail {

using runtime::time_point;

node_poll::node_poll(core& owner, const scripts::script& what, const std::vector<std::string>& keys, hearer tell)
    : core_{owner}, what_{what}, keys_{keys.size()}, tell_{std::move(tell)}, due_{owner.nodes().size()} {
  resp::append_bulk(words_, static_cast<std::int64_t>(keys.size()));
  for (const std::string& each : keys) resp::append_bulk(words_, each);
}

node_poll::~node_poll() {
  core_.timers().cancel(*this);
  for (slip& each : slips_) each.abandon();
}

void node_poll::run(guard_type& guard) {
  const time_point now = runtime::boot_clock::now();
  const auto& how = core_.where();
  std::size_t ready = 0;
  for (std::size_t i = 0; i < core_.nodes().size(); ++i) ready += core_.nodes().at(i).ready() ? 1 : 0;
  const bool connected = ready >= lock::majority_of(core_.nodes().size());
  core_.timers().schedule(*this, now + (connected ? how.command_timeout : how.connect_timeout));
  for (std::size_t i = 0; i < core_.nodes().size() && !finished; ++i) {
    if (core_.nodes().is_twin(i)) {
      hear(failure{errc::unreachable, "a node is another's second name"});
    } else {
      core_.nodes().at(i).submit(slips_.emplace_back(*this, i), now);
    }
  }
  core_.wait(guard, *this);
}

void node_poll::encode(const slip& what, std::string& out) const {
  resp::append_array(out, 3 + keys_);
  resp::append_bulk(out, what.by_text ? "EVAL" : "EVALSHA");
  resp::append_bulk(out, what.by_text ? what_.source : what_.sha1);
  out.append(words_);
}

void node_poll::on_reply(slip& from, const resp::value& reply, time_point now) {
  if (!from.by_text && reply.is_error() && lock::is_noscript(reply.text)) {
    from.by_text = true;  // nothing ran
    return core_.nodes().at(from.node).submit(from, now);
  }
  // Whoever was asked before it was known that it is another's second name.
  if (core_.nodes().is_twin(from.node)) return hear(failure{errc::unreachable, "a node is another's second name"});
  hear(reply);
}

// A link may have been dead for long when it is first used again.
void node_poll::on_interrupted(slip& from, const failure& why, time_point now) {
  if (finished || core_.closing() || why.code == errc::protocol || std::exchange(from.repeated, true)) return hear(why);
  core_.nodes().at(from.node).submit(from, now);
}

void node_poll::hear(const result<resp::value>& reply) {
  if (finished) return;
  --due_;
  const bool enough = tell_(reply);
  if (enough || due_ == 0) core_.finish(*this);
}

void node_poll::fire(time_point /*now*/) {
  if (!finished) core_.finish(*this);
}

}  // namespace holdfast::detail
