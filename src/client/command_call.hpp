// Any command, its answer as it is, with a time limit: how `examine` asks its questions.
//
// Not for locks: nothing is sent again when the link breaks. Threads: as plain_call.hpp.
#pragma once

#include "client/core.hpp"
#include "client/plain_call.hpp"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace holdfast::detail {

// In a Cluster: the node of this key; and a sharded channel to listen to before.
struct command_place {
  std::string key{};
  std::string channel{};
};

class command_call final : public net::request, public limited {
 public:
  command_call(core& owner, std::vector<std::string> words, command_place at = {})
      : limited{owner, *this}, owner_{owner}, words_{std::move(words)}, place_{std::move(at)} {
    impatient = true;
  }
  void start(runtime::time_point now);
  [[nodiscard]] resp::value& reply() noexcept { return reply_; }
  [[nodiscard]] runtime::time_point received_at() const noexcept { return received_at_; }

 private:
  [[nodiscard]] std::string_view routed_by() const noexcept override { return place_.key; }
  [[nodiscard]] std::string_view listens_on() override { return place_.channel; }
  void encode(std::string& out) override;
  void on_reply(const resp::value& reply, runtime::time_point now) override;
  void on_interrupted(const failure& why, runtime::time_point /*now*/) override { end(why); }
  void on_refused(const failure& why, runtime::time_point /*now*/) override { end(why); }

  core& owner_;
  std::vector<std::string> words_;
  command_place place_;
  resp::value reply_;
  runtime::time_point received_at_{};
};

struct answer {
  resp::value value;  // may be an error reply
  runtime::time_point sent_at;
  runtime::time_point received_at;
};

// Blocks. A failure means that no answer came.
result<answer> ask(const std::shared_ptr<core>& owner, std::vector<std::string> words, command_place at = {});

}  // namespace holdfast::detail
