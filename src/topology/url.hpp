// Reads a URL into where Redis is and the keys it gives.
//
//   redis://[user][:password]@host[:port][/database][?key=value&…]     rediss:// the same over TLS
//   unix://[[user][:password]@]/absolute/path[?key=value&…]
//   redis+sentinel://[user][:password]@host[:port],host[:port],…/name[/database][?key=value&…]     rediss+sentinel://
//   redis+cluster://[user][:password]@host[:port],host[:port],…[?key=value&…]     rediss+cluster://
//   redis+quorum://[user][:password]@host[:port],host[:port],…[/database][?key=value&…]     rediss+quorum://
//
// User, password, path and query values are percent-decoded. Every key of keys.hpp may stand in the query.
// Texts of failures name the offending word but never a password, not even a piece of one that landed in another part
// of the URL because its '/', '?', '#' or '&' was not escaped: where that is possible, the word is not quoted.
// A pure function, safe from any thread; it never touches the network or files.
#pragma once

#include "topology/keys.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace holdfast::topology {

struct parsed_url {
  holdfast::transport transport = transport::tcp;
  holdfast::deployment deployment = deployment::single;
  std::vector<endpoint> hosts;     // one, or several where the deployment has them
  std::string path;                // of the Unix socket
  std::string primary_name;        // of a Sentinel deployment
  std::vector<assignment> values;  // from user info, path and query; each has the form its key wants
  std::string origin;
};

// The longest path that fits into sockaddr_un with its terminating NUL.
inline constexpr std::size_t longest_socket_path = 107;

// What such a URL begins with, without "://".
[[nodiscard]] std::string_view scheme_of(holdfast::transport transport, holdfast::deployment deployment);

[[nodiscard]] result<parsed_url> parse_url(std::string_view url, std::string_view origin = "URL");

}  // namespace holdfast::topology
