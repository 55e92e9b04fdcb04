#include "client/round_call.hpp"

#include "lock/quorum_failures.hpp"

#include <utility>

namespace holdfast::detail {

round_call::round_call(core& owner, question asked, reader read)
    : core_{owner},
      asked_{std::move(asked)},
      read_{std::move(read)},
      round_{owner.nodes().size(), owner.where().node_timeout},
      replies_(owner.nodes().size()) {
  impatient = true;
}

lock::round_end round_call::run(guard_type& guard) {
  node_round::run(
      core_, guard,
      {&asked_.what, std::move(asked_.keys), std::move(asked_.args), core_.where().node_timeout, asked_.lasting});
  return round_.end();
}

bool round_call::answered(std::size_t node, const resp::value& reply, runtime::time_point /*now*/) {
  const auto word = read_(reply);
  if (!word) {
    problem_ = word.failure();
    return failed(node);
  }
  replies_[node] = reply;
  return round_.says(node, *word) != lock::round_end::open;
}

std::vector<const resp::value*> round_call::replies() const {
  std::vector<const resp::value*> out;
  out.reserve(replies_.size());
  for (const resp::value& each : replies_) out.push_back(&each);
  for (const std::size_t none : round_.unheard()) out[none] = nullptr;
  return out;
}

std::vector<const resp::value*> round_call::agreeing() const {
  std::vector<const resp::value*> out;
  for (const std::size_t each : round_.saying(round_.word())) out.push_back(&replies_[each]);
  return out;
}

failure round_call::problem() const { return lock::too_few_answers(round_.answers(), round_.size(), problem_); }

}  // namespace holdfast::detail
