// The connection's own commands: nobody waits for their answers.
#pragma once

#include "net/request.hpp"
#include "resp/writer.hpp"

#include <deque>
#include <set>
#include <string>
#include <string_view>

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

// SSUBSCRIBE to the inboxes that we have in single slots, one after the other; on each link anew. The server confirms each
// with a push, and refuses with a reply, as above. A refusal by MOVED needs no action: the command that the subscription was
// made for gets the same answer, and goes to the right node.
class shard_subscriptions final : public request {
 public:
  // `works` is cleared when the server does not allow them at all.
  explicit shard_subscriptions(bool& works) : works_{works} {}

  // True: the channel is new, and encode() will be about it.
  bool add(std::string_view channel) { return channels_.insert(latest_ = channel).second; }
  [[nodiscard]] bool has(std::string_view channel) const { return channels_.contains(channel); }
  bool remove(std::string_view channel) {
    const auto at = channels_.find(channel);
    if (at == channels_.end()) return false;
    channels_.erase(at);
    return true;
  }
  void clear() {
    channels_.clear();
    sent_.clear();
  }
  void confirmed() {
    if (!sent_.empty()) sent_.pop_front();
  }

  void encode(std::string& out) override {
    sent_.push_back(latest_);
    resp::append_command(out, "SSUBSCRIBE", latest_);
  }
  void on_reply(const resp::value& reply, runtime::time_point /*now*/) override {
    if (sent_.empty()) return;
    if (reply.is_error()) channels_.erase(sent_.front());
    if (reply.is_error() && reply.text.starts_with("NOPERM")) works_ = false;
    sent_.pop_front();
  }
  void on_interrupted(const failure& /*why*/, runtime::time_point /*now*/) override {}
  void on_refused(const failure& /*why*/, runtime::time_point /*now*/) override {}

 private:
  bool& works_;
  std::set<std::string, std::less<>> channels_;  // subscribed to, or about to be
  std::deque<std::string> sent_;                 // not yet confirmed
  std::string latest_;
};

}  // namespace holdfast::net
