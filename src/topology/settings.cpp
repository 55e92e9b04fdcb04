// The functions of holdfast::settings: thin, over url, config_file, environment, compose and private_server.
//
// Thread-safe as long as nobody changes the environment meanwhile.
#include <holdfast/settings.hpp>

#include "topology/config_file.hpp"
#include "topology/environment.hpp"
#include "topology/load.hpp"
#include "topology/private_server.hpp"
#include "topology/text.hpp"

#include <unistd.h>

namespace holdfast {
namespace topology {

result<composed> load_with_origins(std::string_view url, const char* const* variables) {
  std::vector<source> places;
  auto file = find_config(variables);
  if (!file) return file.failure();
  places.push_back(std::move(*file));
  auto environment = read_environment(variables);
  if (!environment) return environment.failure();
  places.push_back(std::move(*environment));
  if (!url.empty()) {
    auto parsed = parse_url(url);
    if (!parsed) return parsed.failure();
    places.push_back({std::move(*parsed), {}});
  }
  return compose(places);
}

}  // namespace topology

result<settings> settings::from_url(std::string_view url) {
  auto parsed = topology::parse_url(url);
  if (!parsed) return parsed.failure();
  auto out = topology::compose({{std::move(*parsed), {}}});
  if (!out) return out.failure();
  return std::move(out->values);
}

result<settings> settings::load(std::string_view url) {
  auto out = topology::load_with_origins(url, environ);
  if (!out) return out.failure();
  if (out->private_server) {
    auto server = topology::private_server();
    if (!server) return server.failure();
    out->values.transport = server->transport;
    out->values.path = server->path;
  }
  return std::move(out->values);
}

std::string settings::display() const {
  const std::string who = user.empty() ? std::string{} : topology::percent_encoded(user) + "@";
  const std::string index = std::to_string(database);
  if (transport == transport::unix_socket) {
    return "unix://" + who + topology::percent_encoded(path, "/") + (database == 0 ? "" : "?database=" + index);
  }
  const bool is_ipv6 = host.find(':') != std::string::npos;
  const std::string where = is_ipv6 ? "[" + topology::percent_encoded(host, ":") + "]" : host;
  return (transport == transport::tls ? "rediss://" : "redis://") + who + where + ":" + std::to_string(port) +
         (database == 0 ? "" : "/" + index);
}

}  // namespace holdfast
