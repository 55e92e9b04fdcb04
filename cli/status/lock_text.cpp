#include "status/lock_text.hpp"

#include "duration.hpp"
#include "status/kind_text.hpp"
#include "terminal.hpp"

#include <algorithm>
#include <string_view>

namespace holdfast::cli {

using std::chrono::duration_cast;
using std::chrono::milliseconds;

namespace {

std::string_view contact_text(contact how) {
  switch (how) {
    case contact::unasked:
      return "not known: the holder cannot be asked";
    case contact::answered:
      return "alive: the holder's process answers";
    case contact::silent:
      return "connected but silent: stopped, stuck or busy";
    case contact::absent:
      return "not listening: gone or cut off (or no right to subscribe)";
    case contact::left:
      return "left on purpose, for another command to release";
  }
  return "";
}

std::string line(std::string_view label, const std::string& text) {
  std::string out = "  " + std::string{label};
  out.resize(14, ' ');
  return out + text + "\n";
}

std::string waiters_text(const lock_info& lock) {
  std::string out = line("waiters", std::to_string(lock.waiting));
  std::vector<std::vector<std::string>> rows;
  for (std::size_t i = 0; i < lock.waiters.size(); ++i) {
    const lock_waiter& each = lock.waiters[i];
    rows.push_back({"    " + std::to_string(i + 1), place_text(each.host, each.pid, each.owner),
                    each.waited ? duration_text(duration_cast<milliseconds>(*each.waited)) : "",
                    share_text(lock, each.weight), each.pid ? printable(each.owner) : ""});
  }
  out += table_text(rows, false);
  if (lock.waiting > lock.waiters.size()) {
    out += "    and " + std::to_string(lock.waiting - lock.waiters.size()) + " more\n";
  }
  return out;
}

// Characters, not bytes: names may be in any script.
std::size_t width(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(
      text.begin(), text.end(), [](char each) { return (static_cast<unsigned char>(each) & 0xC0) != 0x80; }));
}

template <class Duration>
std::optional<std::int64_t> ms(const std::optional<Duration>& length) {
  if (!length) return std::nullopt;
  return duration_cast<milliseconds>(*length).count();
}

template <class Who>
json_object who_json(const Who& each) {
  json_object out;
  out.add("owner", each.owner);
  out.add("host", each.pid ? std::optional{each.host} : std::nullopt);
  out.add("pid", each.pid);
  return out;
}

std::string meeting_json(const lock_info& lock) {
  if (!lock.meeting) return "null";
  return json_object{}
      .add("expected", lock.meeting->expected)
      .add("members", lock.meeting->members)
      .add("missing", lock.meeting->missing)
      .add("phase", lock.meeting->phase)
      .text();
}

}  // namespace

std::string holder_text(const lock_info& lock) {
  if (lock.meeting) return state_text(lock);
  if (!lock.held) return lock.layout == lock_layout::other ? "not a lock: " + printable(lock.type) : "free";
  std::string out = place_text(lock.host, lock.pid, lock.owner);
  if (lock.leader && !lock.leader->empty()) out = printable(*lock.leader) + " (" + out + ")";
  if (lock.holders > 1) out += " and " + std::to_string(lock.holders - 1) + " more";
  if (lock.kind == lock_kind::semaphore) {
    out += ": " + std::to_string(lock.in_use) + " of " + std::to_string(lock.capacity.value_or(0));
  } else if (lock.kind == lock_kind::shared_mutex) {
    out += state_text(lock) == "held by a writer" ? ", to write" : ", to read";
  }
  return out;
}

