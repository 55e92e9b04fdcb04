#include "client/answers.hpp"

#include "client/held_lease.hpp"
#include "lock/names.hpp"
#include "resp/writer.hpp"

#include <algorithm>
#include <string_view>
#include <unordered_map>

namespace holdfast::detail {

using runtime::time_point;
using std::chrono::duration_cast;
using std::chrono::microseconds;

namespace {

lock::told_item describe(const held_lease& held, std::uint64_t number, time_point now) {
  const auto left = std::max(held.machine().deadline() - now, runtime::duration{0});
  return {number, held.fence(), duration_cast<microseconds>(now - held.machine().since()),
          duration_cast<microseconds>(left), held.state(now)};
}

}  // namespace

answers::~answers() {
  for (told& each : slots_) each.abandon();
}

void answers::answer(const lock::ask_message& ask, held_lease* leases, time_point now) {
  const auto slot = std::find_if(slots_.begin(), slots_.end(), [](const told& each) { return !each.pending(); });
  if (slot == slots_.end() || leases == nullptr || !core_.nodes().of({}).ready()) return;
  // One walk over the leases, however many are asked about; owners are nearly unique.
  std::unordered_multimap<std::string_view, std::size_t> wanted;
  for (std::size_t i = 0; i < ask.about.size(); ++i) wanted.emplace(ask.about[i].owner, i);
  std::vector<lock::told_item> items;
  for (held_lease* each = leases; each != nullptr; each = each->next) {
    const auto [from, to] = wanted.equal_range(each->id());
    for (auto at = from; at != to; ++at) {
      if (ask.about[at->second].key != each->key() || each->state(now) == lease_state::LOST) continue;
      items.push_back(describe(*each, ask.first + at->second, now));
    }
  }
  if (items.empty()) return;
  if (items.size() > lock::most_asked) items.resize(lock::most_asked);  // the same lock asked about many times
  slot->command.clear();
  resp::append_command(slot->command, "PUBLISH", lock::inbox_channel(ask.inbox), lock::write_told(items));
  core_.nodes().submit(*slot, now);
}

}  // namespace holdfast::detail
