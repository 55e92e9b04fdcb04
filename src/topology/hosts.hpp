// The hosts of a deployment: as a URL names them, one, or several between commas; and the settings for one of them.
//
// Pure, and safe from any thread. Texts of failures name the offending word, but never a port: where "@host" was forgotten,
// the "port" is a password.
#pragma once

#include <holdfast/settings.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace holdfast::topology {

// Appends one host, as in "cache-1:6379", "cache-1" or "[::1]:6379". The result is what is wrong with it; nothing: it is good.
[[nodiscard]] std::optional<std::string> read_host(std::string_view text, std::uint16_t usual_port,
                                                   std::vector<endpoint>& out);

// The same for a list in which none stands twice.
[[nodiscard]] std::optional<std::string> read_hosts(std::string_view text, std::uint16_t usual_port,
                                                    std::vector<endpoint>& out);

// The same settings for one of several, as if it were a single Redis.
[[nodiscard]] settings at_host(const settings& how, const endpoint& one);

}  // namespace holdfast::topology
