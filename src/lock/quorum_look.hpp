// What the nodes of a quorum say about its locks, as one answer.
//
// Held is what a majority of all nodes votes for, for as long as a majority goes on with it, by each of those whom a majority names, with
// the weight that a majority gives it. Fewer votes are nobody's lock: an attempt under way, or what is left of one. Whoever waits on any of them waits. Pure, safe from any thread.
#pragma once

#include <holdfast/inspect.hpp>

#include <cstddef>
#include <vector>

namespace holdfast::lock {

// One answer for each node that gave one, not empty, all about the same lock; `nodes` of the quorum in all.
lock_info agree(std::vector<lock_info> answers, std::size_t nodes);
// Of the locks that any of them has seen, those that somebody holds or waits for; by name.
lock_list agree(std::vector<lock_list> answers, std::size_t nodes);

}  // namespace holdfast::lock
