#include "client/round_call.hpp"

#include "lock/quorum_failures.hpp"
#include "resp/writer.hpp"

#include <utility>

namespace holdfast::detail {

using lock::round_end;
using runtime::time_point;

// What outlives the caller: the requests that are under way.
class round_ballot final : public ballot {
 public:
  round_ballot(core& owner, net::request& asker, round_call::question asked, round_call::reader read)
      : ballot{owner, &asker, {&asked.what, std::move(asked.keys), std::move(asked.args), false}},
        round{owner.nodes().size(), owner.where().node_timeout},
        replies(owner.nodes().size()),
        read_{std::move(read)},
        lasting_{asked.lasting},
        max_ttl_{std::to_string(owner.where().max_ttl.count())} {}

  lock::quorum_round round;
  std::vector<resp::value> replies;
  std::optional<failure> problem;  // what a node refused it for

 private:
  void begin(time_point now) override {
    sent(now);
    round.start(now);
    wake_at(round.wake_at());
    for (std::size_t i = 0; i < size() && !decided(); ++i) ask(purpose::vote, i, now);
  }

  [[nodiscard]] const scripts::script& script_for(purpose /*why*/) const noexcept override { return *what().script; }

  void encode(purpose /*why*/, std::size_t node, bool by_text, std::string& out) override {
    const auto& script = *what().script;
    resp::append_array(out, 5 + what().keys.size() + what().args.size());
    resp::append_bulk(out, by_text ? "EVAL" : "EVALSHA");
    resp::append_bulk(out, by_text ? script.source : script.sha1);
    resp::append_bulk(out, static_cast<std::int64_t>(what().keys.size()));
    for (const std::string& each : what().keys) resp::append_bulk(out, each);
    resp::append_bulk(out, owner().nodes().at(node).identity().run_id);
    resp::append_bulk(out, max_ttl_);
    for (const std::string& each : what().args) resp::append_bulk(out, each);
  }

  void answered(purpose /*why*/, std::size_t node, const resp::value& reply, time_point now) override {
    if (decided()) return;
    const auto word = read_(reply);
    if (!word) {
      problem = word.failure();
      return follow(round.failed(node), now);
    }
    replies[node] = reply;
    follow(round.says(node, *word), now);
  }

  void failed(purpose /*why*/, std::size_t node, bool /*sent*/, time_point now) override {
    if (!decided()) follow(round.failed(node), now);
  }
  void limit_passed(time_point now) override { follow(round.timer(now), now); }
  [[nodiscard]] bool gathers() const noexcept override { return true; }
  [[nodiscard]] time_point useful_until() const noexcept override { return lasting_ ? round.limit() : time_point{}; }

  void follow(round_end end, time_point now) {
    if (end != round_end::open) decide(resp::value{}, now);
  }

  const round_call::reader read_;
  const bool lasting_;
  const std::string max_ttl_;
};

round_call::round_call(core& owner, question asked, reader read)
    : core_{owner}, ballot_{new round_ballot{owner, *this, std::move(asked), std::move(read)}}, pointer_{ballot_} {
  impatient = true;
}

round_call::~round_call() = default;

lock::round_end round_call::run(guard_type& guard) {
  ballot_->start(runtime::boot_clock::now());
  if (!finished) core_.wait(guard, *this);
  return round().end();
}

void round_call::on_reply(const resp::value& /*reply*/, time_point /*now*/) { core_.finish(*this); }

const lock::quorum_round& round_call::round() const noexcept { return ballot_->round; }

std::vector<const resp::value*> round_call::replies() const {
  std::vector<const resp::value*> out;
  for (const resp::value& each : ballot_->replies) out.push_back(&each);
  for (const std::size_t none : round().unheard()) out[none] = nullptr;
  return out;
}

std::vector<const resp::value*> round_call::agreeing() const {
  std::vector<const resp::value*> out;
  for (const std::size_t each : round().saying(round().word())) out.push_back(&ballot_->replies[each]);
  return out;
}

failure round_call::problem() const {
  return lock::too_few_answers(round().answers(), round().size(), ballot_->problem);
}

}  // namespace holdfast::detail
