// The table of keys: every key works from the URL, the environment and a file, with the same values refused.
#include "topology/config_file.hpp"
#include "topology/duration.hpp"
#include "topology/environment.hpp"
#include "topology/keys.hpp"
#include "topology/text.hpp"

#include <gtest/gtest.h>

#include <map>

namespace holdfast::topology {
namespace {

struct sample {
  std::string good;  // not the default
  std::vector<std::string> bad;
};

const std::vector<std::string> bad_durations{"0", "-1", "0s", "1h", "1.5s", "s", "", "9999999999s", "1 s", "5ss"};

const std::map<std::string_view, sample> samples{
    {"user", {"ops", {}}},
    {"password", {"hunter2", {""}}},
    {"database", {"7", {"", "-1", "x", "2147483648", "1x"}}},
    {"connect_timeout", {"7s", bad_durations}},
    {"command_timeout", {"250ms", bad_durations}},
    {"keep_alive", {"1m", bad_durations}},
    {"protocol", {"3", {"", "1", "4", "23", "AUTO", "resp3"}}},
    {"spin", {"off", {"", "yes", "no", "OFF", "1"}}},
    {"scripts", {"off", {"", "yes", "no", "OFF", "1"}}},
    {"max_in_flight", {"12", {"", "0", "-1", "4294967296", "many"}}},
    {"client_name", {"billing", {"", "two words", "\x7f", "\xc3\xa4"}}},
    {"prefix", {"lock:", {}}},
    {"replicas", {"majority", {"", "-1", "1001", "x", "all"}}},
    {"sentinel_user", {"watch", {}}},
    {"sentinel_password", {"hunter3", {""}}},
    {"sentinel_tls", {"yes", {"", "true", "0", "YES"}}},
    {"max_ttl", {"2s", bad_durations}},
    {"node_timeout", {"20ms", bad_durations}},
    {"tls_ca", {"/etc/ca.pem", {""}}},
    {"tls_cert", {"/etc/cert.pem", {""}}},
    {"tls_key", {"/etc/key.pem", {""}}},
    {"tls_server_name", {"redis.example", {""}}},
    {"tls_verify", {"no", {"", "true", "0", "YES"}}},
};

result<source> by_url(std::string_view key, const std::string& value) {
  auto url = parse_url("rediss://h?" + std::string{key} + "=" + percent_encoded(value));
  if (!url) return url.failure();
  return source{std::move(*url), {}};
}

result<source> by_environment(const setting_key& key, const std::string& value) {
  const auto entry = environment_name(key) + "=" + value;
  const char* const variables[] = {"PATH=/bin", entry.c_str(), nullptr};
  return read_environment(variables);
}

result<source> by_file(std::string_view key, const std::string& value) {
  return parse_config("# comment\n\n" + std::string{key} + " = " + value + "\n", "/f.conf");
}

TEST(SettingsKeys, EveryKeyHasASampleAndAnEffect) {
  ASSERT_EQ(setting_keys().size(), samples.size());
  for (const auto& key : setting_keys()) {
    ASSERT_TRUE(samples.contains(key.name)) << key.name;
    const auto& good = samples.at(key.name).good;
    settings values;
    EXPECT_NE(key.describe(values), good) << key.name << ": the sample must differ from the default";
    EXPECT_TRUE(key.assign(values, good)) << key.name;
    EXPECT_EQ(key.describe(values), good) << key.name;
  }
}

TEST(SettingsKeys, EveryKeyFromAllThreePlaces) {
  for (const auto& key : setting_keys()) {
    const auto& [good, bad] = samples.at(key.name);
    const auto url = by_url(key.name, good);
    ASSERT_TRUE(url) << url.failure().detail;
    const auto environment = by_environment(key, good);
    ASSERT_TRUE(environment) << environment.failure().detail;
    const auto file = by_file(key.name, good);
    ASSERT_TRUE(file) << file.failure().detail;
    for (const auto* const values : {&url->url->values, &environment->values, &file->values}) {
      ASSERT_EQ(values->size(), 1U) << key.name;
      EXPECT_EQ(values->front().key, &key);
      EXPECT_EQ(values->front().value, good);
    }
  }
}

TEST(SettingsKeys, BadValuesAreRefusedEverywhereByNameAndOrigin) {
  for (const auto& key : setting_keys()) {
    for (const auto& value : samples.at(key.name).bad) {
      const std::pair<result<source>, std::string> cases[] = {
          {by_url(key.name, value), "URL"},
          {by_environment(key, value), environment_name(key)},
          {by_file(key.name, value), "/f.conf:3"},
      };
      for (const auto& [got, origin] : cases) {
        ASSERT_FALSE(got) << key.name << "=" << value << " " << origin;
        const auto& [code, text, sent] = got.failure();
        EXPECT_EQ(code, origin == "URL" ? errc::bad_url : errc::bad_option) << text;
        EXPECT_NE(text.find(origin), std::string::npos) << text;
        EXPECT_NE(text.find(key.name), std::string::npos) << text;
        // A file's reader trims, so quote what is left of the value.
        EXPECT_TRUE(key.secret || text.find(quoted(trimmed(value))) != std::string::npos) << text;
      }
    }
  }
}

TEST(SettingsKeys, NulIsRefusedInEveryText) {
  for (const auto& key : setting_keys()) {
    settings values;
    EXPECT_FALSE(key.assign(values, std::string_view{"a\0b", 3})) << key.name;
  }
}

TEST(SettingsKeys, Durations) {
  using std::chrono::milliseconds;
  EXPECT_EQ(parse_duration("250ms"), milliseconds{250});
  EXPECT_EQ(parse_duration("250"), milliseconds{250});
  EXPECT_EQ(parse_duration("2s"), milliseconds{2000});
  EXPECT_EQ(parse_duration("1m"), milliseconds{60'000});
  EXPECT_EQ(parse_duration("2147483647"), longest_duration);
  EXPECT_EQ(parse_duration("2147483648"), std::nullopt);
  EXPECT_EQ(parse_duration("35792m"), std::nullopt);
  EXPECT_EQ(parse_duration("18446744073709551616"), std::nullopt);
  EXPECT_EQ(parse_duration("307445734561826m"), std::nullopt);  // times 60,000 wraps around 2^64
  EXPECT_EQ(parse_duration("+1s"), std::nullopt);
  EXPECT_EQ(parse_duration(" 1s"), std::nullopt);
  for (const auto count : {1, 250, 1000, 1500, 60'000, 61'000}) {
    EXPECT_EQ(parse_duration(format_duration(milliseconds{count})), milliseconds{count});
  }
}

}  // namespace
}  // namespace holdfast::topology
