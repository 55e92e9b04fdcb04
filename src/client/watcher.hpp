// Whoever wants to hear that something about a lock has changed (lock/messages.hpp: leader). In the core's list.
#pragma once

#include <string>

namespace holdfast::detail {

class watcher {
 public:
  explicit watcher(std::string lock_key) : key{std::move(lock_key)} {}
  watcher(const watcher&) = delete;
  watcher& operator=(const watcher&) = delete;

  // It may have changed: look. With the client's mutex held; must not call back.
  virtual void hint() = 0;

  const std::string key;

 protected:
  ~watcher() = default;
};

}  // namespace holdfast::detail
