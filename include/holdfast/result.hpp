// A value or a failure: what the std::nothrow forms return (C++20 has no std::expected).
//
//   if (auto lease = redis.acquire(std::nothrow, "invoice:42")) use(*lease);
//   else log(lease.failure().detail);
#pragma once

#include <holdfast/error.hpp>

#include <optional>
#include <utility>
#include <variant>

namespace holdfast {

template <class T>
class [[nodiscard]] result {
 public:
  result(T value) : state_{std::in_place_index<0>, std::move(value)} {}
  result(struct failure why) : state_{std::in_place_index<1>, std::move(why)} {}

  [[nodiscard]] bool has_value() const noexcept { return state_.index() == 0; }
  explicit operator bool() const noexcept { return has_value(); }

  // Throws `error` when there is no value.
  [[nodiscard]] T& value() & { return check(), *std::get_if<0>(&state_); }
  [[nodiscard]] const T& value() const& { return check(), *std::get_if<0>(&state_); }
  [[nodiscard]] T&& value() && { return check(), std::move(*std::get_if<0>(&state_)); }

  // Undefined without a value, as for std::optional.
  [[nodiscard]] T& operator*() & noexcept { return *std::get_if<0>(&state_); }
  [[nodiscard]] const T& operator*() const& noexcept { return *std::get_if<0>(&state_); }
  [[nodiscard]] T&& operator*() && noexcept { return std::move(*std::get_if<0>(&state_)); }
  [[nodiscard]] T* operator->() noexcept { return std::get_if<0>(&state_); }
  [[nodiscard]] const T* operator->() const noexcept { return std::get_if<0>(&state_); }

  // Undefined with a value.
  [[nodiscard]] const struct failure& failure() const noexcept { return *std::get_if<1>(&state_); }
  [[nodiscard]] errc code() const noexcept { return failure().code; }

 private:
  void check() const {
    if (!has_value()) throw error{failure()};
  }
  std::variant<T, struct failure> state_;
};

template <>
class [[nodiscard]] result<void> {
 public:
  result() = default;
  result(struct failure why) : why_{std::move(why)} {}

  [[nodiscard]] bool has_value() const noexcept { return !why_; }
  explicit operator bool() const noexcept { return has_value(); }
  void value() const {
    if (why_) throw error{*why_};
  }
  [[nodiscard]] const struct failure& failure() const noexcept { return *why_; }
  [[nodiscard]] errc code() const noexcept { return why_->code; }

 private:
  std::optional<struct failure> why_;
};

}  // namespace holdfast
