// Commands that are sent together and awaited together: how inspect, list and break ask the server.
//
// On the caller's stack. Their answers are kept as they came; the caller judges them. Without a connection they are
// refused as soon as an attempt to connect fails: whoever looks at locks wants to know that at once. Guarded by the
// client's mutex.
#pragma once

#include "client/call.hpp"
#include "client/core.hpp"
#include "net/request.hpp"
#include "resp/value.hpp"
#include "scripts/sources.hpp"

#include <holdfast/error.hpp>

#include <deque>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace holdfast::detail {

class batch final : public call {
 public:
  // `repeatable`: commands that were not answered are sent again on the next link; for those that only read.
  // `only`: all of them go to this node, whatever they are about.
  batch(core& owner, bool repeatable, net::connection* only = nullptr)
      : core_{owner}, repeatable_{repeatable}, only_{only} {}
  ~batch();
  batch(const batch&) = delete;
  batch& operator=(const batch&) = delete;

  // Each returns the place of its answer in replies.
  std::size_t add(std::initializer_list<std::string_view> command);
  // The same, to the node of that key; or to this very node.
  std::size_t add_for(std::string_view key, std::initializer_list<std::string_view> command);
  std::size_t add_at(net::connection& node, std::initializer_list<std::string_view> command);
  // `as_text`: sends the script's text, so that the server knows it for those that follow in the same batch.
  std::size_t add_script(const scripts::script& what, std::initializer_list<std::string_view> keys,
                         std::initializer_list<std::string_view> args, bool as_text = false);

  std::size_t add_script(const scripts::script& what, std::span<const std::string> keys,
                         std::span<const std::string> args);

  // Sends all and waits for all. Nothing, or the first failure to get an answer at all.
  std::optional<failure> run(guard_type& guard) {
    send();
    return wait(guard);
  }
  // The same in two steps: batches to several nodes can be under way at once, so that those that do not answer are waited for together.
  void send();
  std::optional<failure> wait(guard_type& guard);

  [[nodiscard]] const resp::value& reply(std::size_t place) const { return items_[place].reply; }
  // When the command that was answered left.
  [[nodiscard]] runtime::time_point sent_at(std::size_t place) const { return items_[place].sent_at(); }

 private:
  struct item final : net::request {
    item(batch& owner, const scripts::script* script) : whose{owner}, what{script} { impatient = true; }
    void encode(std::string& out) override;
    [[nodiscard]] std::string_view routed_by() const noexcept override { return route; }
    void on_reply(const resp::value& answer, runtime::time_point now) override;
    void on_interrupted(const failure& why, runtime::time_point now) override;
    void on_refused(const failure& why, runtime::time_point now) override { whose.failed(why, now); }

    batch& whose;
    const scripts::script* what;  // null: a plain command
    bool by_text = false;
    std::size_t count = 0;  // of words below
    std::string route;      // the key that it is about; a script's first
    std::string words;      // encoded: of a script, what follows its hash
    resp::value reply;
  };

  void answered();
  void failed(const failure& why, runtime::time_point now);

  core& core_;
  const bool repeatable_;
  net::connection* const only_;
  std::deque<item> items_;
  std::size_t open_ = 0;
  int repetitions_ = 0;
  bool unanswered_ = false;  // an earlier sending may have taken effect, whatever became of the later ones
  std::optional<failure> problem_;
};

}  // namespace holdfast::detail
