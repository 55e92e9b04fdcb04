#include "lock/server_error.hpp"

#include <array>

namespace holdfast::lock {
namespace {

struct row {
  std::string_view word;
  errc code;
  std::string_view advice;
};

constexpr std::array<row, 21> table{{
    {"WRONGTYPE", errc::wrong_type, "the key holds something that is not a lock of this kind"},
    {"OOM", errc::out_of_memory, "Redis is at maxmemory; raise it or free memory"},
    {"READONLY", errc::read_only, "this Redis is a replica; connect to the primary"},
    {"LOADING", errc::server_busy, "Redis is loading its data; try again in a while"},
    {"BUSY", errc::server_busy, "Redis is busy running a script; see SCRIPT KILL"},
    {"MASTERDOWN", errc::server_busy, "the replica has lost its primary"},
    {"NOREPLICAS", errc::server_busy, "too few replicas are connected (min-replicas-to-write)"},
    {"MISCONF", errc::server_busy, "Redis refuses writes because it cannot save to disk"},
    {"CLUSTERDOWN", errc::server_busy, "the cluster is down"},
    {"TRYAGAIN", errc::server_busy, "a slot is being moved; try again in a while"},
    {"MOVED", errc::refused,
     "this Redis is a node of a Cluster that does not serve the key; write redis+cluster:// in the URL"},
    {"ASK", errc::server_busy, "a slot is being moved; try again in a while"},
    {"CROSSSLOT", errc::protocol, "the keys of one lock fell into different slots"},
    {"NOAUTH", errc::refused, "Redis wants a password; set it in the URL or HOLDFAST_PASSWORD"},
    {"WRONGPASS", errc::refused, "user or password is wrong"},
    {"NOPERM", errc::refused, "the ACL user lacks a right; docs/operate.md lists what is needed"},
    {"EXECABORT", errc::server_busy, "the transaction was refused"},
    {"UNKILLABLE", errc::server_busy, "Redis is busy running a script that has written"},
    {"HFCOUNT", errc::bad_option, "the counts of a latch or barrier do not agree"},
    {"HFGONE", errc::lost, "what has been counted is lost: not used for its ttl, deleted, or forgotten by the server"},
    {"DENIED", errc::refused, "Redis is in protected mode; set a password or bind to loopback"},
}};

bool at_word(std::string_view text, std::size_t at, std::string_view word) {
  const bool starts = at == 0 || text[at - 1] == ' ' || text[at - 1] == '-' || text[at - 1] == ':';
  const std::size_t end = at + word.size();
  return starts && (end == text.size() || text[end] == ' ');
}

// Server texts are shown to people: cut, and freed of control characters.
std::string shown(std::string_view text) {
  std::string out{text.substr(0, 200)};
  for (char& c : out) {
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = '?';
  }
  return out;
}

// Scripts as such are refused: by the ACL (-@scripting), by a server that renamed them away, or by a proxy.
bool refuses_scripts(std::string_view text) {
  const bool refusal = text.starts_with("NOPERM") || text.find("unknown command") != std::string_view::npos;
  if (!refusal) return false;
  for (const std::string_view each : {"'eval'", "'evalsha'", "'EVAL'", "'EVALSHA'", "`EVAL`", "`EVALSHA`"}) {
    if (text.find(each) != std::string_view::npos) return true;
  }
  return false;
}

failure told(const row& known, std::string_view text) {
  return {known.code, std::string{known.advice} + " (server: " + shown(text) + ")"};
}

}  // namespace

failure server_error(std::string_view text) {
  if (refuses_scripts(text)) {
    return {errc::refused,
            "scripts are not allowed here; give the rights that docs/operate.md lists (+eval +evalsha), or set "
            "scripts = off for plain locks without a queue (server: " +
                shown(text) + ")"};
  }
  // The code in front decides; only where there is none of ours is the rest looked through (errors inside scripts).
  for (const row& known : table) {
    if (text.starts_with(known.word) && at_word(text, 0, known.word)) return told(known, text);
  }
  for (const row& known : table) {
    for (auto at = text.find(known.word); at != std::string_view::npos; at = text.find(known.word, at + 1)) {
      if (at_word(text, at, known.word)) return told(known, text);
    }
  }
  if (text.find("invalid password") != std::string_view::npos) return {errc::refused, "user or password is wrong"};
  if (text.find("executing the script can't") != std::string_view::npos) {  // Redis 7.0 puts no word before it
    return {errc::refused,
            "the ACL user lacks a right that the script needs; ACL LOG names it, docs/operate.md lists what "
            "is needed (server: " +
                shown(text) + ")"};
  }
  if (text.find("max number of clients") != std::string_view::npos) {
    return {errc::server_busy, "Redis has no connection left (maxclients)"};
  }
  return {errc::protocol, "Redis answered with an error that this command cannot give: " + shown(text)};
}

failure odd_answer(std::string_view script) {
  return {errc::protocol, "the answer to the " + std::string{script} + " script is not of a form that it can return"};
}

bool is_noscript(std::string_view text) noexcept { return text.starts_with("NOSCRIPT"); }

bool is_passing(errc code) noexcept { return code == errc::server_busy; }

}  // namespace holdfast::lock
