#include "client/round_ballot.hpp"

#include "resp/writer.hpp"

namespace holdfast::detail {

using runtime::time_point;

void node_round::run(core& owner, guard_type& guard, question what) {
  core_ = &owner;
  const ballot::pointer asked{new round_ballot{owner, *this, std::move(what)}};
  asked->start(runtime::boot_clock::now());
  if (!finished) owner.wait(guard, *this);
}

round_ballot::round_ballot(core& owner, node_round& asker, node_round::question what)
    : ballot{owner, &asker, {what.script, std::move(what.keys), std::move(what.args), false}},
      counter_{asker},
      limit_{what.limit},
      lasting_{what.lasting} {}

void round_ballot::begin(time_point now) {
  sent(now);
  wake_at(now + limit_);
  if (lasting_) useful_until_ = now + limit_;
  counter_.begun(now);
  for (std::size_t i = 0; i < size() && !decided(); ++i) ask(purpose::vote, i, now);
}

void round_ballot::encode(purpose why, std::size_t node, bool by_text, std::string& out) {
  append_head(out, script_for(why), by_text, what().keys.size(), 2 + what().args.size());
  for (const std::string& each : what().keys) resp::append_bulk(out, each);
  resp::append_bulk(out, owner().nodes().at(node).identity().run_id);
  resp::append_bulk(out, max_ttl());
  for (const std::string& each : what().args) resp::append_bulk(out, each);
}

// After the decision whoever counted may be gone.
void round_ballot::answered(purpose /*why*/, std::size_t node, const resp::value& reply, time_point now) {
  if (!decided() && counter_.answered(node, reply, now)) end(now);
}

void round_ballot::failed(purpose /*why*/, std::size_t node, bool /*sent*/, time_point now) {
  if (!decided() && counter_.failed(node)) end(now);
}

void round_ballot::limit_passed(time_point now) {
  counter_.limit_passed(now);
  end(now);
}

}  // namespace holdfast::detail
