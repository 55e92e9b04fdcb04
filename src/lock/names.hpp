// From a lock's name to its keys.
//
//   name `invoice:42`, prefix `app:`    ->  lock    app:invoice:42            the plain SET-NX layout
//                                           waiters {app:invoice:42}:waiters  the queue
//                                           seen    {app:invoice:42}:seen     heartbeats of long waiters
//                                           fence   holdfast:fence:{1183}     one counter per hash slot, not per lock
//                                           note    {app:invoice:42}:note     of a lock that was left without a process
//                                           value   {app:invoice:42}:value    what a cache keeps beside the lock of its loader
//                                           leader  {app:invoice:42}:leader   who was elected under the lock
//                                           capacity {app:invoice:42}:capacity of a semaphore, once it was changed
//                                           guard   {app:invoice:42}:guard    the lock under which a quorum's meeting is changed
//   name `{user:7}:cart`                ->  waiters {user:7}:cart:waiters     a name that has a tag keeps it
//
// All keys of one lock hash to one slot, so that a script may touch them in a Cluster. Names with broken braces would put
// the helpers into other slots and are refused. Fence counters are bounded by the 16,384 slots, however many names there
// are: the tag of a slot is the smallest decimal number that hashes to it.
#pragma once

#include "resp/key_slot.hpp"

#include <holdfast/result.hpp>

#include <cstdint>
#include <string>
#include <string_view>

namespace holdfast::lock {

inline constexpr std::size_t longest_name = 512;
inline constexpr std::size_t longest_owner = 256;

// prefix + name, or bad_name.
result<std::string> make_key(std::string_view prefix, std::string_view name);

// The whole check of a caller's owner id: bad_option when empty or too long.
result<void> check_owner(std::string_view owner);

// Redis Cluster's slot of a key, hash tag considered.
using resp::slot_of;

// The number that stands for a slot in its fence key.
std::uint32_t fence_tag(std::uint16_t slot);

std::string waiters_key(std::string_view key);
std::string seen_key(std::string_view key);
std::string fence_key(std::string_view key);
std::string note_key(std::string_view key);
std::string value_key(std::string_view key);
std::string leader_key(std::string_view key);
std::string capacity_key(std::string_view key);
std::string guard_key(std::string_view key);
// Of a quorum's node, not of a lock: whether and from when on it may vote (scripts/_seat.lua).
inline constexpr std::string_view seat_key = "holdfast:quorum";

inline constexpr std::string_view channel_stem = "holdfast:inbox:";
// The channel on which one client hears what is meant for it; `inbox` is the client's id.
std::string inbox_channel(std::string_view inbox);
// The sharded channel that it has in the slot of a key, in a Cluster: the tag of the slot stands before the id.
std::string shard_channel(std::string_view key, std::string_view inbox);
// What an entry in a queue has of either: the id, or the tag and the id.
[[nodiscard]] constexpr std::string_view inbox_of(std::string_view channel) noexcept {
  return channel.substr(channel_stem.size());
}
// What is meant for a client that cannot be told from the owner's text goes to all of them.
inline constexpr std::string_view common_channel = "holdfast:inbox:all";

// Whether the key has the name of a helper of some lock, or of a fence counter.
bool is_helper_key(std::string_view key) noexcept;
// `text` for a glob pattern in which it stands for itself.
std::string glob_escaped(std::string_view text);

}  // namespace holdfast::lock
