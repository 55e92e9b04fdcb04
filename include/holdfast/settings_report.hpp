// Which setting has which value, and where it came from: the library behind `holdfast config`.
//
//   for (const auto& each : holdfast::explain_settings().value().values) print(each.key, each.value, each.from);
//
// Reads what settings::load reads (files, environment, URL) and starts nothing: no connection, no private Redis. Passwords
// are shown as ***. Thread-safe as long as nobody changes the environment meanwhile.
#pragma once

#include <holdfast/result.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace holdfast {

struct setting_origin {
  std::string key;
  std::string value;  // a password as "***", also inside the URL
  std::string from;   // "default", "/etc/holdfast.conf:3", "HOLDFAST_PREFIX", or what the caller named its URL
};

// One place where a config file was looked for.
struct config_place {
  std::string path;
  bool read = false;  // false: there is none
};

struct settings_report {
  std::vector<setting_origin> values;  // every key, `url` first
  std::vector<config_place> files;     // from the weakest to the strongest
  bool private_server = false;         // nothing says where Redis is: the user's private one would be found or started
};

// `url` as for settings::load; `url_is` is what origins and complaints call it ("--url"). Fails with what settings::load
// fails with: bad_url and bad_option name the file, the line and the word.
result<settings_report> explain_settings(std::string_view url = {}, std::string_view url_is = "URL");

}  // namespace holdfast
