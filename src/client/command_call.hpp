// Any command, its answer as it is, with a time limit: how `examine` asks its questions.
//
// Not for locks: nothing is sent again when the link breaks. Threads: as plain_call.hpp.
#pragma once

#include "client/core.hpp"
#include "client/plain_call.hpp"

#include <memory>
#include <string>
#include <vector>

namespace holdfast::detail {

class command_call final : public net::request, public limited {
 public:
  command_call(core& owner, std::vector<std::string> words)
      : limited{owner, *this}, owner_{owner}, words_{std::move(words)} {
    impatient = true;
  }
  void start(runtime::time_point now);
  [[nodiscard]] resp::value& reply() noexcept { return reply_; }
  [[nodiscard]] runtime::time_point received_at() const noexcept { return received_at_; }

 private:
  void encode(std::string& out) override;
  void on_reply(const resp::value& reply, runtime::time_point now) override;
  void on_interrupted(const failure& why, runtime::time_point /*now*/) override { end(why); }
  void on_refused(const failure& why, runtime::time_point /*now*/) override { end(why); }

  core& owner_;
  std::vector<std::string> words_;
  resp::value reply_;
  runtime::time_point received_at_{};
};

struct answer {
  resp::value value;  // may be an error reply
  runtime::time_point sent_at;
  runtime::time_point received_at;
};

// Blocks. A failure means that no answer came.
result<answer> ask(const std::shared_ptr<core>& owner, std::vector<std::string> words);

}  // namespace holdfast::detail
