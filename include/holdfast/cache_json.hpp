// Structured values for `cache`, as JSON, through Boost.JSON. The plain headers need no Boost; this one does.
//
//   struct user { std::string name; holdfast::timestamp since; };
//   BOOST_DESCRIBE_STRUCT(user, (), (name, since))              // or tag_invoke functions of your own
//   holdfast::cache<user, holdfast::json_codec<user>> users{redis};
//
// Whatever boost::json::value_from and value_to can convert. Boost.JSON has no rule for std::chrono, and rules for types
// of std cannot be added from outside; `timestamp` is a time point that has one: ISO 8601 in UTC with microseconds, as
// in codec.hpp. It converts from and to std::chrono::sys_time, so that a struct's user need not notice it.
//
// Boost.JSON's own code: include <boost/json/src.hpp> in one file of the program, or link Boost::json.
// Thread safety: static functions without state.
#pragma once

#include <holdfast/codec.hpp>

#include <boost/json.hpp>

#include <compare>
#include <string>
#include <string_view>

namespace holdfast {

struct timestamp {
  timestamp_value at{};

  timestamp() = default;
  template <class Duration>
  timestamp(const std::chrono::sys_time<Duration>& when) : at{std::chrono::floor<std::chrono::microseconds>(when)} {}
  operator timestamp_value() const noexcept { return at; }

  friend auto operator<=>(const timestamp&, const timestamp&) = default;
};

inline void tag_invoke(boost::json::value_from_tag /*tag*/, boost::json::value& out, const timestamp& from) {
  out = to_iso8601(from.at);
}

inline timestamp tag_invoke(boost::json::value_to_tag<timestamp> /*tag*/, const boost::json::value& from) {
  const auto& text = from.as_string();
  return timestamp{from_iso8601({text.data(), text.size()})};
}

template <class T>
struct json_codec {
  static std::string encode(const T& value) { return boost::json::serialize(boost::json::value_from(value)); }
  static T decode(std::string_view text) {
    return boost::json::value_to<T>(boost::json::parse({text.data(), text.size()}));
  }
};

}  // namespace holdfast
