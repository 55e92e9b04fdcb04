// What the nodes of a Redis Cluster tell about who serves what: CLUSTER SLOTS, and the errors that send a command elsewhere.
//
// Pure: reads texts and values, knows no connections. Used by cluster.hpp.
#pragma once

#include "resp/value.hpp"

#include <holdfast/settings.hpp>

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace holdfast::topology {

// These slots, both ends included, have this primary.
struct slot_range {
  std::uint16_t first = 0;
  std::uint16_t last = 0;
  endpoint primary;
};

// An answer to CLUSTER SLOTS. Nothing if it is not of that form; empty if the cluster serves no slots yet. A node that does not
// know its own address tells none: then it is that of `asked`.
[[nodiscard]] std::optional<std::vector<slot_range>> read_slots(const resp::value& reply, const endpoint& asked);

// An error reply that says: not here, or not now.
struct redirection {
  enum class kind : unsigned char {
    moved,      // for good: the map is out of date
    ask,        // this once
    try_again,  // its keys are on the way from one node to another
    down,       // nobody serves the slot at the moment
  };
  kind what{};
  std::uint16_t slot = 0;  // of moved and ask
  endpoint where{};        // of moved and ask
};

[[nodiscard]] std::optional<redirection> read_redirection(std::string_view error, const endpoint& asked);

}  // namespace holdfast::topology
