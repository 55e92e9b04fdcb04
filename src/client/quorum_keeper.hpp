// A cache's values on the nodes of a quorum: a value is what a majority of them keeps (docs/quorum_family.md, "cache").
#pragma once

#include "client/cache_keeper.hpp"
#include "client/round_call.hpp"

#include <holdfast/options.hpp>

namespace holdfast::detail {

class quorum_keeper final : public cache_keeper {
 public:
  quorum_keeper(std::shared_ptr<core> owner, options locks) : core_{std::move(owner)}, locks_{std::move(locks)} {}

  result<std::optional<lock::cache_entry>> read(guard_type& guard, const std::string& key) override;
  bool store(guard_type& guard, const brought& what) override;
  result<void> replace(const replacement& what) override;
  // One number stands for one lock: the nodes tell writings apart by it.
  [[nodiscard]] bool renumbers() const noexcept override { return false; }

 private:
  // One number above those of all who load; and what is kept under it. `busy`: too many nodes are young.
  result<std::uint64_t> draw(guard_type& guard, const std::string& key);
  // False: where something newer is kept it was not.
  result<bool> write(guard_type& guard, const replacement& what, std::uint64_t number);
  void open_fresh(std::string_view name);
  failure refusal(const round_call& asked) const;

  const std::shared_ptr<core> core_;
  const options locks_;
};

}  // namespace holdfast::detail
