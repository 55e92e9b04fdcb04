// A step on shares beside acquire, release and renew, with a time limit: downgrade, and a semaphore's new capacity. Both may be
// sent again when the link breaks: the second time changes nothing.
#pragma once

#include "client/lock_keys.hpp"
#include "client/plain_call.hpp"

#include <string>
#include <vector>

namespace holdfast::detail {

class share_call final : public script_call, public limited {
 public:
  share_call(core& owner, const scripts::script& what, std::string_view key, std::vector<std::string> words)
      : script_call{owner, what, 4, 4 + words.size()}, limited{owner, *this}, key_{key}, words_{std::move(words)} {}
  void start(runtime::time_point now) { begin(now); }
  [[nodiscard]] std::int64_t reply() const noexcept { return reply_; }

 private:
  [[nodiscard]] std::string_view routed_by() const noexcept override { return key_; }
  void send(runtime::time_point now) override { submit(now); }
  void encode_values(std::string& out) override {
    append_lock_keys(out, key_);
    for (const std::string& each : words_) resp::append_bulk(out, each);
  }
  void on_answer(const resp::value& reply, runtime::time_point /*now*/) override {
    if (reply.is_error()) return end(lock::server_error(reply.text));
    if (reply.type != resp::kind::integer) return end(failure{errc::protocol, "the answer is not a number"});
    reply_ = reply.integer;
    end({});
  }
  void on_interrupted(const failure& why, runtime::time_point now) override {
    if (core_->closing() || why.code == errc::protocol) return end(why);
    submit(now);
  }
  void on_refused(const failure& why, runtime::time_point /*now*/) override { end(why); }

  std::string key_;
  std::vector<std::string> words_;
  std::int64_t reply_ = 0;
};

}  // namespace holdfast::detail
