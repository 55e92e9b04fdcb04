// What `holdfast doctor --quick --json` said, for the tests of the verb.
#pragma once

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "cli/command.hpp"
#include "support/json.hpp"
#include "support/redis_server.hpp"

namespace holdfast::test {

struct seen_finding {
  std::string severity;
  std::string seen;
  std::string why;
  std::string fix;
  bool known = true;
};

struct seen_diagnosis {
  outcome run;
  boost::json::value json;
  std::map<std::string, seen_finding> findings;

  [[nodiscard]] std::string severity(const std::string& id) const {
    const auto found = findings.find(id);
    return found == findings.end() ? "no such finding" : found->second.severity;
  }
};

inline seen_diagnosis examine_with(std::vector<std::string> words, const environment& variables) {
  words.insert(words.begin(), {"doctor", "--json", "--quick"});
  seen_diagnosis out;
  out.run = holdfast_run(words, variables);
  EXPECT_FALSE(out.run.out.empty()) << out.run.err;
  if (out.run.out.empty()) return out;
  out.json = parse_json(out.run.out);
  for (const auto& each : out.json.at("findings").as_array()) {
    out.findings[text_at(each, "id")] = {text_at(each, "severity"), text_at(each, "seen"), text_at(each, "why"),
                                         text_at(each, "fix"), each.at("known").as_bool()};
  }
  return out;
}

inline seen_diagnosis examine(const redis_server& server, const environment& more = {}) {
  environment variables = more;
  variables.emplace("HOLDFAST_URL", server.url());
  return examine_with({}, variables);
}

inline void expect_finding(const seen_diagnosis& got, const std::string& id, const std::string& severity,
                           const std::string& word = {}) {
  ASSERT_TRUE(got.findings.contains(id)) << id;
  const seen_finding& one = got.findings.at(id);
  EXPECT_EQ(one.severity, severity) << id << ": " << one.seen;
  const std::string all = one.seen + "|" + one.why + "|" + one.fix;
  EXPECT_NE(all.find(word), std::string::npos) << word << " is not in: " << all;
}

}  // namespace holdfast::test
