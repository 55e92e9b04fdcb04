// One command, one answer, with a time limit: PING, and the scripts of extend and leave.
#pragma once

#include "client/call.hpp"
#include "client/script_call.hpp"
#include "lock/flavour.hpp"
#include "lock/replies.hpp"
#include "runtime/timer_queue.hpp"

#include <holdfast/result.hpp>

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

namespace holdfast::detail {

// The end that both kinds of call below share: a time limit, and a failure that keeps "not sent" apart.
class limited : public call, private runtime::timer {
 public:
  [[nodiscard]] const std::optional<failure>& problem() const noexcept { return problem_; }

  // Set for the coroutine forms; called with the guard held at the end.
  std::function<void()> on_done;

 protected:
  limited(core& owner, net::request& what) : owner_{owner}, what_{what} {}
  ~limited();
  void begin(runtime::time_point now) { begin(now, owner_.where().command_timeout); }
  void begin(runtime::time_point now, runtime::duration limit);
  void end(std::optional<failure> problem);
  virtual void send(runtime::time_point now) { owner_.nodes().submit(what_, now); }

 private:
  void fire(runtime::time_point now) override;
  core& owner_;
  net::request& what_;
  std::optional<failure> problem_;
};

class ping_call final : public net::request, public limited {
 public:
  explicit ping_call(core& owner) : limited{owner, *this} { impatient = true; }
  void start(runtime::time_point now) { begin(now); }
  [[nodiscard]] runtime::duration round_trip() const noexcept { return round_trip_; }

 private:
  void encode(std::string& out) override { resp::append_command(out, "PING"); }
  void on_reply(const resp::value& reply, runtime::time_point now) override;
  void on_interrupted(const failure& why, runtime::time_point /*now*/) override { end(why); }
  void on_refused(const failure& why, runtime::time_point /*now*/) override { end(why); }
  runtime::duration round_trip_{};
};

// Whether the lock may have a note, which lives as long as the lock: only one that was left has (lease::leave).
enum class noted : bool { no, yes };

class extend_call final : public script_call, public limited {
 public:
  extend_call(core& owner, std::string_view key, std::string_view id, std::chrono::milliseconds ttl,
              noted note = noted::no, lock::flavour_ptr what = lock::plain())
      : script_call{owner, *what->renew, note == noted::yes ? 2U : 1U,
                    (note == noted::yes ? 4U : 3U) + what->extra.size()},
        limited{owner, *this},
        key_{key},
        id_{id},
        ttl_{ttl},
        note_{note},
        what_{std::move(what)} {}
  // Leaves the lock with a note: `fence`, and for how long it has been held.
  extend_call(core& owner, std::string_view key, std::string_view id, std::chrono::milliseconds ttl,
              std::uint64_t fence, std::chrono::microseconds held)
      : script_call{owner, scripts::leave, 2, 6},
        limited{owner, *this},
        key_{key},
        id_{id},
        ttl_{ttl},
        note_{noted::yes},
        what_{lock::plain()},
        leaving_{leaving{fence, held}} {}
  void start(runtime::time_point now) { begin(now); }
  [[nodiscard]] lock::renew_reply reply() const noexcept { return reply_; }
  [[nodiscard]] std::chrono::milliseconds asked() const noexcept { return ttl_; }

 private:
  [[nodiscard]] std::string_view routed_by() const noexcept override { return key_; }
  void encode_values(std::string& out) override;
  void send(runtime::time_point now) override { submit(now); }
  void on_answer(const resp::value& reply, runtime::time_point now) override;
  // Idempotent: sent again while there is time.
  void on_interrupted(const failure& why, runtime::time_point now) override;
  void on_refused(const failure& why, runtime::time_point /*now*/) override { end(why); }
  std::string_view key_;
  std::string_view id_;
  std::chrono::milliseconds ttl_;
  noted note_;
  lock::flavour_ptr what_;
  struct leaving {
    std::uint64_t fence;
    std::chrono::microseconds held;
  };
  std::optional<leaving> leaving_;
  lock::renew_reply reply_{};
};

}  // namespace holdfast::detail
