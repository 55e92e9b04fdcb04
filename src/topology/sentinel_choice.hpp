// Who is primary, decided from what the Sentinels say; without I/O.
//
// All Sentinels are asked at once. The most named address wins, so one Sentinel that is cut off with an old primary cannot
// lead us there; among equals, one that has not just been tried in vain. An address that a `+switch-master` moved away
// from comes last: the Sentinel that led the failover tells of it before the others know.
//
//   ask -> votes come in, each an address, "no such name" or a problem -> choose
//
// choose() waits for more votes until a majority agrees, all have spoken, or the limit has passed.
#pragma once

#include "resp/value.hpp"
#include "runtime/clock.hpp"

#include <holdfast/result.hpp>
#include <holdfast/settings.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace holdfast::topology {

// How long one Sentinel may take, from the name service to its answer.
inline constexpr std::chrono::milliseconds sentinel_limit{500};

// The answer to SENTINEL GET-MASTER-ADDR-BY-NAME. No endpoint: it knows no such name.
[[nodiscard]] result<std::optional<endpoint>> read_primary(const resp::value& reply);

struct primary_switch {
  endpoint from;
  endpoint to;
};
// The payload of +switch-master, "<name> <host> <port> <host> <port>". Nothing: not about `name`, or not understood.
[[nodiscard]] std::optional<primary_switch> read_switch(std::string_view payload, std::string_view name);

class sentinel_choice {
 public:
  sentinel_choice(std::vector<endpoint> sentinels, std::string name);

  // A new question goes to all of them. If the last choice led nowhere, it has been tried.
  void ask(runtime::time_point now);
  [[nodiscard]] runtime::time_point limit() const noexcept { return asked_ + sentinel_limit; }

  // What sentinel number `who` says.
  void named(std::size_t who, const endpoint& primary);
  void knows_nothing(std::size_t who);
  void failed(std::size_t who, failure why);
  void switched(std::size_t who, const primary_switch& news);

  // Nothing: wait for more votes. An outcome is given once per question.
  [[nodiscard]] std::optional<result<endpoint>> choose(runtime::time_point now);

  // The last choice is no longer what the Sentinels say: one told of a switch away from it, or most name another.
  [[nodiscard]] bool outdated() const noexcept { return outdated_; }

 private:
  struct vote {
    enum class kind : unsigned char { none, address, unknown, problem };
    kind what = kind::none;
    bool fresh = false;  // since the last question
    endpoint where{};
    failure why{};
  };
  struct candidate {
    endpoint where;
    std::size_t votes = 0;
    bool left = false;   // a switch moved away from it
    bool tried = false;  // since the last question but one, in vain
  };
  [[nodiscard]] std::vector<candidate> candidates() const;
  [[nodiscard]] failure nobody_knows() const;
  [[nodiscard]] bool most_name_another() const;
  void forget_switches();

  std::vector<endpoint> sentinels_;
  std::string name_;
  std::vector<vote> votes_;
  std::vector<endpoint> left_;
  std::vector<endpoint> tried_;
  std::optional<endpoint> chosen_;
  runtime::time_point asked_{};
  bool open_ = false;  // a question without outcome
  bool outdated_ = false;
};

}  // namespace holdfast::topology
