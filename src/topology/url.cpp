// See url.hpp.
#include "topology/url.hpp"

#include "topology/text.hpp"

#include <arpa/inet.h>

#include <algorithm>
#include <charconv>
#include <optional>

namespace holdfast::topology {
namespace {

constexpr std::string_view quorum_mark = "+quorum";

using complaint = std::optional<std::string>;  // nothing: the part is good

// The URL cut at its delimiters; views into the caller's text.
struct parts {
  std::string_view authority;
  std::string_view path;
  std::optional<std::string_view> query;
};

parts cut(std::string_view rest) {
  parts out;
  const auto end = rest.find_first_of("/?");
  out.authority = rest.substr(0, end);
  if (end == std::string_view::npos) return out;
  rest.remove_prefix(end);
  const auto mark = rest.find('?');
  out.path = rest.substr(0, mark);
  if (mark != std::string_view::npos) out.query = rest.substr(mark + 1);
  return out;
}

class reader {
 public:
  reader(parsed_url& out, std::string_view origin) : out_{out}, origin_{origin} {}

  complaint read(parts url) {
    const auto at = url.authority.rfind('@');
    if (at != std::string_view::npos) {
      if (auto bad = read_user_info(url.authority.substr(0, at))) return bad;
      url.authority.remove_prefix(at + 1);
    }
    const bool is_socket = out_.transport == transport::unix_socket;
    auto bad = is_socket ? read_socket_path(url) : out_.is_quorum ? read_nodes(url) : read_host_and_database(url);
    if (bad) return bad;
    return url.query ? read_query(*url.query) : std::nullopt;
  }

 private:
  void give(std::string_view key, std::string value) {
    out_.values.push_back({find_key(key), std::move(value), std::string{origin_}, errc::bad_url});
  }

  complaint read_user_info(std::string_view info) {
    const auto colon = info.find(':');
    auto user = percent_decoded(info.substr(0, colon));
    if (!user) return "the user has a broken escape (write % as %25; %00 is not allowed)";
    if (user->empty() && colon == std::string_view::npos) return "nothing stands before '@'";
    give("user", std::move(*user));
    if (colon == std::string_view::npos) return std::nullopt;
    auto password = percent_decoded(info.substr(colon + 1));
    if (!password) return "the password has a broken escape (write % as %25; %00 is not allowed)";
    give("password", std::move(*password));
    return std::nullopt;
  }

  complaint read_socket_path(const parts& url) {
    if (!url.authority.empty()) {
      return "the socket's path is relative; it must be absolute, as in unix:///run/redis.sock (three slashes)";
    }
    auto path = percent_decoded(url.path);
    if (!path) return "the path " + quoted(url.path) + " has a broken escape (write % as %25; %00 is not allowed)";
    if (path->empty() || *path == "/") return "the path of the Unix socket is missing, as in unix:///run/redis.sock";
    if (path->size() > longest_socket_path) {
      return "the path " + quoted(*path) + " is longer than the 107 bytes that a Unix socket's address can hold";
    }
    out_.path = std::move(*path);
    return std::nullopt;
  }

  complaint read_host_and_database(const parts& url) {
    std::string_view port;
    bool has_port = false;
    if (url.authority.starts_with('[')) {
      const auto close = url.authority.find(']');
      if (close == std::string_view::npos) return "the IPv6 address has no closing ']'";
      if (auto bad = read_ipv6(url.authority.substr(1, close - 1))) return bad;
      port = url.authority.substr(close + 1);
      has_port = !port.empty();
      if (has_port && !port.starts_with(':')) return "after ']' only a ':' and a port may follow";
    } else {
      const auto colon = url.authority.find(':');
      if (auto bad = read_name(url.authority.substr(0, colon))) return bad;
      has_port = colon != std::string_view::npos;
      if (has_port) port = url.authority.substr(colon);
    }
    if (has_port) {
      if (auto bad = read_port(port.substr(1))) return bad;
    }
    if (url.path.size() > 1) give("database", std::string{url.path.substr(1)});
    return std::nullopt;
  }

  // Each node is read as the one host of a plain URL would be; the database is common to all.
  complaint read_nodes(const parts& url) {
    for (auto rest = url.authority;;) {
      const auto comma = rest.find(',');
      out_.port = node_address{}.port;
      if (auto bad = read_host_and_database({rest.substr(0, comma), {}, {}})) return bad;
      const node_address one{out_.host, out_.port};
      if (std::find(out_.quorum.begin(), out_.quorum.end(), one) != out_.quorum.end()) {
        return "the node " + quoted(one.host) + " is named twice with the same port; it has one vote";
      }
      out_.quorum.push_back(one);
      if (comma == std::string_view::npos) break;
      rest.remove_prefix(comma + 1);
    }
    if (out_.quorum.size() < 3) return "a quorum has three nodes or more, as in redis+quorum://n1,n2,n3";
    if (url.path.size() > 1) give("database", std::string{url.path.substr(1)});
    return std::nullopt;
  }

