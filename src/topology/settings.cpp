// The functions of holdfast::settings: thin, over url, config_file, environment, compose and private_server.
//
// Thread-safe as long as nobody changes the environment meanwhile.
#include <holdfast/settings.hpp>
#include <holdfast/settings_report.hpp>

#include "topology/config_file.hpp"
#include "topology/environment.hpp"
#include "topology/load.hpp"
#include "topology/private_server.hpp"
#include "topology/text.hpp"

#include <unistd.h>

namespace holdfast {
namespace topology {

result<loaded> load_with_origins(url_word url, const char* const* variables, const std::string& system_wide) {
  auto files = find_config(variables, system_wide);
  if (!files) return files.failure();
  std::vector<source> places = std::move(files->found);
  auto environment = read_environment(variables);
  if (!environment) return environment.failure();
  places.push_back(std::move(*environment));
  if (!url.text.empty()) {
    auto parsed = parse_url(url.text, url.origin);
    if (!parsed) return parsed.failure();
    places.push_back({std::move(*parsed), {}});
  }
  auto all = compose(places);
  if (!all) return all.failure();
  return loaded{std::move(*all), std::move(files->places)};
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
  auto out = topology::load_with_origins({url}, environ);
  if (!out) return out.failure();
  if (out->private_server) {
    auto server = topology::private_server();
    if (!server) return server.failure();
    out->values.transport = server->transport;
    out->values.path = server->path;
  }
  return std::move(out->values);
}

result<settings_report> explain_settings(std::string_view url, std::string_view url_is) {
  auto out = topology::load_with_origins({url, url_is}, environ);
  if (!out) return out.failure();
  return settings_report{std::move(out->origins), std::move(out->files), out->private_server};
}

std::string settings::display() const {
  const std::string who = user.empty() ? std::string{} : topology::percent_encoded(user) + "@";
  const std::string index = std::to_string(database);
  if (transport == transport::unix_socket) {
    return "unix://" + who + topology::percent_encoded(path, "/") + (database == 0 ? "" : "?database=" + index);
  }
  const auto shown = [](const std::string& name, std::uint16_t at) {
    const bool is_ipv6 = name.find(':') != std::string::npos;
    return (is_ipv6 ? "[" + topology::percent_encoded(name, ":") + "]" : name) + ":" + std::to_string(at);
  };
  std::string where = quorum.empty() ? shown(host, port) : std::string{};
  for (const node_address& each : quorum) where += (where.empty() ? "" : ",") + shown(each.host, each.port);
  const std::string scheme =
      std::string{transport == transport::tls ? "rediss" : "redis"} + (quorum.empty() ? "" : "+quorum");
  return scheme + "://" + who + where + (database == 0 ? "" : "/" + index);
}

}  // namespace holdfast
