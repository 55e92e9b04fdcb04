#include "topology/hosts.hpp"

#include "topology/text.hpp"

#include <arpa/inet.h>

#include <algorithm>
#include <charconv>

namespace holdfast::topology {
namespace {

using complaint = std::optional<std::string>;

complaint read_ipv6(std::string_view text, std::string& out) {
  const auto address = percent_decoded(text);  // a zone is written %25eth0
  if (!address) return "the IPv6 address " + quoted(text) + " has a broken escape (a zone is written %25eth0)";
  const auto zone = address->find('%');
  in6_addr ignored{};
  const bool good = ::inet_pton(AF_INET6, address->substr(0, zone).c_str(), &ignored) == 1;
  if (!good || zone == address->size() - 1) return quoted(*address) + " is not an IPv6 address";
  out = *address;
  return std::nullopt;
}

complaint read_name(std::string_view name, std::string& out) {
  if (name.empty()) return "the host is empty, as in redis://127.0.0.1:6379";
  const bool good = std::all_of(name.begin(), name.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' || c == '-' ||
           c == '_';
  });
  if (!good) return "the host " + quoted(name) + " has a character that no host name has";
  out = name;
  return std::nullopt;
}

// Not quoted: in redis://user:password, where "@host" was forgotten, this is the password.
complaint read_port(std::string_view text, endpoint& out) {
  const char* const end = text.data() + text.size();
  const auto [rest, problem] = std::from_chars(text.data(), end, out.port);
  if (problem == std::errc{} && rest == end && out.port != 0) return std::nullopt;
  return "the port after host " + quoted(out.host) + " is not a number from 1 to 65535";
}

}  // namespace

complaint read_host(std::string_view text, std::uint16_t usual_port, std::vector<endpoint>& out) {
  endpoint one{{}, usual_port};
  std::string_view port;
  bool has_port = false;
  if (text.starts_with('[')) {
    const auto close = text.find(']');
    if (close == std::string_view::npos) return "the IPv6 address has no closing ']'";
    if (auto bad = read_ipv6(text.substr(1, close - 1), one.host)) return bad;
    port = text.substr(close + 1);
    has_port = !port.empty();
    if (has_port && !port.starts_with(':')) return "after ']' only a ':' and a port may follow";
  } else {
    const auto colon = text.find(':');
    if (auto bad = read_name(text.substr(0, colon), one.host)) return bad;
    has_port = colon != std::string_view::npos;
    if (has_port) port = text.substr(colon);
  }
  if (has_port) {
    if (auto bad = read_port(port.substr(1), one)) return bad;
  }
  out.push_back(std::move(one));
  return std::nullopt;
}

complaint read_hosts(std::string_view text, std::uint16_t usual_port, std::vector<endpoint>& out) {
  while (true) {
    const auto comma = text.find(',');
    if (auto bad = read_host(text.substr(0, comma), usual_port, out)) return bad;
    if (std::count(out.begin(), out.end(), out.back()) > 1) {
      return "the host " + quoted(display(out.back())) + " is named twice";
    }
    if (comma == std::string_view::npos) return std::nullopt;
    text.remove_prefix(comma + 1);
  }
}

settings at_host(const settings& how, const endpoint& one) {
  settings out = how;
  out.deployment = deployment::single;
  out.hosts.clear();
  out.host = one.host;
  out.port = one.port;
  return out;
}

}  // namespace holdfast::topology