  complaint read_ipv6(std::string_view text) {
    const auto address = percent_decoded(text);  // a zone is written %25eth0
    if (!address) return "the IPv6 address " + quoted(text) + " has a broken escape (a zone is written %25eth0)";
    const auto zone = address->find('%');
    in6_addr ignored{};
    const bool good = ::inet_pton(AF_INET6, address->substr(0, zone).c_str(), &ignored) == 1;
    if (!good || zone == address->size() - 1) return quoted(*address) + " is not an IPv6 address";
    out_.host = *address;
    return std::nullopt;
  }

  complaint read_name(std::string_view name) {
    if (name.empty()) return "the host is empty, as in redis://127.0.0.1:6379";
    const bool good = std::all_of(name.begin(), name.end(), [](char c) {
      return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' || c == '-' ||
             c == '_';
    });
    if (!good) return "the host " + quoted(name) + " has a character that no host name has";
    out_.host = name;
    return std::nullopt;
  }

  // Not quoted: in redis://user:password, where "@host" was forgotten, this is the password.
  complaint read_port(std::string_view text) {
    const char* const end = text.data() + text.size();
    const auto [rest, problem] = std::from_chars(text.data(), end, out_.port);
    if (problem == std::errc{} && rest == end && out_.port != 0) return std::nullopt;
    return "the port after host " + quoted(out_.host) + " is not a number from 1 to 65535";
  }

  complaint read_query(std::string_view query) {
    bool after_password = false;
    while (true) {
      const auto end = query.find('&');
      const auto word = query.substr(0, end);
      const auto equals = word.find('=');
      const auto name = word.substr(0, equals);
      const auto* const key = find_key(name);
      if (equals == std::string_view::npos || key == nullptr) {
        if (after_password) return "a query word after password is not a key (write & in a password as %26)";
        if (key != nullptr) return "the query's " + quoted(name) + " has no value (key=value)";
        return quoted(name) + " is not a key that a URL's query can have";
      }
      auto value = percent_decoded(word.substr(equals + 1));
      if (!value) return "the value of " + quoted(name) + " has a broken escape (write % as %25; %00 is not allowed)";
      give(name, std::move(*value));
      after_password = after_password || key->secret;
      if (end == std::string_view::npos) return std::nullopt;
      query.remove_prefix(end + 1);
    }
  }

  parsed_url& out_;
  std::string_view origin_;
};

std::optional<holdfast::transport> transport_of(std::string_view scheme) {
  std::string lower{scheme};
  for (char& c : lower) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  if (lower == "redis") return transport::tcp;
  if (lower == "rediss") return transport::tls;
  if (lower == "unix") return transport::unix_socket;
  return std::nullopt;
}

}  // namespace

result<parsed_url> parse_url(std::string_view url, std::string_view origin) {
  const auto refuse = [&](const std::string& why) { return failure{errc::bad_url, std::string{origin} + ": " + why}; };
  const auto colon = url.find("://");
  if (colon == std::string_view::npos)
    return refuse("no '://' in it; write redis://host, rediss://host or unix:///path");
  auto word_of_scheme = url.substr(0, colon);
  const bool is_quorum = word_of_scheme.starts_with("redis") && word_of_scheme.ends_with(quorum_mark);
  if (is_quorum) word_of_scheme.remove_suffix(quorum_mark.size());
  const auto scheme = transport_of(word_of_scheme);
  // A scheme with '@' or ':' in it is no scheme but the front of user:password@…, so it is not quoted.
  if (!scheme) {
    const auto word = url.substr(0, colon);
    const bool plain = word.find_first_of(":@") == std::string_view::npos;
    return refuse("the scheme " + (plain ? quoted(word) + " " : std::string{}) +
                  "is not redis, rediss or unix, nor redis+quorum or rediss+quorum");
  }
  const auto rest = url.substr(colon + 3);
  if (std::any_of(rest.begin(), rest.end(), [](char c) { return (c >= 0 && c <= ' ') || c == '\x7f'; })) {
    return refuse("a blank or control character stands in it; write it percent-encoded (a space is %20)");
  }
  if (rest.find('#') != std::string_view::npos) return refuse("'#' has no meaning here; write it as %23");

  parsed_url out;
  out.transport = *scheme;
  out.is_quorum = is_quorum;
  out.origin = origin;
  const auto pieces = cut(rest);
  auto bad = reader{out, origin}.read(pieces);
  for (settings scratch; const auto& value : out.values) {
    if (bad) break;
    if (const auto good = apply(value, scratch); !good) bad = good.failure().detail.substr(origin.size() + 2);
  }
  if (!bad) {
    if (const auto once = refuse_repeated(out.values); !once) return once.failure();
    return out;
  }
  // Whatever is wrong, an '@' this far back may mean that the parts before it are a password with a bare '/' or '?'.
  if (rest.substr(pieces.authority.size()).find('@') != std::string_view::npos) {
    return refuse("'@' stands after the host; inside user or password write / as %2F, ? as %3F and @ as %40");
  }
  return refuse(*bad);
}

}  // namespace holdfast::topology
