// The members of a multi_lease, and the one signal for the loss of any.
//
// Thread safety: the signal is told by the callback thread while others ask; it has a mutex of its own. Leases look after
// themselves.
#pragma once

#include <holdfast/lease.hpp>

#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

namespace holdfast::detail {

class loss_signal {
 public:
  // Only the first counts. Runs callbacks without the mutex.
  void tell(const loss& what);
  void add(std::function<void(const loss&)> callback);
  [[nodiscard]] std::stop_token token() const { return stop_.get_token(); }
  // Released: nothing is told any more.
  void silence();

 private:
  std::mutex mutex_;
  std::stop_source stop_;
  std::optional<loss> first_;
  bool silent_ = false;
  std::vector<std::function<void(const loss&)>> callbacks_;
};

struct multi_held {
  std::vector<std::string> names;  // in the order of taking
  std::vector<lease> members;      // likewise
  std::shared_ptr<loss_signal> signal;
};

// Gives back all that are held, in one round trip.
release_outcome release_all(std::span<lease> members) noexcept;

}  // namespace holdfast::detail
