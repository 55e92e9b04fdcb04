// Redis Cluster's arithmetic: which of the 16,384 slots a key belongs to.
//
// Here and not in src/lock, because src/topology routes by it and may not look upward. Pure; safe from any thread.
#pragma once

#include <cstdint>
#include <string_view>

namespace holdfast::resp {

inline constexpr std::uint32_t slots = 16384;

// CRC-16/XMODEM, as Redis Cluster prescribes.
std::uint16_t crc16(std::string_view bytes) noexcept;

// The slot of a key; of its hash tag, if it has one.
std::uint16_t slot_of(std::string_view key) noexcept;

}  // namespace holdfast::resp
