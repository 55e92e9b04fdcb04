// Which primitive a call is about: its three scripts, and what they take beyond the common arguments.
//
// All scripts of one kind answer in one grammar (replies.hpp), so everything above them is the same for every primitive:
// waiting, holding, renewing, losing. docs/family.md shows them side by side.
#pragma once

#include "scripts/sources.hpp"

#include <chrono>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace holdfast::lock {

struct flavour {
  const scripts::script* acquire = &scripts::acquire;
  const scripts::script* release = &scripts::release;
  const scripts::script* renew = &scripts::renew;
  std::vector<std::string> extra{};          // the last arguments of all three
  std::string mark{};                        // put before the entry in the queue: what the waiter wants
  std::string_view noun = "a plain lock";    // what is not at a key of the wrong type
  std::chrono::milliseconds longest{};       // the longest ttl that it can be held for; 0: whatever the options allow
  std::shared_ptr<const flavour> held_as{};  // what the lease is kept and released as, if not as this
};

// Shared: a lease keeps the flavour that it was acquired under.
using flavour_ptr = std::shared_ptr<const flavour>;

// The plain mutex.
inline const flavour_ptr& plain() {
  static const flavour_ptr made = std::make_shared<const flavour>();
  return made;
}

// … whose release also pushes to this list.
inline flavour_ptr signalling(std::string list) {
  return std::make_shared<const flavour>(flavour{.extra = {std::move(list)}});
}

}  // namespace holdfast::lock
