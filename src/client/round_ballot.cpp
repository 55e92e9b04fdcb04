#include "client/round_ballot.hpp"

#include "resp/writer.hpp"

namespace holdfast::detail {

using runtime::time_point;

void node_round::run(core& owner, guard_type& guard, question what) {
  core_ = &owner;
  const ballot::pointer asked{
      new round_ballot{owner,
                       *this,
                       {what.script, std::move(what.keys), std::move(what.args), false, nullptr},
                       what.limit,
                       what.for_all}};
  asked->start(runtime::boot_clock::now());
  owner.wait(guard, *this);
}

round_ballot::round_ballot(core& owner, node_round& asker, matter what, runtime::duration limit, bool for_all)
    : ballot{owner, &asker, std::move(what)},
      counter_{asker},
      max_ttl_{std::to_string(owner.where().max_ttl.count())},
      limit_{limit},
      for_all_{for_all} {}

void round_ballot::begin(time_point now) {
  sent(now);
  wake_at(now + limit_);
  if (for_all_) useful_until_ = now + limit_;
  for (std::size_t i = 0; i < size() && !decided(); ++i) ask(purpose::vote, i, now);
}

void round_ballot::encode(purpose why, std::size_t node, bool by_text, std::string& out) {
  const scripts::script& script = script_for(why);
  resp::append_array(out, 5 + what().keys.size() + what().args.size());
  resp::append_bulk(out, by_text ? "EVAL" : "EVALSHA");
  resp::append_bulk(out, by_text ? script.source : script.sha1);
  resp::append_bulk(out, static_cast<std::int64_t>(what().keys.size()));
  for (const std::string& each : what().keys) resp::append_bulk(out, each);
  resp::append_bulk(out, owner().nodes().at(node).identity().run_id);
  resp::append_bulk(out, max_ttl_);
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
  counter_.limit_passed();
  end(now);
}

}  // namespace holdfast::detail