std::string lock_text(const lock_info& lock, bool coloured) {
  const bool odd = lock.layout == lock_layout::other;
  const colour how = odd ? colour::red : is_closed(lock) ? colour::yellow : colour::green;
  std::string out =
      paint(coloured, colour::bold, printable(lock.name)) + ": " + paint(coloured, how, state_text(lock)) + "\n";
  if (!lock.held && !lock.meeting) return lock.waiting > 0 ? out + waiters_text(lock) : out;
  const auto several = holder_rows(lock);
  if (lock.held && several.empty()) {
    out += line("holder", place_text(lock.host, lock.pid, lock.owner));
    if (lock.pid) out += line("owner", printable(lock.owner));
  } else if (lock.held) {
    out += line("holders", std::to_string(several.size()) +
                               (several.size() > 1 ? "; held for, fence and process are those of the first" : ""));
    out += table_text(several, false);
  }
  if (lock.held_for) out += line("held for", duration_text(duration_cast<milliseconds>(*lock.held_for)));
  out += line(lock.meeting ? "kept for" : "remaining",
              lock.remaining ? duration_text(*lock.remaining) : "for ever: it has no expiry");
  if (lock.fence && *lock.fence != 0) out += line(lock.leader ? "term" : "fence", std::to_string(*lock.fence));
  if (lock.held) {
    out += line("process", std::string{contact_text(lock.contact)} +
                               (lock.state ? " (" + std::string{to_string(*lock.state)} + ")" : ""));
  }
  out += line("kind", kind_text(lock));
  out += line("layout", std::string{layout_text(lock.layout)});
  if (lock.key != lock.name) out += line("key", printable(lock.key));
  return out + waiters_text(lock);
}

json_object lock_json(const lock_info& lock) {
  json_array waiters;
  for (const lock_waiter& each : lock.waiters) {
    json_object waiter = who_json(each);
    waiter.add("waited_ms", ms(each.waited)).add("weight", each.weight);
    waiters.raw(waiter.text());
  }
  json_object out;
  out.add("name", lock.name).add("key", lock.key).add("held", lock.held);
  out.add("layout", to_string(lock.layout)).add("type", lock.type);
  out.add("owner", lock.held ? std::optional{lock.owner} : std::nullopt);
  out.add("host", lock.pid ? std::optional{lock.host} : std::nullopt);
  out.add("pid", lock.pid).add("holders", lock.holders);
  out.add("remaining_ms", ms(lock.remaining)).add("held_ms", ms(lock.held_for)).add("fence", lock.fence);
  out.add("contact", to_string(lock.contact));
  out.add("state", lock.state ? std::optional{std::string{to_string(*lock.state)}} : std::nullopt);
  out.add("waiting", lock.waiting).raw("waiters", waiters.text());
  json_array holders;
  for (const lock_holder& each : lock.held_by) {
    json_object holder = who_json(each);
    holder.add("weight", each.weight).add("remaining_ms", ms(each.remaining));
    holders.raw(holder.text());
  }
  json_array together;
  for (const std::string& each : lock.together) together.raw(json_text(each));
  out.add("kind", to_string(lock.kind)).raw("held_by", holders.text());
  out.add("in_use", lock.capacity ? std::optional{lock.in_use} : std::nullopt).add("capacity", lock.capacity);
  out.raw("meeting", meeting_json(lock)).add("leader", lock.leader);
  out.add("term", lock.leader ? lock.fence : std::nullopt).raw("together", together.text());
  return out;
}

std::string table_text(const std::vector<std::vector<std::string>>& rows, bool coloured) {
  std::vector<std::size_t> widths;
  for (const auto& row : rows) {
    widths.resize(std::max(widths.size(), row.size()));
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], width(row[i]));
  }
  std::string out;
  for (const auto& row : rows) {
    std::string text;
    for (std::size_t i = 0; i < row.size(); ++i) {
      text += row[i];
      if (i + 1 < row.size()) text.append(widths[i] - width(row[i]) + 2, ' ');
    }
    text.erase(text.find_last_not_of(' ') + 1);
    out += (&row == rows.data() ? paint(coloured, colour::bold, text) : text) + "\n";
  }
  return out;
}

}  // namespace holdfast::cli
