// The floor of a quorum: raw hiredis, the library's own commands sent to all nodes at once and gathered to a majority.
// Answers that come after the majority are read before the next ones of their node, as whoever gathers has to.
//
// Anything but the expected answer throws std::runtime_error. Thread safety: none.
#pragma once

#include "floor.hpp"

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

namespace holdfast::bench {

class quorum_floor {
 public:
  // `commands`: for each node its acquire and its release.
  quorum_floor(const std::vector<std::string>& urls, std::vector<std::unique_ptr<floor_lock>> commands);
  ~quorum_floor();
  quorum_floor(quorum_floor&&) = delete;

  void pair();

 private:
  struct node {
    redisContext* context = nullptr;
    std::size_t owed = 0;  // answers of earlier rounds
  };
  void round(bool acquire);
  bool take(node& from, bool acquire);

  std::vector<node> nodes_;
  std::vector<std::unique_ptr<floor_lock>> commands_;
};

// What a client of the quorum sends to each node for one lock, overheard.
std::vector<std::unique_ptr<floor_lock>> record_quorum(const std::vector<std::string>& urls, const std::string& quorum,
                                                       const std::string& name);

}  // namespace holdfast::bench
