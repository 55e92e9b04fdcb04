#include "lock/quorum_replies.hpp"

#include "lock/server_error.hpp"
#include "lock/take.hpp"

#include <algorithm>

namespace holdfast::lock {
namespace {

using resp::kind;
using resp::value;
using std::chrono::milliseconds;

// A word, and the space behind it.
bool take_text(std::string_view& text, std::string& out) {
  const auto end = text.find(' ');
  if (end == std::string_view::npos) return false;
  out = text.substr(0, end);
  text.remove_prefix(end + 1);
  return true;
}

// As share_acquire.lua says it.
bool is_too_many(std::string_view text) {
  std::uint64_t there = 0;
  return take_word(text, "too_many ") && is_whole_number(text, there);
}

}  // namespace

std::optional<vote_reply> read_not_seated(std::string_view text) {
  vote_reply out;
  std::int64_t number = 0;
  if (take_word(text, "young ")) {
    out.what = vote_reply::kind::young;
    if (!take_number(text, number) || number < 0) return std::nullopt;
    out.left = milliseconds{number};
    out.fresh = text.ends_with(" none");
    if (!out.fresh && !text.ends_with(" run")) return std::nullopt;
    out.seat = text;
    return out;
  }
  if (take_word(text, "refused max_ttl ")) {
    out.what = vote_reply::kind::other_max_ttl;
    if (!is_whole_number(text, number)) return std::nullopt;
    out.max_ttl = milliseconds{number};
    return out;
  }
  return std::nullopt;
}

std::vector<slot_number> read_slots(std::string_view text) {
  std::vector<slot_number> out;
  while (!text.empty()) {
    const auto end = std::min(text.find(','), text.size());
    slot_number slot = 0;
    if (!is_whole_number(text.substr(0, end), slot) || end + 1 == text.size()) return {};
    out.push_back(slot);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  std::ranges::sort(out);
  if (std::ranges::adjacent_find(out) != out.end()) out.clear();  // one node has one vote for each
  return out;
}

std::string write_slots(std::span<const slot_number> slots) {
  std::string out;
  for (const slot_number each : slots) out.append(out.empty() ? "" : ",").append(std::to_string(each));
  return out;
}

std::vector<slot_number> read_kept_slots(const value& reply) {
  std::string_view text = reply.text;
  return take_word(text, "kept ") ? read_slots(text) : std::vector<slot_number>{};
}

result<vote_reply> read_vote(const value& reply) {
  if (reply.is_error()) return server_error(reply.text);
  if (reply.type != kind::bulk) return odd_answer("quorum_acquire");
  std::string_view text = reply.text;
  vote_reply out;
  if (take_word(text, "granted ")) {
    out.what = vote_reply::kind::granted;
    if (is_whole_number(text, out.number)) return out;
    if (take_number(text, out.number)) out.slots = read_slots(text);
    if (!out.slots.empty()) return out;
  } else if (take_word(text, "full ")) {
    std::int64_t left = 0;
    out.what = vote_reply::kind::held;
    if (take_number(text, left) && take_text(text, out.rival)) {
      out.left = milliseconds{left};
      out.holder = text;
      return out;
    }
  } else if (take_word(text, "held ")) {
    std::int64_t left = 0;
    out.what = vote_reply::kind::held;
    if (take_number(text, left)) {
      out.left = milliseconds{left};
      out.holder = text;
      return out;
    }
  } else if (const auto told = read_not_seated(text)) {
    return *told;
  } else if (take_word(text, "refused ") && (text == "lost" || text == "deadlock" || is_too_many(text))) {
    out.what = vote_reply::kind::refused;
    out.refusal = text;
    return out;
  }
  return odd_answer("quorum_acquire");
}

result<keep_reply> read_keep(const value& reply) {
  if (reply.is_error()) return server_error(reply.text);
  if (reply.type == kind::bulk) {
    if (reply.text == "kept" || !read_kept_slots(reply).empty()) return keep_reply::kept;
    if (reply.text == "gone") return keep_reply::gone;
    if (reply.text == "taken") return keep_reply::taken;
    if (const auto told = read_not_seated(reply.text)) {
      return told->what == vote_reply::kind::young ? keep_reply::young : keep_reply::other_max_ttl;
    }
  }
  return odd_answer("quorum_renew");
}

result<note_reply> read_note(const value& reply) {
  if (reply.is_error()) return server_error(reply.text);
  if (reply.type == kind::bulk) {
    if (reply.text == "noted") return note_reply::noted;
    if (reply.text == "gone") return note_reply::gone;
    if (reply.text == "taken") return note_reply::taken;
  }
  return odd_answer("quorum_fence");
}

result<bool> read_give_back(const value& reply) {
  if (reply.is_error()) return server_error(reply.text);
  if (reply.type != kind::integer || reply.integer < 0 || reply.integer > 1) return odd_answer("quorum_release");
  return reply.integer == 1;
}

}  // namespace holdfast::lock
