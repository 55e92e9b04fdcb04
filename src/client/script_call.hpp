// A request that runs one of our scripts: by its hash, and by its text where the server does not know it. With
// scripts = off the same keys and arguments go into a transaction instead, which ends in the same answer (unscripted.hpp);
// on a quorum they are put to the vote of its nodes (ballot.hpp).
#pragma once

#include "client/ballot.hpp"
#include "client/core.hpp"
#include "client/supported.hpp"
#include "client/unscripted.hpp"
#include "lock/server_error.hpp"
#include "net/request.hpp"
#include "resp/writer.hpp"
#include "scripts/sources.hpp"

#include <memory>

namespace holdfast::detail {

class script_call : public net::request {
 public:
  void encode(std::string& out) final {
    if (takes_turn) return encode_round(out);
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
    if (takes_turn) return on_round_reply(reply, now);
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
      : core_{&owner}, script_{&what}, keys_{keys}, values_{values} {
    takes_turn = !owner.where().scripts && lock::transaction::knows(what);
  }
  ~script_call() = default;

  // Sends it: to its node, or to all of a quorum's.
  void submit(runtime::time_point now) {
    if (!core_->nodes().is_quorum()) return core_->nodes().submit(*this, now);
    put_to_vote(now);
  }

  // Whatever a vote under way would still do on its own account is left undone. With the guard held.
  void withdraw() noexcept { ballot_.reset(); }

  // For what must not be overtaken by a later command of ours, as it could be if it had to be sent again.
  void send_text() { by_text_ = true; }

  virtual void encode_values(std::string& out) = 0;
  virtual void on_answer(const resp::value& reply, runtime::time_point now) = 0;

  core* core_;

 private:
  void encode_round(std::string& out) {
    // Submitted from outside, and not by its own on_reply: the first time, or again after the link with its watch broke.
    if (!goes_on_) {
      std::string values;
      encode_values(values);
      unscripted_ = std::make_unique<unscripted>(*script_, values, keys_, values_);
    }
    answers_ = unscripted_->encode(out);
  }

  void on_round_reply(const resp::value& reply, runtime::time_point now) {
    if (!unscripted_->take(reply)) return;
    const auto answer = unscripted_->end_round();
    if (!answer) {
      goes_on_ = true;
      core_->nodes().submit(*this, now);
      goes_on_ = false;
      return;
    }
    unscripted_.reset();
    end_turn(now);
    on_answer(*answer, now);
  }

  void put_to_vote(runtime::time_point now) {
    std::string bytes;
    encode_values(bytes);
    auto words = read_values(bytes, values_);
    const auto args = words.begin() + static_cast<std::ptrdiff_t>(keys_);
    ballot::matter what{script_, {words.begin(), args}, {args, words.end()}, by_text_};
    // What gives back is still let out, for as long as there are connections.
    const lock::voting* const by = lock::voting_on(*script_, what.args);
    if (core_->closing() && !(by != nullptr && script_ == by->asked_release)) {
      return on_refused({errc::cancelled, "the client is closed"}, now);
    }
    auto next = ballot::make(*core_, *this, std::move(what), ballot_.get());
    if (!next) return on_refused(not_on_quorum(*core_, script_->name), now);
    ballot_ = std::move(next);
    ballot_->start(now);
  }

  const scripts::script* script_;
  std::size_t keys_;
  std::size_t values_;
  std::unique_ptr<unscripted> unscripted_;  // while a transaction is under way
  ballot::pointer ballot_;                  // the last vote, on a quorum
  bool goes_on_ = false;
  bool by_text_ = false;
};

}  // namespace holdfast::detail
