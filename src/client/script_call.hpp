// A request that runs one of our scripts: by its hash, and by its text where the server does not know it.
#pragma once

#include "client/core.hpp"
#include "lock/server_error.hpp"
#include "net/request.hpp"
#include "resp/writer.hpp"
#include "scripts/sources.hpp"

namespace holdfast::detail {

class script_call : public net::request {
 public:
  void encode(std::string& out) final {
    resp::append_array(out, 3 + values_);
    if (by_text_) {
      resp::append_bulk(out, "EVAL");
      resp::append_bulk(out, script_->source);
    } else {
      resp::append_bulk(out, "EVALSHA");
      resp::append_bulk(out, script_->sha1);
    }
    resp::append_bulk(out, static_cast<std::int64_t>(keys_));
    encode_values(out);
  }

  // NOSCRIPT proves that nothing ran: the text goes out at once, under the same rules.
  void on_reply(const resp::value& reply, runtime::time_point now) final {
    if (!by_text_ && reply.is_error() && lock::is_noscript(reply.text)) {
      by_text_ = true;
      core_->nodes().submit(*this, now);
      return;
    }
    by_text_ = false;
    on_answer(reply, now);
  }

 protected:
  // `keys` and `values` count what encode_values() appends; values includes the keys.
  script_call(core& owner, const scripts::script& what, std::size_t keys, std::size_t values)
      : core_{&owner}, script_{&what}, keys_{keys}, values_{values} {}
  ~script_call() = default;

  // For what must not be overtaken by a later command of ours, as it could be if it had to be sent again.
  void send_text() { by_text_ = true; }

  virtual void encode_values(std::string& out) = 0;
  virtual void on_answer(const resp::value& reply, runtime::time_point now) = 0;

  core* core_;

 private:
  const scripts::script* script_;
  std::size_t keys_;
  std::size_t values_;
  bool by_text_ = false;
};

}  // namespace holdfast::detail
