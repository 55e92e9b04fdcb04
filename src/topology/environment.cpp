// See environment.hpp.
#include "topology/environment.hpp"

#include "topology/text.hpp"

#include <algorithm>
#include <array>

namespace holdfast::topology {
namespace {

constexpr std::string_view own_prefix = "HOLDFAST_";

constexpr std::array<std::string_view, 8> reserved{"HOLDFAST_NAME",  "HOLDFAST_KEY",    "HOLDFAST_OWNER",
                                                   "HOLDFAST_FENCE", "HOLDFAST_TTL_MS", "HOLDFAST_LOST_FD",
                                                   "HOLDFAST_TERM",  "HOLDFAST_CONFIG"};

bool is_reserved(std::string_view name) {
  return name.starts_with("HOLDFAST_TEST_") || std::find(reserved.begin(), reserved.end(), name) != reserved.end();
}

const setting_key* key_of(std::string_view name) {
  for (const auto& key : setting_keys()) {
    if (environment_name(key) == name) return &key;
  }
  return nullptr;
}

}  // namespace

result<source> read_environment(const char* const* variables) {
  source out;
  for (; variables != nullptr && *variables != nullptr; ++variables) {
    const std::string_view entry{*variables};
    const auto equals = entry.find('=');
    const auto name = entry.substr(0, equals);
    if (equals == std::string_view::npos || !name.starts_with(own_prefix) || is_reserved(name)) continue;
    const auto value = entry.substr(equals + 1);
    if (name == "HOLDFAST_URL") {
      if (value.empty()) {
        return failure{errc::bad_url,
                       "HOLDFAST_URL is set but empty; give it a URL, or unset it for the private Redis"};
      }
      if (out.url) return failure{errc::bad_url, "HOLDFAST_URL stands in the environment twice; keep one"};
      auto url = parse_url(value, name);
      if (!url) return url.failure();
      out.url = std::move(*url);
    } else if (const auto* const key = key_of(name)) {
      out.values.push_back({key, std::string{value}, std::string{name}, errc::bad_option});
    } else {
      return failure{errc::bad_option, "the environment variable " + quoted(name) +
                                           " is not a setting of Holdfast; correct its name or unset it"};
    }
  }
  if (auto good = check(out); !good) return good.failure();
  return out;
}

std::optional<std::string_view> variable(const char* const* variables, std::string_view name) {
  for (; variables != nullptr && *variables != nullptr; ++variables) {
    const std::string_view entry{*variables};
    if (entry.size() > name.size() && entry.starts_with(name) && entry[name.size()] == '=') {
      return entry.substr(name.size() + 1);
    }
  }
  return std::nullopt;
}

}  // namespace holdfast::topology
