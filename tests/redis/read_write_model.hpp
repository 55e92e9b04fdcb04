// Redisson's read-write lock with our queue, as it should be: what the tests compare the server with.
//
// Thread safety: none.
#pragma once

#include <algorithm>
#include <list>
#include <map>
#include <optional>
#include <vector>

namespace holdfast::test {

// Who is inside, and in what order ours wait. Owners are numbers; whose they are is for the test to say.
struct read_write_model {
  struct wish {
    int owner;
    bool writes;
    friend bool operator==(const wish&, const wish&) = default;
  };
  std::optional<int> writer;
  int writer_count = 0;
  std::map<int, int> readers;
  std::list<wish> queue;

  [[nodiscard]] bool free() const { return !writer && readers.empty(); }
  [[nodiscard]] bool fits(bool writes) const { return writes ? free() : !writer; }
  [[nodiscard]] bool has(int owner, bool writes) const { return writes ? writer == owner : readers.contains(owner); }
  void put(int owner, bool writes) {
    if (writes) {
      writer = owner;
      writer_count = 1;
    } else {
      readers[owner] = 1;
    }
  }
  void leave(int owner) {
    queue.remove_if([owner](const wish& each) { return each.owner == owner; });
  }
  std::list<wish>::iterator find(int owner) { return std::ranges::find(queue, owner, &wish::owner); }
  // Lets in from the head while they fit; returns who was.
  std::vector<int> serve() {
    std::vector<int> in;
    while (!queue.empty() && fits(queue.front().writes)) {
      put(queue.front().owner, queue.front().writes);
      in.push_back(queue.front().owner);
      queue.pop_front();
    }
    return in;
  }
};

}  // namespace holdfast::test
