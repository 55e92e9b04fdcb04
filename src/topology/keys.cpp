// See keys.hpp.
#include "topology/keys.hpp"

#include "topology/duration.hpp"
#include "topology/text.hpp"

#include <algorithm>
#include <array>
#include <charconv>

namespace holdfast::topology {
namespace {

template <class Number>
bool assign_number(Number& into, std::string_view text, Number least) {
  Number value{};
  const char* const end = text.data() + text.size();
  const auto [rest, problem] = std::from_chars(text.data(), end, value);
  if (problem != std::errc{} || rest != end || value < least) return false;
  into = value;
  return true;
}

template <std::chrono::milliseconds settings::*field>
bool assign_duration(settings& into, std::string_view text) {
  const auto value = parse_duration(text);
  if (value) into.*field = *value;
  return value.has_value();
}

template <std::chrono::milliseconds settings::*field>
std::string describe_duration(const settings& from) {
  return format_duration(from.*field);
}

// NUL would end the text early wherever a C interface takes it.
template <std::string settings::*field>
bool assign_text(settings& into, std::string_view text) {
  if (text.find('\0') != std::string_view::npos) return false;
  into.*field = text;
  return true;
}

template <std::string settings::*field>
bool assign_filled(settings& into, std::string_view text) {
  return !text.empty() && assign_text<field>(into, text);
}

template <std::string settings::*field>
std::string describe_text(const settings& from) {
  return from.*field;
}

bool assign_database(settings& into, std::string_view text) { return assign_number(into.database, text, 0); }

bool assign_in_flight(settings& into, std::string_view text) {
  return assign_number(into.max_in_flight, text, std::uint32_t{1});
}

bool assign_protocol(settings& into, std::string_view text) {
  if (text == "auto") return into.protocol = 0, true;
  if (text == "2") return into.protocol = 2, true;
  if (text == "3") return into.protocol = 3, true;
  return false;
}

template <bool settings::*field>
bool assign_switch(settings& into, std::string_view text) {
  if (text != "on" && text != "off") return false;
  into.*field = text == "on";
  return true;
}

template <bool settings::*field>
std::string describe_switch(const settings& from) {
  return from.*field ? "on" : "off";
}

// The server refuses other bytes in CLIENT SETNAME, too late for a good error text.
bool assign_client_name(settings& into, std::string_view text) {
  const bool graphic = std::all_of(text.begin(), text.end(), [](char c) { return c >= '!' && c <= '~'; });
  return graphic && assign_filled<&settings::client_name>(into, text);
}

bool assign_verify(settings& into, std::string_view text) {
  if (text == "yes") return into.tls_verify = true, true;
  if (text == "no") return into.tls_verify = false, true;
  return false;
}

bool assign_replicas(settings& into, std::string_view text) {
  if (text == "majority") return into.replicas = majority, true;
  int count = 0;
  if (!assign_number(count, text, 0) || count > most_replicas) return false;
  into.replicas = count;
  return true;
}

std::string describe_replicas(const settings& from) {
  return from.replicas == majority ? "majority" : std::to_string(from.replicas.value);
}

bool assign_sentinel_tls(settings& into, std::string_view text) {
  if (text == "yes") return into.sentinel_tls = true, true;
  if (text == "no") return into.sentinel_tls = false, true;
  return false;
}

std::string describe_sentinel_tls(const settings& from) {
  return from.sentinel_tls.value_or(from.transport == transport::tls) ? "yes" : "no";
}

constexpr std::string_view duration_form = "a duration such as 250ms, 2s or 1m (more than zero, at most 24 days)";
constexpr std::string_view file_form = "the name of a file in PEM form";

constexpr std::array table{
    setting_key{"user", "a user's name", false, false, assign_text<&settings::user>, describe_text<&settings::user>},
    setting_key{"password", "a password (it is empty)", true, false, assign_filled<&settings::password>,
                describe_text<&settings::password>},
    setting_key{"database", "a database index from 0 to 2147483647", false, false, assign_database,
                [](const settings& from) { return std::to_string(from.database); }},
    setting_key{"connect_timeout", duration_form, false, false, assign_duration<&settings::connect_timeout>,
                describe_duration<&settings::connect_timeout>},
    setting_key{"command_timeout", duration_form, false, false, assign_duration<&settings::command_timeout>,
                describe_duration<&settings::command_timeout>},
    setting_key{"keep_alive", duration_form, false, false, assign_duration<&settings::keep_alive>,
                describe_duration<&settings::keep_alive>},
    setting_key{
        "protocol", "auto, 2 or 3", false, false, assign_protocol,
        [](const settings& from) { return from.protocol == 0 ? std::string{"auto"} : std::to_string(from.protocol); }},
    setting_key{"max_in_flight", "a number from 1 to 4294967295", false, false, assign_in_flight,
                [](const settings& from) { return std::to_string(from.max_in_flight); }},
    setting_key{"client_name", "a name of printable ASCII characters without blanks", false, false, assign_client_name,
                describe_text<&settings::client_name>},
    setting_key{"prefix", "a text without NUL", false, false, assign_text<&settings::prefix>,
                describe_text<&settings::prefix>},
    setting_key{"spin", "on or off", false, false, assign_switch<&settings::spin>, describe_switch<&settings::spin>},
    setting_key{"scripts", "on or off", false, false, assign_switch<&settings::scripts>,
                describe_switch<&settings::scripts>},
    setting_key{"replicas", "a number from 0 to 1000, or majority", false, false, assign_replicas, describe_replicas},
    setting_key{"sentinel_user", "a user's name", false, false, assign_text<&settings::sentinel_user>,
                describe_text<&settings::sentinel_user>},
    setting_key{"sentinel_password", "a password (it is empty)", true, false,
                assign_filled<&settings::sentinel_password>, describe_text<&settings::sentinel_password>},
    setting_key{"sentinel_tls", "yes or no", false, false, assign_sentinel_tls, describe_sentinel_tls},
    setting_key{"max_ttl", duration_form, false, false, assign_duration<&settings::max_ttl>,
                describe_duration<&settings::max_ttl>},
    setting_key{"node_timeout", duration_form, false, false, assign_duration<&settings::node_timeout>,
                describe_duration<&settings::node_timeout>},
    setting_key{"tls_ca", file_form, false, true, assign_filled<&settings::tls_ca>, describe_text<&settings::tls_ca>},
    setting_key{"tls_cert", file_form, false, true, assign_filled<&settings::tls_cert>,
                describe_text<&settings::tls_cert>},
    setting_key{"tls_key", file_form, false, true, assign_filled<&settings::tls_key>,
                describe_text<&settings::tls_key>},
    setting_key{"tls_server_name", "a host name", false, true, assign_filled<&settings::tls_server_name>,
                describe_text<&settings::tls_server_name>},
    setting_key{"tls_verify", "yes or no", false, true, assign_verify,
                [](const settings& from) { return std::string{from.tls_verify ? "yes" : "no"}; }},
};

}  // namespace

std::span<const setting_key> setting_keys() noexcept { return table; }

const setting_key* find_key(std::string_view name) noexcept {
  const auto* const found = std::find_if(table.begin(), table.end(), [&](const auto& key) { return key.name == name; });
  return found == table.end() ? nullptr : found;
}

std::string environment_name(const setting_key& key) {
  std::string out = "HOLDFAST_";
  for (const char c : key.name) out += c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  return out;
}

result<void> apply(const assignment& what, settings& into) {
  if (what.key->assign(into, what.value)) return {};
  std::string text = what.origin + ": " + std::string{what.key->name};
  if (!what.key->secret) text += " " + quoted(what.value);
  return failure{what.kind, text + " is not " + std::string{what.key->form}};
}

result<void> refuse_repeated(std::span<const assignment> of_one_place) {
  for (std::size_t i = 0; i < of_one_place.size(); ++i) {
    for (std::size_t k = 0; k < i; ++k) {
      const auto& first = of_one_place[k];
      const auto& second = of_one_place[i];
      if (first.key != second.key) continue;
      std::string text = second.origin + ": " + std::string{second.key->name} + " is given twice";
      if (first.origin != second.origin) text += ", also by " + first.origin;
      return failure{second.kind, text + "; keep one"};
    }
  }
  return {};
}

}  // namespace holdfast::topology
