// Structured values with times, kept as JSON. Boost.JSON is used without its library: its code is included here, once.
#include <holdfast/cache_json.hpp>
#include <holdfast/holdfast.hpp>

#include <boost/describe.hpp>
#include <boost/json/src.hpp>

#include <chrono>
#include <iostream>
#include <string>

using namespace std::chrono_literals;

struct user {
  std::string name;
  int visits = 0;
  holdfast::timestamp since;
};
BOOST_DESCRIBE_STRUCT(user, (), (name, visits, since))

int main() {
  holdfast::client redis;
  holdfast::cache<user, holdfast::json_codec<user>> users{redis};
  const auto since = std::chrono::sys_days{std::chrono::year{2026} / 3 / 1} + 12h + 30min;

  users.get_or_load("user:7", 60s, [&] { return user{"Ada", 3, since}; });
  const auto read = users.get("user:7").value();  // from Redis: {"name":"Ada","visits":3,"since":"2026-03-01T12:…Z"}
  const auto missing = users.get_or_load("user:8", 60s, [] { return std::optional<user>{}; });

  std::cout << (*read)->name << " since " << holdfast::to_iso8601((*read)->since) << "\n";
  return (*read)->since.at == since && !missing ? 0 : 1;
}
