// The connection's own commands: nobody waits for their answers.
#pragma once

#include "net/request.hpp"
#include "resp/writer.hpp"

#include <string>

namespace holdfast::net {

// A command for its own sake; its answer only shows that the link lives.
class probe final : public request {
 public:
  explicit probe(std::string command) : command_{std::move(command)} {}
  void encode(std::string& out) override { out.append(command_); }
  void on_reply(const resp::value& /*reply*/, runtime::time_point /*now*/) override {}
  void on_interrupted(const failure& /*why*/, runtime::time_point /*now*/) override {}
  void on_refused(const failure& /*why*/, runtime::time_point /*now*/) override {}

 private:
  std::string command_;
};

// RESP3 answers SUBSCRIBE with a push for each channel, and only a refusal with a reply: the connection takes it off when
// the first push comes.
class subscription final : public request {
 public:
  // `works` is cleared when the server refuses.
  subscription(const std::string& inbox, const std::string& common, bool& works)
      : inbox_{inbox}, common_{common}, works_{works} {}
  void encode(std::string& out) override { resp::append_command(out, "SUBSCRIBE", inbox_, common_); }
  void on_reply(const resp::value& reply, runtime::time_point /*now*/) override {
    if (reply.is_error()) works_ = false;
  }
  void on_interrupted(const failure& /*why*/, runtime::time_point /*now*/) override {}
  void on_refused(const failure& /*why*/, runtime::time_point /*now*/) override {}

 private:
  const std::string& inbox_;
  const std::string& common_;
  bool& works_;
};

}  // namespace holdfast::net
