// What the eight tell the one who watches: fixed-size records through one pipe.
//
// A write of at most PIPE_BUF bytes is not split or mixed with others, so the pipe is the whole synchronisation; times
// are on CLOCK_BOOTTIME, which all processes of a host share.
#pragma once

#include <time.h>

#include <cstdint>

namespace demo {

enum class what : std::int32_t { ready, got, released, lost, finished, failed };

struct report {
  what kind{};
  std::int32_t process = 0;   // 1 to 8
  std::int64_t time = 0;      // ns; of `got`: after the call returned; of `released`: before the call
  std::int64_t waited = 0;    // ns; of `got`
  std::uint64_t fence = 0;    //
  std::int64_t deadline = 0;  // ns; of `lost`: until when the holder believed that it held
  std::int64_t silence = 0;   // ns; of `lost`: since its last look at the lease
  char text[160]{};           // of `failed`: why
};

inline std::int64_t now_ns() noexcept {
  timespec at{};
  clock_gettime(CLOCK_BOOTTIME, &at);
  return static_cast<std::int64_t>(at.tv_sec) * 1'000'000'000 + at.tv_nsec;
}

}  // namespace demo
