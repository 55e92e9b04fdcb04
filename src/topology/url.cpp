// See url.hpp.
#include "topology/url.hpp"

#include "topology/hosts.hpp"
#include "topology/text.hpp"

#include <algorithm>
#include <array>
#include <optional>

namespace holdfast::topology {
namespace {

using complaint = std::optional<std::string>;  // nothing: the part is good

constexpr std::uint16_t redis_port = 6379;
constexpr std::uint16_t sentinel_port = 26379;

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
    if (auto bad = read_place(url)) return bad;
    return url.query ? read_query(*url.query) : std::nullopt;
  }

 private:
  complaint read_place(const parts& url) {
    if (out_.transport == transport::unix_socket) return read_socket_path(url);
    return read_hosts_and_database(url);
  }

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

  // Several hosts, where the deployment has them, are read alike, whatever they are to each other.
  complaint read_hosts_and_database(parts url) {
    const std::uint16_t usual_port = out_.deployment == deployment::sentinel ? sentinel_port : redis_port;
    const auto read = out_.deployment == deployment::single ? read_host : read_hosts;
    if (auto bad = read(url.authority, usual_port, out_.hosts)) return bad;
    if (out_.deployment == deployment::sentinel) {
      if (auto bad = read_primary_name(url.path)) return bad;
    }
    if (url.path.size() > 1) give("database", std::string{url.path.substr(1)});
    return std::nullopt;
  }

  // Takes it off the path.
  complaint read_primary_name(std::string_view& path) {
    const auto end = std::min(path.find('/', 1), path.size());
    auto name = percent_decoded(path.empty() ? path : path.substr(1, end - 1));
    if (!name) return "the primary's name has a broken escape (write % as %25; %00 is not allowed)";
    if (name->empty()) return "the primary's name is missing, as in redis+sentinel://s1,s2,s3/mymaster";
    out_.primary_name = std::move(*name);
    path.remove_prefix(end);
    return std::nullopt;
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

struct scheme_row {
  std::string_view word;
  holdfast::transport transport;
  holdfast::deployment deployment;
};

constexpr std::array schemes{
    scheme_row{"redis", transport::tcp, deployment::single},
    scheme_row{"rediss", transport::tls, deployment::single},
    scheme_row{"unix", transport::unix_socket, deployment::single},
    scheme_row{"redis+sentinel", transport::tcp, deployment::sentinel},
    scheme_row{"rediss+sentinel", transport::tls, deployment::sentinel},
    scheme_row{"redis+cluster", transport::tcp, deployment::cluster},
    scheme_row{"rediss+cluster", transport::tls, deployment::cluster},
    scheme_row{"redis+quorum", transport::tcp, deployment::quorum},
    scheme_row{"rediss+quorum", transport::tls, deployment::quorum},
};

const scheme_row* find_scheme(std::string_view word) {
  std::string lower{word};
  for (char& c : lower) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  const auto* const found =
      std::find_if(schemes.begin(), schemes.end(), [&](const scheme_row& each) { return each.word == lower; });
  return found == schemes.end() ? nullptr : found;
}

}  // namespace

std::string_view scheme_of(holdfast::transport transport, holdfast::deployment deployment) {
  const auto* const found = std::find_if(schemes.begin(), schemes.end(), [&](const scheme_row& each) {
    return each.transport == transport && each.deployment == deployment;
  });
  return found == schemes.end() ? std::string_view{"redis"} : found->word;
}

result<parsed_url> parse_url(std::string_view url, std::string_view origin) {
  const auto refuse = [&](const std::string& why) { return failure{errc::bad_url, std::string{origin} + ": " + why}; };
  const auto colon = url.find("://");
  if (colon == std::string_view::npos)
    return refuse("no '://' in it; write redis://host, rediss://host or unix:///path");
  const auto* const scheme = find_scheme(url.substr(0, colon));
  // A scheme with '@' or ':' in it is no scheme but the front of user:password@…, so it is not quoted.
  if (scheme == nullptr) {
    const auto word = url.substr(0, colon);
    const bool plain = word.find_first_of(":@") == std::string_view::npos;
    return refuse("the scheme " + (plain ? quoted(word) + " " : std::string{}) +
                  "is not redis, rediss or unix, nor redis+ or rediss+ with sentinel, cluster or quorum behind it");
  }
  const auto rest = url.substr(colon + 3);
  if (std::any_of(rest.begin(), rest.end(), [](char c) { return (c >= 0 && c <= ' ') || c == '\x7f'; })) {
    return refuse("a blank or control character stands in it; write it percent-encoded (a space is %20)");
  }
  if (rest.find('#') != std::string_view::npos) return refuse("'#' has no meaning here; write it as %23");

  parsed_url out;
  out.transport = scheme->transport;
  out.deployment = scheme->deployment;
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
