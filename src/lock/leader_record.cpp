#include "lock/leader_record.hpp"

#include "lock/server_error.hpp"
#include "lock/take.hpp"

namespace holdfast::lock {

std::string write_leader(const leader& who) {
  return std::to_string(who.term) + " " + std::to_string(who.owner.size()) + " " + who.owner + who.id;
}

std::optional<leader> read_leader(std::string_view record) {
  leader out;
  std::size_t size = 0;
  std::string_view owner;
  if (!take_number(record, out.term) || !take_number(record, size) || !take_bytes(record, size, owner)) return {};
  out.owner = owner;
  out.id = record;
  return out;
}

result<leader_look> read_leader_look(const resp::value& reply) {
  if (reply.is_error()) return server_error(reply.text);
  if (reply.is_text()) {
    if (reply.text == "none") return leader_look{std::nullopt, true};
    if (reply.text == "unknown") return leader_look{std::nullopt, false};
    std::string_view text = reply.text;
    std::int64_t left = 0;
    if (take_word(text, "leader ") && take_number(text, left)) {
      if (auto out = read_leader(text)) {
        out->remaining = std::chrono::milliseconds{left};
        return leader_look{std::move(out), true};
      }
    }
  }
  return failure{errc::protocol, "the answer to elector_look is not one that the script can give"};
}

}  // namespace holdfast::lock
