// Holdfast for Asio: the same operations with any completion token (use_awaitable, use_future, a callback, …).
//
//   boost::asio::awaitable<void> charge(holdfast::client& redis) {
//     const holdfast::options patient{.wait = 5s};
//     holdfast::lease lease = co_await holdfast::async_acquire(redis, "invoice:42", patient, boost::asio::use_awaitable);
//     …
//     co_await holdfast::async_release(std::move(lease), boost::asio::use_awaitable);
//   }
//
// operation            signature of the completion        steps and cancellation
// async_acquire        void(std::exception_ptr, lease)     as client::acquire; per-operation cancellation ends the wait with
//                                                          `cancelled` and undoes it on the server
// async_try_acquire    void(std::exception_ptr, lease)     as client::try_acquire
// async_release        void(release_outcome)               as lease::release; not cancellable: it is under way at once
// async_extend         void(std::exception_ptr)            as lease::extend; the lease must live until it completes
// With std::nothrow as first argument the first two complete with void(result<lease>), the last with void(result<void>).
//
// Options must have a name; without any, leave them out. A temporary (`{.wait = 5s}`) does not compile, because g++ 12
// destroys aggregates twice that are temporaries of a co_await expression (GCC bug 99576).
//
// A waiting coroutine costs no thread. Completions are posted to the handler's associated executor, never called inside
// the initiating function. The client must live until its operations have completed, or be destroyed: then they complete
// with `cancelled`. Needs Boost 1.81's Asio headers; the rest of the library does not.
#pragma once

#include <holdfast/client.hpp>
#include <holdfast/detail/async.hpp>

#include <boost/asio/associated_cancellation_slot.hpp>
#include <boost/asio/associated_executor.hpp>
#include <boost/asio/async_result.hpp>
#include <boost/asio/execution/outstanding_work.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/prefer.hpp>
#include <boost/asio/system_executor.hpp>

#include <exception>
#include <memory>
#include <new>
#include <string>
#include <utility>

namespace holdfast {

namespace detail {

// Takes the outcome to the handler, on the handler's executor, and keeps that executor's run() from returning until then.
template <class Value, class Handler, class Deliver>
class posted_completion final : public completion<Value> {
 public:
  posted_completion(Handler handler, Deliver deliver)
      : executor_{boost::asio::prefer(boost::asio::get_associated_executor(handler, boost::asio::system_executor{}),
                                      boost::asio::execution::outstanding_work.tracked)},
        handler_{std::move(handler)},
        deliver_{std::move(deliver)} {}

  void complete(Value outcome) override {
    boost::asio::post(executor_, [handler = std::move(handler_), deliver = std::move(deliver_),
                                  value = std::move(outcome)]() mutable {
      if (auto slot = boost::asio::get_associated_cancellation_slot(handler); slot.is_connected()) slot.clear();
      deliver(std::move(handler), std::move(value));
    });
  }

