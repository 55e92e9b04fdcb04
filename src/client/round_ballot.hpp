// One script on every node of a quorum, for somebody who counts the answers: no vote with an answer of its own, but a round that ends
// when whoever counts has enough. What comes later is not shown to it; what is on its way to slower nodes is carried out there.
#pragma once

#include "client/ballot.hpp"
#include "client/call.hpp"

#include <string>
#include <vector>

namespace holdfast::detail {

// What is asked, and who counts. On the stack of a blocking caller, which waits for it; with the guard held but while it waits.
class node_round : public net::request, public call {
 public:
  struct question {
    const scripts::script* script;
    std::vector<std::string> keys;
    std::vector<std::string> args;  // after the run id and max_ttl, which come first
    runtime::duration limit;        // for the nodes to answer
    bool lasting = false;           // a node that comes up within it, after the end, is to do it as well
  };

  // Ends within the limit, counted from when a majority is connected.
  void run(core& owner, guard_type& guard, question what);

  virtual void begun(runtime::time_point /*now*/) {}  // a majority is connected, or cannot be
  // True: enough. Called for every node once, unless the limit passes before.
  virtual bool answered(std::size_t node, const resp::value& reply, runtime::time_point now) = 0;
  virtual bool failed(std::size_t node) = 0;
  virtual void limit_passed(runtime::time_point now) = 0;

 protected:
  ~node_round() = default;

 private:
  void encode(std::string& /*out*/) final {}
  void on_reply(const resp::value& /*reply*/, runtime::time_point /*now*/) final { core_->finish(*this); }
  void on_interrupted(const failure& /*why*/, runtime::time_point /*now*/) final { core_->finish(*this); }
  void on_refused(const failure& /*why*/, runtime::time_point /*now*/) final { core_->finish(*this); }
  core* core_ = nullptr;
};

class round_ballot final : public ballot {
 public:
  round_ballot(core& owner, node_round& asker, node_round::question what);

 private:
  void begin(runtime::time_point now) override;
  [[nodiscard]] const scripts::script& script_for(purpose /*why*/) const noexcept override { return *what().script; }
  void encode(purpose why, std::size_t node, bool by_text, std::string& out) override;
  void answered(purpose why, std::size_t node, const resp::value& reply, runtime::time_point now) override;
  void failed(purpose why, std::size_t node, bool sent, runtime::time_point now) override;
  void limit_passed(runtime::time_point now) override;
  [[nodiscard]] bool gathers() const noexcept override { return true; }
  [[nodiscard]] runtime::time_point useful_until() const noexcept override { return useful_until_; }
  void end(runtime::time_point now) { decide(resp::value{}, now); }

  node_round& counter_;
  const runtime::duration limit_;
  const bool lasting_;
  runtime::time_point useful_until_{};
};

}  // namespace holdfast::detail
