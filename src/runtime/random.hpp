// Random bytes from the OS, drawn in blocks: owner ids must be unguessable, and a system call for each would show.
// Not thread-safe: the client's mutex guards it. A forked child cannot reuse the block, because it cannot use the client.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>

namespace holdfast::runtime {

class random_source {
 public:
  std::uint64_t number();             // 64 random bits
  void append_hex(std::string& out);  // 16 hex digits: 64 bits
  // Uniform between the two, ends included.
  std::chrono::nanoseconds between(std::chrono::nanoseconds least, std::chrono::nanoseconds most);

 private:
  void fill();
  std::array<std::uint64_t, 128> block_{};
  std::size_t used_ = block_.size();
};

}  // namespace holdfast::runtime
