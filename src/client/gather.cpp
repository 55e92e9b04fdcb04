#include "client/gather.hpp"

#include "client/command_call.hpp"
#include "lock/server_error.hpp"

#include <algorithm>
#include <array>
#include <thread>

namespace holdfast::detail {
namespace {

using std::chrono::microseconds;
using std::chrono::seconds;

constexpr std::array config_names{
    "appendfsync",    "save",          "stop-writes-on-bgsave-error", "min-replicas-to-write",
    "timeout",        "tcp-keepalive", "slowlog-log-slower-than",     "busy-reply-threshold",
    "lua-time-limit", "maxclients",
};
constexpr int clock_looks = 20;
constexpr auto slow_log_length = "128";

// A server that can answer nothing for now has nothing to look at: all findings would be unknown, and look harmless.
result<answer> put(const std::shared_ptr<core>& owner, std::vector<std::string> words) {
  auto got = ask(owner, std::move(words));
  if (!got || !got->value.is_error()) return got;
  const std::string& text = got->value.text;
  if (text.starts_with("BUSY ") || text.starts_with("LOADING ")) return lock::server_error(text);
  return got;
}

// The server's words, fit for a terminal. Only refusals of our own questions get here: no secret was sent with them.
std::string words_of(const resp::value& refusal) {
  std::string out = refusal.text.substr(0, 120);
  std::replace_if(
      out.begin(), out.end(), [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }, '?');
  return out;
}

class gathering {
 public:
  gathering(const std::shared_ptr<core>& owner, const examine_options& how, deployment as) : owner_{owner}, how_{how} {
    const settings& ours = owner->where();
    out_.prefix = ours.prefix;
    out_.as = as;
    out_.replicas = ours.replicas;
    out_.command_timeout = ours.command_timeout;
    out_.keep_alive = ours.keep_alive;
    out_.ttl = how.ttl;
  }

  result<doctor::facts> run() {
    for (const auto step : {&gathering::look_at_info, &gathering::look_at_config, &gathering::watch_clock,
                            &gathering::time_pings, &gathering::look_at_slow_log}) {
      if (auto good = (this->*step)(); !good) return good.failure();
    }
    auto rights = gather_rights(owner_, out_.as);
    if (!rights) return rights.failure();
    out_.rights.value = std::move(*rights);
    auto guard = owner_->lock();
    out_.protocol = owner_->nodes().of({}).version();
    return std::move(out_);
  }

 private:
  result<void> look_at_info() {
    auto got = put(owner_, {"INFO"});
    if (!got) return got.failure();
    if (got->value.is_text()) {
      out_.info.value.emplace(got->value.text);
    } else {
      out_.info.why_not = words_of(got->value);
    }
    return {};
  }

  result<void> look_at_config() {
    doctor::config_values values;
    for (const std::string name : config_names) {
      auto got = put(owner_, {"CONFIG", "GET", name});
      if (!got) return got.failure();
      if (got->value.is_error()) {
        out_.config.why_not = words_of(got->value);
        return {};
      }
      const auto& items = got->value.items;  // a map in RESP3, an array in RESP2: flat both
      for (std::size_t i = 0; i + 1 < items.size(); i += 2) values[items[i].text] = items[i + 1].text;
    }
    out_.config.value = std::move(values);
    return {};
  }

  result<void> watch_clock() {
    const auto pause = how_.clock_watch / (clock_looks - 1);
    for (int i = 0; i < clock_looks; ++i) {
      if (i != 0) std::this_thread::sleep_for(pause);
      auto got = put(owner_, {"TIME"});
      if (!got) return got.failure();
      // Asked at once after the answer: what lies between is an error on the safe side for `received`, and small.
      const auto wall = std::chrono::system_clock::now().time_since_epoch();
      const auto now = runtime::boot_clock::now();
      const auto& items = got->value.items;
      const auto whole = items.size() == 2 ? doctor::as_number(items[0].text) : std::nullopt;
      const auto part = items.size() == 2 ? doctor::as_number(items[1].text) : std::nullopt;
      if (!whole || !part) {
        out_.why_no_clock = words_of(got->value);
        out_.clock.clear();
        return {};
      }
      const auto host = std::chrono::duration_cast<microseconds>(wall - (now - got->received_at));
      out_.clock.push_back({got->sent_at, got->received_at, seconds{*whole} + microseconds{*part}, host});
    }
    return {};
  }

  result<void> time_pings() {
    for (unsigned i = 0; i < how_.pings; ++i) {
      auto got = put(owner_, {"PING"});
      if (!got) {
        // One that is lost is a finding; without any answer there is nothing to look at.
        if (++out_.lost_pings > how_.pings / 10 + 1) return got.failure();
        continue;
      }
      // Any other error is an answer too, and took as long.
      if (got->value.is_error() && got->value.text.starts_with("NOPERM")) {
        out_.why_no_ping = words_of(got->value);
        out_.round_trips.clear();
        return {};
      }
      out_.round_trips.push_back(got->received_at - got->sent_at);
    }
    return {};
  }

  result<void> look_at_slow_log() {
    auto got = put(owner_, {"SLOWLOG", "GET", slow_log_length});
    if (!got) return got.failure();
    if (!got->value.is_list()) {
      out_.slow_log.why_not = words_of(got->value);
      return {};
    }
    auto& into = out_.slow_log.value.emplace();
    for (const resp::value& each : got->value.items) {  // id, time, µs, words, client, name
      if (each.items.size() < 4 || each.items[3].items.empty()) continue;
      std::string name = words_of(each.items[3].items.front());
      for (char& c : name) c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
      into.push_back({seconds{each.items[1].integer}, microseconds{each.items[2].integer}, std::move(name)});
    }
    return {};
  }

  const std::shared_ptr<core>& owner_;
  const examine_options& how_;
  doctor::facts out_;
};

}  // namespace

result<doctor::facts> gather(const std::shared_ptr<core>& owner, const examine_options& how, deployment as) {
  return gathering{owner, how, as}.run();
}

}  // namespace holdfast::detail
