#include "net/handshake.hpp"

#include "resp/writer.hpp"

#include <algorithm>
#include <charconv>
#include <string_view>
#include <system_error>

namespace holdfast::net {
namespace {

std::string_view user_of(const settings& how) { return how.user.empty() ? std::string_view{"default"} : how.user; }

// The server's words, without control characters and never longer than a line. Redis repeats no password in them.
std::string shown(std::string_view text) {
  std::string out{text.substr(0, 200)};
  for (char& c : out) {
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = '?';
  }
  return out;
}

}  // namespace

handshake::handshake(const settings& how, int version, std::string inbox, std::string common, closing_questions also)
    : how_{&how}, version_{version}, inbox_{std::move(inbox)}, common_{std::move(common)} {
  if (version_ == 3) {
    steps_ = {step::hello};
  } else {
    if (!how.password.empty()) steps_.push_back(step::auth);
    steps_.push_back(step::name);
  }
  if (!inbox_.empty()) {
    steps_.push_back(step::subscribe);
    steps_.push_back(step::second);
  } else {
    // Also for database 0: the answer shows whether the server lets us in at all.
    steps_.push_back(step::select);
  }
  if (also.identity) steps_.push_back(step::identify);
  if (also.role) steps_.push_back(step::role);
}

std::string handshake::greeting() const {
  std::string out;
  for (const step each : steps_) {
    switch (each) {
      case step::hello:
        if (how_->password.empty()) {
          resp::append_command(out, "HELLO", 3, "SETNAME", how_->client_name);
        } else {
          resp::append_command(out, "HELLO", 3, "AUTH", user_of(*how_), how_->password, "SETNAME", how_->client_name);
        }
        break;
      case step::auth:
        if (how_->user.empty()) {
          resp::append_command(out, "AUTH", how_->password);  // before Redis 6 there are no users
        } else {
          resp::append_command(out, "AUTH", how_->user, how_->password);
        }
        break;
      case step::name:
        resp::append_command(out, "CLIENT", "SETNAME", how_->client_name);
        break;
      case step::select:
        resp::append_command(out, "SELECT", how_->database);
        break;
      case step::subscribe:
        resp::append_command(out, "SUBSCRIBE", inbox_, common_);
        break;
      case step::identify:
        resp::append_command(out, "INFO", "server");
        break;
      case step::second:  // one command, but each channel is confirmed
        break;
      case step::role:
        resp::append_command(out, "ROLE");
        break;
    }
  }
  return out;
}

handshake::verdict handshake::on_reply(const resp::value& reply) {
  if (at_ >= steps_.size()) return verdict::done;
  const step now = steps_[at_++];
  if (now == step::role) return judge_role(reply);
  if (reply.is_error()) {
    if (now == step::name && reply.text.starts_with("NOPERM")) return verdict::more;  // only a nicety
    if (now == step::subscribe && reply.text.starts_with("NOPERM")) return verdict::done;
    if (now == step::select && how_->database == 0 && reply.text.starts_with("NOPERM")) return next();
    return refuse(reply);
  }
  if (now == step::hello) {
    if (reply.type != resp::kind::map) {
      problem_ = {errc::protocol, "the answer to HELLO is not a map; is this a Redis?"};
      return verdict::refused;
    }
    for (std::size_t i = 0; i + 1 < reply.items.size(); i += 2) {
      const std::string_view field = reply.items[i].text;
      const resp::value& value = reply.items[i + 1];
      if (field == "id") id_ = value.integer;
      if (field == "role") role_ = value.text;
      if (field == "mode") clustered_ = value.text == "cluster";
      if (field == "version") {
        std::from_chars(value.text.data(), value.text.data() + value.text.size(), major_);
      }
    }
  }
  if (now == step::second) subscribed_ = true;
  if (now == step::identify && !read_identity(reply)) {
    problem_ = {errc::protocol, "the answer to INFO server has no run_id; is this a Redis?"};
    return verdict::refused;
  }
  return next();
}

// Not a primary: no refusal, but an answer that will be another one after the failover. So it counts as unreachable.
handshake::verdict handshake::judge_role(const resp::value& reply) {
  std::string role;
  if (reply.is_list() && !reply.items.empty()) role = reply.items[0].text;
  const bool forbidden = reply.is_error() && reply.text.starts_with("NOPERM");
  if (forbidden) role = role_;  // HELLO has told it without asking for rights
  if (role == "master") return next();
  if (!role.empty()) {
    problem_ = {errc::unreachable, "the Sentinels named a server whose role is " + shown(role) + ", not primary"};
  } else if (forbidden) {
    problem_ = {errc::refused, "the ACL user may not ask for the server's role, as it must be behind Sentinels: +role"};
  } else {
    return refuse(reply);
  }
  return verdict::refused;
}

bool handshake::read_identity(const resp::value& reply) {
  const std::string_view text = reply.text;
  const auto field = [text](std::string_view name) {
    const auto at = text.find(name);
    if (at == std::string_view::npos || (at != 0 && text[at - 1] != '\n')) return std::string_view{};
    const auto rest = text.substr(at + name.size());
    return rest.substr(0, rest.find_first_of("\r\n"));
  };
  identity_.run_id = field("run_id:");
  const auto uptime = field("uptime_in_seconds:");
  std::int64_t seconds = 0;
  const auto read = std::from_chars(uptime.data(), uptime.data() + uptime.size(), seconds);
  if (read.ec != std::errc{} || seconds < 0) return false;
  identity_.uptime = std::chrono::seconds{seconds};
  // It goes into a seat, whose parts are told apart by blanks (scripts/_seat.lua).
  return !identity_.run_id.empty() && std::all_of(identity_.run_id.begin(), identity_.run_id.end(), [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
  });
}

handshake::verdict handshake::refuse(const resp::value& reply) {
  const std::string_view text = reply.text;
  const auto has = [text](std::string_view word) { return text.find(word) != std::string_view::npos; };
  if (version_ == 3 && at_ == 1 && how_->protocol == 0 &&
      (has("unknown command") || has("NOPROTO") || text.starts_with("NOPERM") || has("syntax error"))) {
    return verdict::fall_back;
  }
  if (has("NOAUTH") || has("no password is set") || has("WRONGPASS") || has("invalid password") ||
      has("invalid username-password")) {
    const bool given = !how_->password.empty();
    problem_ = {errc::refused, given ? "Redis refused the user or password (" + shown(text) + ")"
                                     : "Redis wants a password; set it in the URL or in HOLDFAST_PASSWORD"};
  } else if (text.starts_with("NOPERM")) {
    problem_ = {errc::refused, "the ACL user may not connect (" + shown(text) + "); see docs/operate.md"};
  } else if (has("DB index")) {
    problem_ = {errc::refused, "Redis has no database " + std::to_string(how_->database) + " (" + shown(text) + ")"};
  } else if (text.starts_with("LOADING") || text.starts_with("BUSY") || text.starts_with("MASTERDOWN") ||
             has("max number of clients")) {
    problem_ = {errc::server_busy, "Redis cannot serve yet (" + shown(text) + ")"};
  } else if (text.starts_with("DENIED")) {
    problem_ = {errc::refused, "Redis is in protected mode; set a password or connect by loopback"};
  } else {
    problem_ = {errc::protocol, "Redis refused the greeting (" + shown(text) + ")"};
  }
  return verdict::refused;
}

}  // namespace holdfast::net
