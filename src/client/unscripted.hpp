// Carries out what lock::transaction decides: bytes out, answers in. Belongs to one script_call; guarded as it is.
#pragma once

#include "lock/transaction.hpp"
#include "resp/value.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace holdfast::detail {

// Bulk strings, `count` of them, as texts again.
std::vector<std::string> read_values(std::string_view bytes, std::size_t count);

class unscripted {
 public:
  // `values`: keys and arguments as they would go onto the wire behind EVALSHA; `count` of them, the first `keys` are keys.
  unscripted(const scripts::script& what, std::string_view values, std::size_t keys, std::size_t count);

  // Appends the round that is due; returns how many answers it gets.
  [[nodiscard]] std::size_t encode(std::string& out);

  // True with the last answer of the round.
  [[nodiscard]] bool take(const resp::value& reply);

  // The script's answer, or nothing if another round is due.
  [[nodiscard]] std::optional<resp::value> end_round();

 private:
  lock::transaction transaction_;
  std::vector<resp::value> replies_;
};

}  // namespace holdfast::detail
