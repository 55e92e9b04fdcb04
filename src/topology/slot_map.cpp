#include "topology/slot_map.hpp"

#include "resp/key_slot.hpp"

#include <charconv>

namespace holdfast::topology {
namespace {

template <class Number>
bool read_whole(std::string_view text, Number& into) {
  const auto [rest, problem] = std::from_chars(text.data(), text.data() + text.size(), into);
  return problem == std::errc{} && rest == text.data() + text.size();
}

std::optional<std::uint16_t> slot_number(const resp::value& value) {
  if (value.type != resp::kind::integer || value.integer < 0 || value.integer >= resp::slots) return std::nullopt;
  return static_cast<std::uint16_t>(value.integer);
}

// "127.0.0.1:7001", "[::1]:7001", "::1:7001", "node-1:7001", ":7001", and from 4.0 on with "@bus-port".
std::optional<endpoint> read_address(std::string_view text, const endpoint& asked) {
  text = text.substr(0, text.find('@'));
  const auto colon = text.rfind(':');
  endpoint out;
  if (colon == std::string_view::npos || !read_whole(text.substr(colon + 1), out.port) || out.port == 0) {
    return std::nullopt;
  }
  std::string_view host = text.substr(0, colon);
  if (host.starts_with('[') && host.ends_with(']')) host = host.substr(1, host.size() - 2);
  out.host = host.empty() || host == "?" ? asked.host : std::string{host};
  return out;
}

}  // namespace

std::optional<std::vector<slot_range>> read_slots(const resp::value& reply, const endpoint& asked) {
  if (!reply.is_list()) return std::nullopt;
  std::vector<slot_range> out;
  for (const resp::value& each : reply.items) {
    if (!each.is_list() || each.items.size() < 3 || !each.items[2].is_list()) return std::nullopt;
    const auto first = slot_number(each.items[0]);
    const auto last = slot_number(each.items[1]);
    const auto& node = each.items[2].items;
    if (!first || !last || *last < *first || node.size() < 2 || node[1].type != resp::kind::integer)
      return std::nullopt;
    if (node[1].integer <= 0 || node[1].integer > 65535) return std::nullopt;
    const bool unknown = !node[0].is_text() || node[0].text.empty() || node[0].text == "?";
    out.push_back({*first, *last, {unknown ? asked.host : node[0].text, static_cast<std::uint16_t>(node[1].integer)}});
  }
  return out;
}

std::optional<redirection> read_redirection(std::string_view error, const endpoint& asked) {
  using kind = redirection::kind;
  if (error.starts_with("TRYAGAIN")) return redirection{kind::try_again};
  if (error.starts_with("CLUSTERDOWN")) return redirection{kind::down};
  redirection out;
  if (error.starts_with("MOVED ")) {
    out.what = kind::moved;
    error.remove_prefix(6);
  } else if (error.starts_with("ASK ")) {
    out.what = kind::ask;
    error.remove_prefix(4);
  } else {
    return std::nullopt;
  }
  const auto blank = error.find(' ');
  if (blank == std::string_view::npos || !read_whole(error.substr(0, blank), out.slot) || out.slot >= resp::slots) {
    return std::nullopt;
  }
  auto where = read_address(error.substr(blank + 1), asked);
  if (!where) return std::nullopt;
  out.where = std::move(*where);
  return out;
}

}  // namespace holdfast::topology
