// The plain mutex without scripts: what acquire.lua, release.lua and renew.lua do, spelled out in WATCH, MULTI and EXEC.
//
// Takes the keys and arguments that the script would get and ends in the answer that it would give, so everything above
// (machines, leases, statistics) is the same with and without scripts. Two rounds, each a few commands that travel
// together:
//
//   look   UNWATCH, WATCH, GET …          the server remembers whether anybody writes these keys from here on
//   act    MULTI, SET | DEL | PEXPIRE …, EXEC    done as a whole, or not at all (nil) if somebody has: look again
//
// So what was seen still holds when it is acted upon, as inside a script. All of it is idempotent for one owner: after a
// broken link it begins anew. UNWATCH first, because a transaction that was given up leaves its watch behind.
//
// The watch belongs to the connection: between look and act no other transaction may run on it (net::request::takes_turn).
// Pure. docs/family.md, "Without scripts", has it failure by failure.
#pragma once

#include "lock/flavour.hpp"
#include "resp/value.hpp"
#include "scripts/sources.hpp"

#include <holdfast/error.hpp>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace holdfast::lock {

class transaction {
 public:
  using command = std::vector<std::string>;

  // Whether it can stand in for the script.
  [[nodiscard]] static bool knows(const scripts::script& what) noexcept;

  // `values`: the script's keys, `keys` of them, and its arguments. The script must be known.
  transaction(const scripts::script& what, std::vector<std::string> values, std::size_t keys);

  // What to send now.
  [[nodiscard]] const std::vector<command>& round() const noexcept { return round_; }

  // Takes the answers to the round, one for each command. Nothing: another round is to be sent.
  std::optional<resp::value> answered(std::span<const resp::value> replies);

 private:
  enum class kind : unsigned char { acquire, release, renew };
  using outcome = std::optional<resp::value>;

  void look();
  void act(std::vector<command> what);
  outcome seen(std::span<const resp::value> replies);
  outcome seen_by_acquire(std::span<const resp::value> replies);
  outcome done(const resp::value& replies);
  outcome finish(resp::value answer);
  void draw(std::vector<command>& into, const std::string& clock);

  [[nodiscard]] const std::string& key() const { return values_[0]; }
  [[nodiscard]] const std::string& owner() const { return values_[keys_]; }
  [[nodiscard]] const std::string& ttl() const { return values_[keys_ + 1]; }  // acquire, renew
  [[nodiscard]] bool fenced() const { return values_[keys_ + 3] == "1"; }      // acquire
  [[nodiscard]] const std::string& waiters() const { return values_[1]; }      // acquire
  [[nodiscard]] const std::string& counter() const { return values_[3]; }      // acquire
  [[nodiscard]] const std::string* note() const;                               // release, renew: null if none is given

  kind kind_;
  std::vector<std::string> values_;
  std::size_t keys_;
  std::vector<command> round_;
  bool acting_ = false;
  int rounds_ = 0;
  std::string number_;                  // acquire: the fence, where it is known before acting
  std::optional<resp::value> undoing_;  // what to answer once the half-done acquire is undone
};

// Whether a lock of this kind can be had without scripts: only the plain one.
[[nodiscard]] bool works_without_scripts(const flavour& what) noexcept;

// `bad_option`, for what cannot be had.
[[nodiscard]] failure needs_scripts(std::string_view what);

}  // namespace holdfast::lock
