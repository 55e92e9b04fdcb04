// What the tests of elections share: the seat "seat", who leads there, and the notes of a watch.
//
// Thread safety: notes may be read while a watch writes them.
#pragma once

#include <mutex>
#include <string>
#include <vector>

#include "redis/common.hpp"

namespace holdfast::test {

inline const std::string record = "{seat}:leader";

inline std::string who_leads(client& redis) {
  const auto seen = leader_of(redis, "seat");
  return !seen ? std::string{to_string(seen.code())} : *seen ? (*seen)->id : "nobody";
}

// What a watch was told, in order.
class notes {
 public:
  leader_watch::callback callback() {
    return [this](const std::optional<leader>& who) {
      const std::lock_guard lock{mutex_};
      all_.push_back(who ? who->id : "nobody");
    };
  }
  [[nodiscard]] std::string last() const {
    const std::lock_guard lock{mutex_};
    return all_.empty() ? "" : all_.back();
  }
  [[nodiscard]] bool end_with(const std::string& what) const {
    return eventually(patience, [&] { return last() == what; });
  }
  [[nodiscard]] std::vector<std::string> all() const {
    const std::lock_guard lock{mutex_};
    return all_;
  }

 private:
  mutable std::mutex mutex_;
  std::vector<std::string> all_;
};

}  // namespace holdfast::test
