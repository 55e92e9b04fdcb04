// What the command prints with --json, read by a parser that is not ours (Boost.JSON, header only; json.cpp compiles it).
// Throws boost::system::system_error for what is not JSON.
#pragma once

#include <boost/json.hpp>

#include <string>
#include <string_view>

namespace holdfast::test {

inline boost::json::value parse_json(std::string_view text) {
  return boost::json::parse(boost::json::string_view{text.data(), text.size()});
}

inline std::string text_at(const boost::json::value& object, const char* key) {
  return std::string{object.at(key).as_string()};
}

}  // namespace holdfast::test
