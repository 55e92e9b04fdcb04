// The seam between the library and holdfast/asio.hpp: operations that complete by a call instead of a return. Not for use
// by hand.
//
// A completion is called exactly once, on the client's own thread and with no lock held, or before the starting function
// returns if there is nothing to wait for. It must not block.
#pragma once

#include <holdfast/client.hpp>

#include <chrono>
#include <memory>
#include <string_view>

namespace holdfast::detail {

template <class Value>
class completion {
 public:
  completion() = default;
  completion(const completion&) = delete;
  completion& operator=(const completion&) = delete;
  virtual ~completion() = default;
  virtual void complete(Value outcome) = 0;
};

// Ends an acquire that is under way; does nothing when it has ended.
class cancellable {
 public:
  virtual void cancel() = 0;

 protected:
  ~cancellable() = default;
};

std::weak_ptr<cancellable> start_acquire(client& redis, std::string_view name, const options& how, bool waits,
                                         std::unique_ptr<completion<result<lease>>> done);
void start_release(lease held, std::unique_ptr<completion<release_outcome>> done);
void start_extend(lease& held, std::chrono::milliseconds ttl, std::unique_ptr<completion<result<void>>> done);

}  // namespace holdfast::detail