 private:
  using executor_type = std::decay_t<decltype(boost::asio::prefer(
      boost::asio::get_associated_executor(std::declval<Handler&>(), boost::asio::system_executor{}),
      boost::asio::execution::outstanding_work.tracked))>;
  executor_type executor_;
  Handler handler_;
  Deliver deliver_;
};

template <class Value, class Handler, class Deliver>
std::unique_ptr<completion<Value>> post_to(Handler handler, Deliver deliver) {
  return std::make_unique<posted_completion<Value, Handler, Deliver>>(std::move(handler), std::move(deliver));
}

inline const options default_options{};

inline constexpr auto throwing_lease = [](auto handler, result<lease> got) {
  if (got) return std::move(handler)(std::exception_ptr{}, std::move(*got));
  std::move(handler)(std::make_exception_ptr(error{got.failure()}), lease{});
};
inline constexpr auto throwing_void = [](auto handler, const result<void>& got) {
  std::move(handler)(got ? std::exception_ptr{} : std::make_exception_ptr(error{got.failure()}));
};
inline constexpr auto as_value = [](auto handler, auto got) { std::move(handler)(std::move(got)); };

template <class Signature, class Token, class Deliver>
auto initiate_acquire(client& redis, std::string_view name, const options& how, bool waits, Token&& token,
                      Deliver deliver) {
  return boost::asio::async_initiate<Token, Signature>(
      [&redis, waits, deliver](auto handler, std::string called, options with) {
        auto slot = boost::asio::get_associated_cancellation_slot(handler);
        auto under_way = start_acquire(redis, called, with, waits, post_to<result<lease>>(std::move(handler), deliver));
        if (slot.is_connected()) {
          slot.assign([under_way](boost::asio::cancellation_type /*all kinds alike*/) {
            if (const auto still = under_way.lock()) still->cancel();
          });
        }
      },
      token, std::string{name}, options{how});
}

}  // namespace detail

template <class Token>
auto async_acquire(client& redis, std::string_view name, const options& how, Token&& token) {
  return detail::initiate_acquire<void(std::exception_ptr, lease)>(redis, name, how, true, std::forward<Token>(token),
                                                                   detail::throwing_lease);
}
template <class Token>
auto async_acquire(std::nothrow_t, client& redis, std::string_view name, const options& how, Token&& token) {
  return detail::initiate_acquire<void(result<lease>)>(redis, name, how, true, std::forward<Token>(token),
                                                       detail::as_value);
}
template <class Token>
auto async_acquire(client& redis, std::string_view name, Token&& token) {
  return async_acquire(redis, name, detail::default_options, std::forward<Token>(token));
}
template <class Token>
auto async_acquire(std::nothrow_t, client& redis, std::string_view name, Token&& token) {
  return async_acquire(std::nothrow, redis, name, detail::default_options, std::forward<Token>(token));
}
template <class Token>
auto async_acquire(client& redis, std::string_view name, options&& how, Token&& token) = delete;  // give it a name
template <class Token>
auto async_acquire(std::nothrow_t, client& redis, std::string_view name, options&& how, Token&& token) = delete;

template <class Token>
auto async_try_acquire(client& redis, std::string_view name, const options& how, Token&& token) {
  return detail::initiate_acquire<void(std::exception_ptr, lease)>(redis, name, how, false, std::forward<Token>(token),
                                                                   detail::throwing_lease);
}
template <class Token>
auto async_try_acquire(std::nothrow_t, client& redis, std::string_view name, const options& how, Token&& token) {
  return detail::initiate_acquire<void(result<lease>)>(redis, name, how, false, std::forward<Token>(token),
                                                       detail::as_value);
}
template <class Token>
auto async_try_acquire(client& redis, std::string_view name, Token&& token) {
  return async_try_acquire(redis, name, detail::default_options, std::forward<Token>(token));
}
template <class Token>
auto async_try_acquire(std::nothrow_t, client& redis, std::string_view name, Token&& token) {
  return async_try_acquire(std::nothrow, redis, name, detail::default_options, std::forward<Token>(token));
}
template <class Token>
auto async_try_acquire(client& redis, std::string_view name, options&& how, Token&& token) = delete;
template <class Token>
auto async_try_acquire(std::nothrow_t, client& redis, std::string_view name, options&& how, Token&& token) = delete;

template <class Token>
auto async_release(lease held, Token&& token) {
  return boost::asio::async_initiate<Token, void(release_outcome)>(
      [](auto handler, lease given) {
        detail::start_release(std::move(given), detail::post_to<release_outcome>(std::move(handler), detail::as_value));
      },
      token, std::move(held));
}

template <class Token>
auto async_extend(lease& held, std::chrono::milliseconds ttl, Token&& token) {
  return boost::asio::async_initiate<Token, void(std::exception_ptr)>(
      [&held, ttl](auto handler) {
        detail::start_extend(held, ttl, detail::post_to<result<void>>(std::move(handler), detail::throwing_void));
      },
      token);
}

template <class Token>
auto async_extend(std::nothrow_t, lease& held, std::chrono::milliseconds ttl, Token&& token) {
  return boost::asio::async_initiate<Token, void(result<void>)>(
      [&held, ttl](auto handler) {
        detail::start_extend(held, ttl, detail::post_to<result<void>>(std::move(handler), detail::as_value));
      },
      token);
}

}  // namespace holdfast
