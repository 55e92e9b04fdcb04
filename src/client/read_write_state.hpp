// What a read-write lock has behind its face: the holds of its threads, and what tells one kind of it from the other.
//
// Thread safety: everything may be called from any thread; a hold is touched by its own thread only.
#pragma once

#include "client/core.hpp"
#include "client/thread_holds.hpp"
#include "client/time_limit.hpp"
#include "lock/flavour.hpp"

#include <holdfast/lease.hpp>
#include <holdfast/options.hpp>
#include <holdfast/result.hpp>

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace holdfast::detail {

class read_write_state {
 public:
  struct sides {
    lock::flavour_ptr reader;
    lock::flavour_ptr writer;
  };

  read_write_state(std::shared_ptr<core> connected, std::string_view name, options how, sides which)
      : core_{std::move(connected)}, name_{name}, how_{std::move(how)}, which_{std::move(which)} {}
  read_write_state(const read_write_state&) = delete;
  read_write_state& operator=(const read_write_state&) = delete;
  virtual ~read_write_state() = default;

  // From writer to reader; `held` may hold nothing.
  virtual result<void> downgrade(lease& held) const = 0;

  // `limit` none: as long as it takes. Zero: one try.
  result<void> take(bool writes, std::optional<std::chrono::nanoseconds> limit) {
    if (holds_.mine() != nullptr) {
      return failure{errc::deadlock,
                     "this thread already has " + name_ + "; use " + std::string{ways_on()} + ", or unlock first"};
    }
    if (core_->is_foreign()) return core::foreign();
    auto got = acquire_within(core_, name_, next_options(), limit, writes ? which_.writer : which_.reader);
    if (!got) return got.failure();
    holds_.keep(std::move(*got));
    return {};
  }
  release_outcome release() noexcept { return holds_.release(); }

  // The calling thread's hold, or one that holds nothing.
  template <class Use>
  auto with_mine(Use use) {
    lease nothing;
    lease* const held = holds_.mine();
    return use(held != nullptr ? *held : nothing);
  }

  [[nodiscard]] const std::string& name() const noexcept { return name_; }
  [[nodiscard]] const options& how() const noexcept { return how_; }

 protected:
  [[nodiscard]] core& owner() const noexcept { return *core_; }
  [[nodiscard]] const sides& which() const noexcept { return which_; }

 private:
  // For one acquisition.
  [[nodiscard]] virtual options next_options() const { return how_; }
  // What a thread that has a hold can do with it, for the text of `deadlock`.
  [[nodiscard]] virtual std::string_view ways_on() const noexcept = 0;

  const std::shared_ptr<core> core_;
  const std::string name_;
  const options how_;
  const sides which_;
  thread_holds holds_;
};

}  // namespace holdfast::detail
