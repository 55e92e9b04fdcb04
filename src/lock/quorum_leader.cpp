#include "lock/quorum_leader.hpp"

#include "lock/quorum_failures.hpp"
#include "lock/quorum_majority.hpp"
#include "lock/server_error.hpp"

#include <algorithm>
#include <functional>
#include <utility>

namespace holdfast::lock {

using std::chrono::milliseconds;

result<leader_vote> read_leader_vote(const resp::value& reply) {
  if (reply.is_error()) return server_error(reply.text);
  const auto& items = reply.items;
  if (reply.is_list() && items.empty()) return leader_vote{};
  if (reply.is_list() && items.size() == 3 && items[0].is_text() && items[1].type == resp::kind::integer &&
      items[2].is_text()) {
    return leader_vote{items[0].text, milliseconds{items[1].integer}, items[2].text};
  }
  return failure{errc::protocol, "the answer to quorum_leader_look is not one that the script can give"};
}

void quorum_leader::answered(const leader_vote& vote) {
  --due_;
  ++answers_;
  if (vote.owner.empty()) return;
  votes& theirs = by_owner_[vote.owner];
  theirs.left.push_back(std::max(vote.left, milliseconds{0}));
  auto who = read_leader(vote.record);
  if (!who || who->owner != vote.owner) return;
  if (!theirs.who || who->term > theirs.who->term) theirs.who = std::move(who);
}

void quorum_leader::failed(const failure& why) {
  --due_;
  if (!problem_ && why.code != errc::unreachable) problem_ = why;
}

const std::pair<const std::string, quorum_leader::votes>* quorum_leader::foremost() const noexcept {
  const auto found = std::max_element(by_owner_.begin(), by_owner_.end(), [](const auto& a, const auto& b) {
    return a.second.left.size() < b.second.left.size();
  });
  return found == by_owner_.end() ? nullptr : &*found;
}

bool quorum_leader::decided() const {
  if (due_ == 0) return true;
  const std::size_t needed = majority_of(nodes_);
  if (answers_ + due_ < needed) return true;
  const auto* const first = foremost();
  const std::size_t most = first == nullptr ? 0 : first->second.left.size();
  if (most >= needed) return first->second.who.has_value();
  return answers_ >= needed && most + silent() < needed;
}

result<leader_look> quorum_leader::answer() const {
  const std::size_t needed = majority_of(nodes_);
  if (answers_ < needed) return too_few_answers(answers_, nodes_, problem_);
  const auto* const first = foremost();
  if (first == nullptr) return leader_look{};
  const votes& theirs = first->second;
  if (theirs.left.size() >= needed) {
    if (!theirs.who) return leader_look{std::nullopt, false};
    leader out = *theirs.who;
    auto left = theirs.left;
    std::sort(left.begin(), left.end(), std::greater<>{});
    out.remaining = left[needed - 1];
    return leader_look{std::move(out), true};
  }
  if (theirs.left.size() + silent() < needed) return leader_look{};
  const std::string of = std::to_string(answers_) + " of " + std::to_string(nodes_) + " nodes answered";
  return failure{errc::unreachable, of + ", and " + std::to_string(theirs.left.size()) + " of them vote for " +
                                        first->first + ": whether it leads is with those that did not answer"};
}

}  // namespace holdfast::lock
