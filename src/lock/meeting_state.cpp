#include "lock/meeting_state.hpp"

#include "lock/server_error.hpp"
#include "lock/take.hpp"

#include <algorithm>

namespace holdfast::lock {

using std::chrono::duration_cast;
using std::chrono::microseconds;

namespace {

constexpr std::string_view nobody = "-";

std::string write_ids(const std::vector<meeting_state::remembered>& all) {
  std::string out;
  for (const auto& each : all) {
    if (!out.empty()) out += ',';
    out.append(std::to_string(each.id.object)).append(":").append(std::to_string(each.id.number)).append(":");
    out.append(std::to_string(each.phase)).append(":").append(std::to_string(each.until));
  }
  return out.empty() ? std::string{nobody} : out;
}

bool read_id(std::string_view text, meeting_state::remembered& out) {
  std::uint64_t* const parts[] = {&out.id.object, &out.id.number, &out.phase, &out.until};
  for (std::uint64_t* each : parts) {
    const bool last = each == parts[3];
    const auto end = last ? text.size() : text.find(':');
    if (end == std::string_view::npos || !is_whole_number(text.substr(0, end), *each)) return false;
    text.remove_prefix(last ? end : end + 1);
  }
  return true;
}

bool read_ids(std::string_view text, std::vector<meeting_state::remembered>& out) {
  if (text == nobody) return true;
  for (;;) {
    const auto end = text.find(',');
    meeting_state::remembered one;
    if (!read_id(text.substr(0, end), one)) return false;
    out.push_back(one);
    if (end == std::string_view::npos) return true;
    text.remove_prefix(end + 1);
  }
}

bool read_state(std::string_view text, meeting_state& out) {
  if (take_word(text, "barrier ")) {
    out.kind = meeting_kind::barrier;
  } else if (!take_word(text, "latch ")) {
    return false;
  }
  return take_number(text, out.made) && take_number(text, out.expected) && take_number(text, out.members) &&
         take_number(text, out.left) && take_number(text, out.drops) && take_number(text, out.phase) &&
         read_ids(text, out.ids);
}

// The errors have the texts of the scripts that run on a single Redis, so that everybody is told the same.
std::optional<failure> find_fault(const std::optional<meeting_state>& state, std::uint64_t version,
                                  const arrival_terms& what) {
  const std::string kind{to_string(what.kind)};
  if (!state) {
    if (what.made == 0) return std::nullopt;
    return server_error("HFGONE the " + kind + " is not there any more");
  }
  if (state->kind != what.kind) {
    return server_error("WRONGTYPE a " + std::string{to_string(state->kind)} + ", not a " + kind);
  }
  if (what.made != 0 && what.made != state->made) {
    return server_error("HFGONE another " + kind + " of this name has been made since");
  }
  if (what.made != 0 && version < what.seen) {
    return server_error("HFGONE a part of the " + kind + " was forgotten by too many nodes");
  }
  if (state->expected != what.expected) {
    return server_error("HFCOUNT the " + kind + " was made for " + std::to_string(state->expected) +
                        ", and this call says " + std::to_string(what.expected));
  }
  return std::nullopt;
}

meeting_state make_meeting(const arrival_terms& what, std::uint64_t made) {
  return {.kind = what.kind,
          .made = made,
          .expected = what.expected,
          .members = what.expected,
          .left = what.expected,
          .phase = what.expected == 0 ? 1U : 0U};
}

// Those that cannot be repeated any more: the object says so, or nothing has been heard of it for too long.
void forget_old(meeting_state& state, const arrival_terms& what, std::uint64_t now) {
  std::erase_if(state.ids, [&](const meeting_state::remembered& each) {
    return each.until < now || (each.id.object == what.id->object && each.id.number < what.oldest);
  });
}

void arrive(meeting_state& state, const arrival_terms& what) {
  state.left -= what.count;
  if (what.drops) state.drops += what.count;
  if (state.left != 0) return;
  ++state.phase;
  if (state.kind == meeting_kind::latch) return;
  state.members -= state.drops;
  state.drops = 0;
  state.left = state.members;
}

}  // namespace

result<meeting_copy> read_copy(const resp::value& reply) {
  if (reply.is_error()) return server_error(reply.text);
  meeting_copy out;
  std::string_view text = reply.text;
  unsigned more = 0;
  if (reply.type == resp::kind::bulk && take_number(text, out.clock)) {
    if (text == "0") return out;
    if (take_number(text, out.version) && out.version != 0 && take_number(text, more) && more <= 1 &&
        read_state(text, out.what)) {
      out.more = more == 1;
      return out;
    }
  }
  return failure{errc::protocol, "the answer to the quorum_meet_read script is not of a form that it can return"};
}

std::vector<std::string> write_fields(const meeting_state& what) {
  std::vector<std::string> out{std::string{to_string(what.kind)}};
  for (const std::uint64_t each : {what.made, what.expected, what.members, what.left, what.drops, what.phase}) {
    out.push_back(std::to_string(each));
  }
  out.push_back(write_ids(what.ids));
  return out;
}

result<counted> count(std::optional<meeting_state>& state, std::uint64_t version, const arrival_terms& what,
                      std::uint64_t next, std::uint64_t now) {
  if (const auto wrong = find_fault(state, version, what)) return *wrong;
  counted out;
  if (!state) {
    state = make_meeting(what, next);
    out.changed = true;
  }
  out.told = {.made = state->made, .phase = state->phase, .present = state->phase, .left = state->left};
  if (!what.id) return out;
  const auto before = std::ranges::find(state->ids, *what.id, &meeting_state::remembered::id);
  if (before != state->ids.end()) {
    out.told.phase = before->phase;
    return out;
  }
  // Everybody had left, and somebody begins anew.
  const bool anew = state->is_over();
  const std::uint64_t left = anew ? what.expected : state->left;
  if (what.count > left) {
    return server_error("HFCOUNT " + std::to_string(what.count) + " arrive at the " +
                        std::string{to_string(what.kind)} + ", which waits for " + std::to_string(left));
  }
  if (anew) state->members = state->left = what.expected;
  forget_old(*state, what, now);
  const auto window = static_cast<std::uint64_t>(duration_cast<microseconds>(what.remembered).count());
  state->ids.push_back({*what.id, state->phase, now + window});
  arrive(*state, what);
  out.told.present = state->phase;
  out.told.left = state->left;
  out.changed = true;
  return out;
}

}  // namespace holdfast::lock
