// One look of whoever waits at a latch or a barrier on a quorum, decided without I/O: has the phase passed?
//
//   a majority says so                                        PASSED
//   a majority says that it has not                           WAITING   whatever few others say was not acknowledged, or is on its way
//   a majority has nothing of this meeting                    GONE
//   a majority answered, and none of these                    UNSETTLED a writing is on its way, or its writer died
//   otherwise                                                 UNREACHABLE, or YOUNG where enough answered that they may not vote yet
//
// Decided as early as certain. Thread safety: none.
#pragma once

#include "resp/value.hpp"

#include <holdfast/result.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace holdfast::lock {

// quorum_meet_wait.lua
struct meet_look {
  enum class kind : unsigned char { passed, waiting, absent, other, young, other_max_ttl } what{};
  std::uint64_t version = 0;           // passed, waiting
  std::string missing{};               // waiting: "2 of 3"
  std::chrono::milliseconds number{};  // young: how long; other_max_ttl: the deployment's
};
result<meet_look> read_look(const resp::value& reply);

enum class meet_step : unsigned char { wait, passed, waiting, gone, unsettled, young, other_max_ttl, unreachable };

class quorum_meet_wait {
 public:
  explicit quorum_meet_wait(std::size_t nodes) : nodes_(nodes) {}

  meet_step answered(std::size_t node, const meet_look& reply);
  meet_step failed(std::size_t node);
  meet_step timer();

  // After the decision; what comes later still changes lags() and answers().
  [[nodiscard]] std::uint64_t version() const noexcept;  // the greatest that was told
  [[nodiscard]] std::string missing() const;             // as whoever knows most tells it
  [[nodiscard]] bool replaced() const noexcept;          // GONE because of a later one
  [[nodiscard]] bool lags() const noexcept;              // some node has less than version()
  [[nodiscard]] std::size_t answers() const noexcept;
  [[nodiscard]] std::chrono::milliseconds number() const noexcept;  // YOUNG, OTHER_MAX_TTL

 private:
  enum class stand : unsigned char { due, told, silent };
  struct node_state {
    stand at = stand::due;
    meet_look told{};
  };
  [[nodiscard]] std::size_t count(meet_look::kind what) const noexcept;
  [[nodiscard]] std::size_t due() const noexcept;
  meet_step decide();

  std::vector<node_state> nodes_;
  bool done_ = false;
};

}  // namespace holdfast::lock
