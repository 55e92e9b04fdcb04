// What the scripts of a quorum's node answer, read into structs (src/scripts/quorum_*.lua). As in replies.hpp, anything
// else is `protocol`; for a quorum that is a vote against, like every other failure of a node.
#pragma once

#include <holdfast/result.hpp>

#include "lock/slot_tally.hpp"
#include "resp/value.hpp"

#include <chrono>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace holdfast::lock {

struct vote_reply {
  enum class kind : unsigned char { granted, held, young, other_max_ttl, refused } what{};
  std::uint64_t number = 0;           // granted: the fence drawn on this node
  std::vector<slot_number> slots{};   // granted: which, if they have numbers
  std::chrono::milliseconds left{0};  // held: of the holder's vote, -1 without expiry; young: until the node may vote
  std::string holder{};               // held; of permits the one whose vote ends first
  std::string rival{};                // held, of permits: what tells the holder that came last from others; else empty
  bool several = false;   // held, but not by one owner whom all nodes would name: by readers, or there is a queue
  std::string refusal{};  // refused: why, as the asked script says it ("lost")
  std::string seat{};     // young: as it stands on the node
  bool fresh = false;     // young: there was no seat
  std::chrono::milliseconds max_ttl{0};  // other_max_ttl: the deployment's, or the one that the ttl exceeds
};

enum class keep_reply : unsigned char { kept, gone, taken, young, other_max_ttl };

enum class note_reply : unsigned char { noted, gone, taken };

result<vote_reply> read_vote(const resp::value& reply);
result<keep_reply> read_keep(const resp::value& reply);
// Which slots were kept, if they have numbers; after read_keep() has said so.
std::vector<slot_number> read_kept_slots(const resp::value& reply);
result<note_reply> read_note(const resp::value& reply);
// `4,3`, ascending then; nothing if it is not a list of different numbers.
std::vector<slot_number> read_slots(std::string_view text);
std::string write_slots(std::span<const slot_number> slots);
result<bool> read_give_back(const resp::value& reply);  // true: released; false: not mine

}  // namespace holdfast::lock
