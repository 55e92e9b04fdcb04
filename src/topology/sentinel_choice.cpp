#include "topology/sentinel_choice.hpp"

#include "topology/text.hpp"

#include <algorithm>
#include <charconv>
#include <tuple>

namespace holdfast::topology {

using runtime::time_point;

namespace {

std::optional<std::uint16_t> read_port(std::string_view text) {
  std::uint16_t port = 0;
  const char* const end = text.data() + text.size();
  const auto [rest, problem] = std::from_chars(text.data(), end, port);
  if (problem != std::errc{} || rest != end || port == 0) return std::nullopt;
  return port;
}

std::string_view next_word(std::string_view& rest) {
  const auto blank = rest.find(' ');
  const auto word = rest.substr(0, blank);
  rest = blank == std::string_view::npos ? std::string_view{} : rest.substr(blank + 1);
  return word;
}

// Server texts are shown to people: cut, and freed of control characters.
std::string shown(std::string_view text) {
  std::string out{text.substr(0, 200)};
  for (char& c : out) {
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = '?';
  }
  return out;
}

bool contains(const std::vector<endpoint>& all, const endpoint& one) {
  return std::find(all.begin(), all.end(), one) != all.end();
}

}  // namespace

result<std::optional<endpoint>> read_primary(const resp::value& reply) {
  if (reply.is_null()) return std::optional<endpoint>{};
  if (reply.is_error()) {
    const bool rights =
        reply.text.starts_with("NOAUTH") || reply.text.starts_with("NOPERM") || reply.text.starts_with("WRONGPASS");
    if (rights) {
      return failure{errc::refused, "it refused us (" + shown(reply.text) +
                                        "); set sentinel_password, and sentinel_user if it has users"};
    }
    if (reply.text.find("unknown command") != std::string::npos) {
      return failure{errc::protocol, "this is not a Sentinel (" + shown(reply.text) + ")"};
    }
    return failure{errc::server_busy, "it answered with an error (" + shown(reply.text) + ")"};
  }
  if (reply.is_list() && reply.items.size() == 2 && !reply.items[0].text.empty()) {
    if (const auto port = read_port(reply.items[1].text)) {
      return std::optional<endpoint>{endpoint{reply.items[0].text, *port}};
    }
  }
  return failure{errc::protocol, "its answer is not an address; is this a Sentinel?"};
}

std::optional<primary_switch> read_switch(std::string_view payload, std::string_view name) {
  // The name may have blanks, the rest has none.
  if (!payload.starts_with(name) || payload.substr(name.size()).substr(0, 1) != " ") return std::nullopt;
  auto rest = payload.substr(name.size() + 1);
  primary_switch out;
  for (endpoint* each : {&out.from, &out.to}) {
    each->host = next_word(rest);
    const auto port = read_port(next_word(rest));
    if (each->host.empty() || !port) return std::nullopt;
    each->port = *port;
  }
  if (!rest.empty()) return std::nullopt;
  return out;
}

sentinel_choice::sentinel_choice(std::vector<endpoint> sentinels, std::string name)
    : sentinels_{std::move(sentinels)}, name_{std::move(name)}, votes_(sentinels_.size()) {}

void sentinel_choice::ask(time_point now) {
  // Whoever is content with a choice does not ask; unless it was told to leave, which says nothing against the place.
  if (chosen_ && !outdated_ && !contains(tried_, *chosen_)) tried_.push_back(*chosen_);
  chosen_.reset();
  outdated_ = false;
  open_ = true;
  asked_ = now;
  for (vote& each : votes_) each.fresh = false;
}

void sentinel_choice::named(std::size_t who, const endpoint& primary) {
  votes_[who] = {vote::kind::address, true, primary, {}};
  forget_switches();
  if (chosen_ && most_name_another()) outdated_ = true;
}

void sentinel_choice::knows_nothing(std::size_t who) { votes_[who] = {vote::kind::unknown, true, {}, {}}; }

void sentinel_choice::failed(std::size_t who, failure why) {
  votes_[who] = {vote::kind::problem, true, {}, std::move(why)};
}

void sentinel_choice::switched(std::size_t who, const primary_switch& news) {
  std::erase(left_, news.to);
  std::erase(tried_, news.to);
  if (news.from != news.to && !contains(left_, news.from)) left_.push_back(news.from);
  votes_[who] = {vote::kind::address, true, news.to, {}};
  forget_switches();
  if (chosen_ && *chosen_ != news.to) outdated_ = true;
}

// Once most have followed a switch the others are outvoted, and the place that was left may be the primary again one day.
void sentinel_choice::forget_switches() {
  for (const vote& each : votes_) {
    if (each.what != vote::kind::address || contains(left_, each.where)) continue;
    const auto same = std::count_if(votes_.begin(), votes_.end(), [&](const vote& other) {
      return other.what == vote::kind::address && other.where == each.where;
    });
    if (static_cast<std::size_t>(same) * 2 > votes_.size()) return left_.clear();
  }
}

bool sentinel_choice::most_name_another() const {
  std::size_t another = 0;
  for (const vote& each : votes_) {
    // A place that was left by a switch is old news, not another primary.
    another += each.what == vote::kind::address && each.where != *chosen_ && !contains(left_, each.where) ? 1 : 0;
  }
  return another * 2 > votes_.size();
}

std::vector<sentinel_choice::candidate> sentinel_choice::candidates() const {
  std::vector<candidate> all;
  for (const vote& each : votes_) {
    if (!each.fresh || each.what != vote::kind::address) continue;
    auto at = std::find_if(all.begin(), all.end(), [&](const candidate& one) { return one.where == each.where; });
    if (at == all.end()) {
      at = all.insert(all.end(), candidate{each.where, 0, contains(left_, each.where), contains(tried_, each.where)});
    }
    ++at->votes;
  }
  // Stable: among equals the order of the Sentinels in the settings.
  std::stable_sort(all.begin(), all.end(), [](const candidate& a, const candidate& b) {
    return std::tuple{a.left, b.votes, a.tried} < std::tuple{b.left, a.votes, b.tried};
  });
  return all;
}

std::optional<result<endpoint>> sentinel_choice::choose(time_point now) {
  if (!open_) return std::nullopt;
  const auto all = candidates();
  const bool agreed = !all.empty() && !all.front().left && all.front().votes * 2 > votes_.size();
  const bool complete = std::all_of(votes_.begin(), votes_.end(), [](const vote& each) { return each.fresh; });
  if (!agreed && !complete && now < limit()) return std::nullopt;
  open_ = false;
  if (all.empty()) return result<endpoint>{nobody_knows()};
  if (all.front().tried) tried_.clear();  // once round; from the front again
  chosen_ = all.front().where;
  return result<endpoint>{*chosen_};
}

failure sentinel_choice::nobody_knows() const {
  std::string unknown;
  std::string refused;
  std::string away;
  for (std::size_t i = 0; i < votes_.size(); ++i) {
    const vote& each = votes_[i];
    const std::string who = display(sentinels_[i]);
    if (each.fresh && each.what == vote::kind::unknown) {
      unknown += (unknown.empty() ? "" : ", ") + who;
    } else {
      const bool told = each.fresh && each.what == vote::kind::problem;
      auto& list = told && each.why.code != errc::unreachable && each.why.code != errc::server_busy ? refused : away;
      list += (list.empty() ? "" : "; ") + who + ": " + (told ? each.why.detail : "no answer in time");
    }
  }
  if (!unknown.empty()) {
    return {errc::refused, "no Sentinel knows a primary called " + quoted(name_) + " (asked: " + unknown +
                               "); SENTINEL MASTERS lists the names that they know"};
  }
  if (!refused.empty()) return {errc::refused, "the Sentinels do not tell where the primary is: " + refused};
  return {errc::unreachable, "no Sentinel can be asked where the primary is: " + away};
}

}  // namespace holdfast::topology
