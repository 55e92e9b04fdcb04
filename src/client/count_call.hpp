// One arrival at a latch or a barrier, or a look at it: meet_count.lua, sent again while the link breaks under it. The id
// makes a repetition count once. On the caller's stack.
#pragma once

#include "client/plain_call.hpp"
#include "client/script_call.hpp"
#include "lock/meeting.hpp"

#include <chrono>
#include <string>
#include <string_view>

namespace holdfast::detail {

struct arrival {
  lock::meeting_kind kind{};
  std::ptrdiff_t expected = 0;
  runtime::duration ttl{};
  runtime::duration remembered{};
  std::uint64_t made = 0;  // 0: not known
  std::string id{};        // empty: only looks
  std::ptrdiff_t count = 0;
  bool drops = false;
};

class count_call final : public script_call, public limited {
 public:
  count_call(core& owner, std::string_view key, arrival what)
      : script_call{owner, scripts::meet_count, 3, 11}, limited{owner, *this}, key_{key}, what_{std::move(what)} {}

  // With the guard held. Ends after `limit` at the latest.
  void start(runtime::time_point now, runtime::duration limit) { begin(now, limit); }

  // After the end. A failure says "unanswered" if any sending may have counted.
  [[nodiscard]] result<lock::meet_reply> outcome() const;

 private:
  [[nodiscard]] std::string_view routed_by() const noexcept override { return key_; }
  void encode_values(std::string& out) override;
  void on_answer(const resp::value& reply, runtime::time_point now) override;
  void on_interrupted(const failure& why, runtime::time_point now) override;
  void on_refused(const failure& why, runtime::time_point /*now*/) override { end(why); }

  std::string_view key_;
  arrival what_;
  lock::meet_reply reply_{};
  bool repeated_ = false;
};

}  // namespace holdfast::detail
