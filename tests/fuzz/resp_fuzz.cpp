// libFuzzer target for the RESP reader. Any bytes are a server's reply. Checked besides the sanitizers' own checks:
//   1. fed whole, byte by byte, or in odd slices, the reader gives the same values and the same refusal
//   2. problem() is printable
//   3. memory stays within a multiple of what was received, whatever lengths were declared
// Each is done with the default limits and with limits so small that short inputs reach them.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include "resp_render.hpp"

#if defined(__SANITIZE_ADDRESS__)
#define HOLDFAST_COUNT_MEMORY 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define HOLDFAST_COUNT_MEMORY 1
#endif
#endif
#ifdef HOLDFAST_COUNT_MEMORY
#include <sanitizer/allocator_interface.h>
#endif

namespace {

using holdfast::resp::limits;
using holdfast::resp::reader;

void require(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "resp_fuzz: %s\n", what);
  std::abort();
}

void check_slices(std::string_view bytes, limits bounds) {
  const std::string expected = resp_test::whole(bytes, bounds);
  require(resp_test::byte_by_byte(bytes, bounds) == expected, "byte by byte differs from whole");
  std::uint32_t seed = static_cast<std::uint32_t>(bytes.size()) * 2654435761U + 1;
  const auto odd = [&seed] {
    seed = seed * 1664525U + 1013904223U;
    return std::size_t{1} + (seed >> 24U) % 23;
  };
  require(resp_test::transcript(bytes, bounds, odd) == expected, "odd slices differ from whole");
}

void check_problem(std::string_view bytes, limits bounds) {
  reader in(bounds);
  holdfast::resp::value v;
  resp_test::feed(in, bytes);
  auto status = reader::status::ready;
  while (status == reader::status::ready) status = in.next(v);
  require((status == reader::status::broken) == !in.problem().empty(), "problem() and the status disagree");
  require(in.problem().size() < 200, "problem() is long");
  for (const char c : in.problem()) require(c >= 0x20 && c < 0x7f, "problem() is not printable");
}

void check_memory([[maybe_unused]] std::string_view bytes, [[maybe_unused]] limits bounds) {
#ifdef HOLDFAST_COUNT_MEMORY
  // The worst honest ratio: "_\r\n" is 3 bytes and becomes one value in a vector that may be half empty.
  constexpr std::size_t per_byte = sizeof(holdfast::resp::value);
  constexpr std::size_t constant = 64 * 1024;
  const std::size_t before = __sanitizer_get_current_allocated_bytes();
  const std::size_t allowed = before + constant + per_byte * bytes.size();
  reader in(bounds);
  holdfast::resp::value v;
  while (!bytes.empty()) {
    const std::size_t n = bytes.size() < 64 ? bytes.size() : 64;
    resp_test::feed(in, bytes.substr(0, n));
    bytes.remove_prefix(n);
    while (in.next(v) == reader::status::ready) {
    }
    require(__sanitizer_get_current_allocated_bytes() <= allowed, "memory is out of proportion");
  }
#endif
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  for (const limits bounds : {limits{}, limits{.text = 12, .message = 60, .depth = 3, .items = 6}}) {
    check_slices(bytes, bounds);
    check_problem(bytes, bounds);
    check_memory(bytes, bounds);
  }
  return 0;
}
