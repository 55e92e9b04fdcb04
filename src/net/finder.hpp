// Says where a connection goes: asked anew before every attempt, so that a server that has moved is found.
//
// Place: between the multiplexed connection, which dials what it is told, and whoever knows (the name service, or the
// Sentinels: topology/sentinel_finder.hpp). Thread safety: one thread at a time calls; `wake` is called from any thread,
// may only signal, and is never called after the destructor returned.
#pragma once

#include "net/resolver.hpp"

#include <holdfast/result.hpp>
#include <holdfast/settings.hpp>

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace holdfast::net {

struct found {
  endpoint where;                  // as it was named; empty host for a Unix socket
  std::vector<address> addresses;  // at least one
};

class finder {
 public:
  finder() = default;
  virtual ~finder() = default;
  finder(const finder&) = delete;
  finder& operator=(const finder&) = delete;

  // Begins to look. The answer may be there at once: call poll() straight after, and whenever `wake` was called.
  virtual void start(std::function<void()> wake) = 0;

  // Nothing while the search is under way; then its outcome, once.
  [[nodiscard]] virtual std::optional<result<found>> poll() = 0;

  // What the last search gave is no longer it: leave there, or do not go there, and look again.
  [[nodiscard]] virtual bool outdated() { return false; }

  // It may name a server that is no primary (any more): whoever connects has to ask for its role.
  [[nodiscard]] virtual bool may_be_wrong() const noexcept { return false; }

  // What a search that does not end is about: "the name cache-1 was not resolved in time".
  [[nodiscard]] virtual std::string unfinished() const = 0;
};

// The one that the settings name.
class direct_finder final : public finder {
 public:
  explicit direct_finder(const settings& how) : how_{how} {}
  void start(std::function<void()> wake) override;
  [[nodiscard]] std::optional<result<found>> poll() override;
  [[nodiscard]] std::string unfinished() const override;

 private:
  const settings& how_;
  resolver resolver_;
};

}  // namespace holdfast::net
