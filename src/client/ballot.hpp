// A script's request put to the vote of a quorum: asks every node, and gives whoever asked one answer, in the words of the
// script that it stands for (docs/quorum.md).
//
//   acquire  -> quorum_acquire on all nodes     "granted <fence>", "queued …", "held …", or a failure
//   renew    -> quorum_renew                    "kept", "gone", "taken", or a failure
//   release  -> quorum_release                  1, 0, or a failure
//   … or their likes for what is not a plain lock (lock/voting.hpp)
//   meet_wait -> quorum_meet_wait               as acquire; nothing is held afterwards
//
// Place: under script_call, beside `unscripted`: both take the same keys and arguments another way and end in the same answer.
// So what is above (acquire_machine, lease_machine, every call and its time limits) is the same for one node and for five.
// What to make of the nodes' answers is decided by lock::quorum_*; this sends, and keeps the time.
//
// Two ends. For the asker it ends when the machine has decided; for itself when it was withdrawn and every node has answered
// or cannot. Deletes itself then. Whoever asked must withdraw it, and does by the pointer's deleter.
// Guarded by the client's mutex.
#pragma once

#include "client/core.hpp"
#include "lock/voting.hpp"
#include "net/request.hpp"
#include "resp/value.hpp"
#include "runtime/timer_queue.hpp"
#include "scripts/sources.hpp"

#include <algorithm>
#include <list>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace holdfast::detail {

class ballot : public net::carrier, private runtime::timer {
 public:
  struct withdrawing {
    void operator()(ballot* what) const noexcept { what->withdraw(); }
  };
  using pointer = std::unique_ptr<ballot, withdrawing>;

  // What was to be run: the script's keys and arguments.
  struct matter {
    const scripts::script* script;
    std::vector<std::string> keys;
    std::vector<std::string> args;
    bool by_text;  // must not be overtaken, as it could be if it had to be sent again
    const lock::voting* by = nullptr;
  };

  // `before`: the asker's last one, or null. Null: this script cannot be put to the vote.
  static pointer make(core& owner, net::request& asker, matter what, const ballot* before);

  // May answer at once.
  void start(runtime::time_point now);

  // Nobody wants the answer any more, or has had it: nothing new is begun, what is on its way is read.
  void withdraw() noexcept;

  void abandon(net::request& what) noexcept final;
  void end_turn(const net::request& /*what*/, runtime::time_point /*now*/) final {}

 protected:
  // What a node is asked for.
  enum class purpose : unsigned char { vote, note, open, again };

  ballot(core& owner, net::request* asker, matter what);
  virtual ~ballot();

  // ---- what the kinds say
  // Asks all. With a majority of the nodes connected, or nobody to wait for.
  virtual void begin(runtime::time_point now) = 0;
  [[nodiscard]] virtual const scripts::script& script_for(purpose why) const noexcept = 0;
  virtual void encode(purpose why, std::size_t node, bool by_text, std::string& out) = 0;
  virtual void answered(purpose why, std::size_t node, const resp::value& reply, runtime::time_point now) = 0;
  // It will not answer; `sent`: it may have done what it was asked.
  virtual void failed(purpose why, std::size_t node, bool sent, runtime::time_point now) = 0;
  virtual void limit_passed(runtime::time_point now) = 0;
  // Worth to wait for a majority of connections; otherwise those that are there are asked.
  [[nodiscard]] virtual bool gathers() const noexcept { return false; }
  // After the decision: whether what was not sent yet is still to be, and what did not arrive sent again.
  [[nodiscard]] virtual bool goes_on(runtime::time_point /*now*/) const noexcept { return false; }
  // After the decision: until when what was not sent yet is still of use, should the node come up.
  [[nodiscard]] virtual runtime::time_point useful_until() const noexcept { return {}; }

  // ---- what they use
  void ask(purpose why, std::size_t node, runtime::time_point now);
  void wake_at(runtime::time_point when) { core_.rounds().schedule(*this, when); }
  void sent(runtime::time_point when) noexcept;  // what the asker sees as sent_at()
  // The asker's answer, or failure. Once.
  void decide(const resp::value& answer, runtime::time_point now);
  void decide(std::string text, runtime::time_point now);
  void decide(const failure& why, runtime::time_point now);
  [[nodiscard]] bool decided() const noexcept { return decided_; }
  [[nodiscard]] bool withdrawn() const noexcept { return asker_ == nullptr; }
  [[nodiscard]] bool patient() const noexcept { return asker_ != nullptr && !asker_->impatient; }
  [[nodiscard]] std::size_t size() const noexcept { return core_.nodes().size(); }
  [[nodiscard]] runtime::duration node_limit(runtime::duration ttl) const;
  [[nodiscard]] const matter& what() const noexcept { return what_; }
  [[nodiscard]] const lock::voting& by() const noexcept { return *what_.by; }
  [[nodiscard]] const std::string& max_ttl() const noexcept { return max_ttl_; }  // as the scripts take it
  // The arguments that the primitive adds to `common` ones of its own.
  [[nodiscard]] std::span<const std::string> extra(std::size_t common) const noexcept {
    return std::span{what_.args}.subspan(std::min(common, what_.args.size()));
  }
  [[nodiscard]] core& owner() const noexcept { return core_; }
  // The answer to whoever asks for what others have, in the words of acquire.lua: as good as queued, if there is an entry to be invited by.
  [[nodiscard]] static std::string waiting_words(std::string_view entry, std::string_view rank, std::string_view left,
                                                 std::string_view who);
  static void append_head(std::string& out, const scripts::script& script, bool by_text, std::size_t keys,
                          std::size_t args);
  static void append_eval(std::string& out, const scripts::script& script, bool by_text,
                          std::initializer_list<std::string_view> keys, std::initializer_list<std::string_view> args,
                          std::span<const std::string> extra = {});

 private:
  // One request to one node.
  struct slip final : net::request {
    slip(ballot& of, purpose what_for, std::size_t at) : whose{of}, why{what_for}, node{at} {}
    void encode(std::string& out) override { whose.encode(*this, out); }
    void on_reply(const resp::value& reply, runtime::time_point now) override { whose.on_reply(*this, reply, now); }
    void on_interrupted(const failure& problem, runtime::time_point now) override {
      whose.on_failed(*this, problem.sent == delivery::unanswered, true, now);
    }
    void on_refused(const failure& /*problem*/, runtime::time_point now) override {
      whose.on_failed(*this, false, false, now);
    }
    ballot& whose;
    purpose why;
    std::size_t node;
    bool by_text = false;  // as it was sent last
    std::list<slip>::iterator self{};
  };
  class scope;

  void gather(runtime::time_point now);
  void encode(slip& what, std::string& out);
  void on_reply(slip& from, const resp::value& reply, runtime::time_point now);
  void on_failed(slip& from, bool may_have_run, bool was_sent, runtime::time_point now);
  void fire(runtime::time_point now) override;
  void settle_slips(runtime::time_point now);
  void drop_unsent(runtime::time_point now);
  net::request* end_for_asker(runtime::time_point now);

  core& core_;
  net::request* asker_;
  matter what_;
  const std::string max_ttl_;
  std::list<slip> slips_;
  runtime::time_point gather_until_{};
  bool opened_ = false;  // nodes that were not connected
  unsigned busy_ = 0;    // calls on the stack that still need this
  bool begun_ = false;
  bool decided_ = false;
};

}  // namespace holdfast::detail
