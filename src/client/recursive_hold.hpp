// One recursive lock as this process knows it: who is inside, how deep, and the lease. Shared by all recursive_mutex
// objects of one client with the same key, so that entering again works by name and not by object.
//
// The gate admits one visitor at a time before the server is asked, as that of holdfast::mutex does.
// Thread safety: everything may be called from any thread.
#pragma once

#include "client/core.hpp"
#include "lock/flavour.hpp"
#include "lock/recursion.hpp"

#include <holdfast/lease.hpp>
#include <holdfast/options.hpp>

#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

namespace holdfast::detail {

class recursive_hold {
 public:
  // The one of this key, made if there is none.
  static std::shared_ptr<recursive_hold> of(const std::shared_ptr<core>& owner, const std::string& key);

  recursive_hold(std::shared_ptr<core> owner, const std::string& key);

  // No limit: as long as it takes, or `how.stop`. Zero: one try. `how` counts if this is the outermost hold.
  result<void> enter(const lock::visitor& who, std::string_view name, const options& how,
                     std::optional<std::chrono::nanoseconds> limit);
  release_outcome leave(const lock::visitor& who) noexcept;
  [[nodiscard]] std::uint64_t depth(const lock::visitor& who) const;

  // The lease of the current hold or of the last; its functions are safe from any thread.
  [[nodiscard]] std::shared_ptr<lease> current() const;

 private:
  // What the gate said: whether to ask the server, or the whole answer.
  struct admission {
    bool ask = false;
    result<void> answer{};
  };
  admission pass_gate(const lock::visitor& who, std::string_view name, const options& how,
                      std::optional<std::chrono::nanoseconds> limit);
  result<void> ask_server(const lock::visitor& who, std::string_view name, options how,
                          std::optional<std::chrono::nanoseconds> left);
  void open() noexcept;

  const std::shared_ptr<core> owner_;
  const lock::flavour_ptr flavour_;

  mutable std::mutex guard_;
  std::condition_variable_any opened_;
  lock::recursion inside_;
  std::shared_ptr<lease> lease_ = std::make_shared<lease>();
};

// The calling thread as a visitor.
lock::visitor this_thread_as_visitor();

}  // namespace holdfast::detail
