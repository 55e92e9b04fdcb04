// Asking the clients that hold locks what only they know: since when, under which fence, how it stands
// (lock/messages.hpp).
//
// One PUBLISH per client, whatever the number of its locks; the server's count of receivers tells at once who is not
// there. Ends when everybody has answered or is known to be absent, and at the latest when the patience is over. On the
// caller's stack, and in the core's list meanwhile. Guarded by the client's mutex.
#pragma once

#include "client/call.hpp"
#include "client/core.hpp"
#include "lock/messages.hpp"
#include "net/request.hpp"
#include "runtime/timer_queue.hpp"

#include <holdfast/inspect.hpp>

#include <deque>
#include <span>
#include <string>
#include <vector>

namespace holdfast::detail {

class question final : public call, private runtime::timer {
 public:
  // `broadly`: owners that do not tell their client are asked for on the channel of all.
  question(core& owner, std::span<lock_info> about, bool broadly);
  ~question();

  // Fills in what is told; waits.
  void run(guard_type& guard, std::chrono::milliseconds patience);
  void told(const lock::told_item& what);

 private:
  struct post final : net::request {
    post(question& owner, std::string to, std::string text)
        : whose{owner}, channel{std::move(to)}, message{std::move(text)} {
      impatient = true;
    }
    void encode(std::string& out) override;
    void on_reply(const resp::value& reply, runtime::time_point now) override;
    void on_interrupted(const failure& /*why*/, runtime::time_point /*now*/) override {
      whose.settle_all(*this, contact::unasked);
    }
    void on_refused(const failure& /*why*/, runtime::time_point /*now*/) override {
      whose.settle_all(*this, contact::unasked);
    }

    question& whose;
    std::string channel;
    std::string message;
    std::size_t begin = 0;  // of its part of asked_
    std::size_t end = 0;
  };
  struct asked {
    lock_info* about;
    bool settled = false;
  };

  void add_post(std::string_view inbox, std::span<lock_info* const> about);
  void settle(asked& what, contact how);
  void settle_all(const post& what, contact how);
  void fire(runtime::time_point now) override;

  core& core_;
  const std::uint64_t first_;
  std::vector<asked> asked_;
  std::deque<post> posts_;
  std::size_t open_ = 0;
};

}  // namespace holdfast::detail
