// The one table of settings: URL query, environment and config file all read their keys from here.
//
// A new setting is a field in holdfast::settings and a row in keys.cpp; the three readers, `holdfast config`, and the
// tests that walk the table then know it. Immutable, safe from any thread.
#pragma once

#include <holdfast/settings.hpp>

#include <span>
#include <string>
#include <string_view>

namespace holdfast::topology {

struct setting_key {
  std::string_view name;  // in a file and in a URL's query; in the environment HOLDFAST_ and this in capitals
  std::string_view form;  // what a value looks like, to follow "is not": "a duration such as 250ms, 2s or 1m"
  bool secret;            // its value never appears in any text
  bool tls;               // makes sense with rediss:// only
  bool (*assign)(settings& into, std::string_view value);  // false: the value does not have the form
  std::string (*describe)(const settings& from);           // the value as a source would write it
};

[[nodiscard]] std::span<const setting_key> setting_keys() noexcept;
[[nodiscard]] const setting_key* find_key(std::string_view name) noexcept;
[[nodiscard]] std::string environment_name(const setting_key& key);  // "HOLDFAST_COMMAND_TIMEOUT"

// One key given by one place.
struct assignment {
  const setting_key* key;
  std::string value;
  std::string origin;  // "URL", "HOLDFAST_DATABASE", "/etc/holdfast.conf:3"
  errc kind;           // what a complaint about it is: bad_url or bad_option
};

// Sets the field, or complains with the origin, the key and (unless secret) the value.
[[nodiscard]] result<void> apply(const assignment& what, settings& into);

// A key that one place gives twice says nothing certain; refused with both origins.
[[nodiscard]] result<void> refuse_repeated(std::span<const assignment> of_one_place);

}  // namespace holdfast::topology
