#include "trial.hpp"

#include <backstage/interrupts.hpp>

#include <algorithm>
#include <array>
#include <cstdio>
#include <random>
#include <string_view>

#include "clock.hpp"

namespace lab {
namespace {

// In notes a script is its name: what it does stands in the experiment's text.
std::string command_text(const words& command) {
  std::string out;
  for (const std::string& each : command) {
    if (!out.empty()) out += ' ';
    out += each.find(' ') == std::string::npos ? each : "(script)";
  }
  return out;
}

// "A-93c1…" is A's.
std::string holder_of(const std::string& value) { return value.substr(0, value.find('-')); }

std::string all_of(const answer& told) {
  std::string all;
  for (const std::string& each : told.texts) all += (all.empty() ? "" : " ") + each;
  return all;
}

// After each step of a client, for the drawing: steps that take microseconds could not be told apart in it. Nothing
// depends on it.
constexpr std::chrono::milliseconds pace{20};

}  // namespace

trial::trial(record& into) : notes_{into}, began_{now_ns()} {}

nanoseconds trial::since(std::int64_t at) const { return std::max<nanoseconds>(at - began_, 0); }
order trial::raw_order(const place& where, const words& command) {
  order out{"redis", where.process->socket()};
  out.insert(out.end(), command.begin(), command.end());
  return out;
}

std::size_t trial::row_of(const actor& who) { return notes_.drawn.row_of(who.name(), row_kind::client); }

place& trial::server(const std::string& name, backstage::server_options how) {
  auto made = std::make_unique<place>();
  made->name = name;
  made->process = std::make_unique<backstage::server>(std::move(how));
  made->link = std::make_unique<redis_link>(made->process->socket());
  made->row = notes_.drawn.row_of(name, row_kind::server);
  if (notes_.server.empty()) {
    constexpr std::string_view head = "redis_version:";
    const std::string all = made->link->ask({"INFO", "server"});
    const auto from = all.find(head) + head.size();
    notes_.server = all.substr(from, all.find('\r', from) - from);
  }
  places_.push_back(std::move(made));
  begin();  // when the last of its servers runs, unless the experiment says otherwise
  return *places_.back();
}

void trial::begin() {
  began_ = now_ns();
  notes_.drawn.restart();
}

actor& trial::client(const std::string& name) {
  actors_.push_back(std::make_unique<actor>(name));
  static_cast<void>(row_of(*actors_.back()));
  return *actors_.back();
}

std::string trial::owner(const actor& who) {
  std::random_device source;
  std::array<char, 16> text{};
  std::snprintf(text.data(), text.size(), "%08x", source());
  return who.name() + "-" + text.data();
}

answer trial::order_of(actor& who, const order& wanted, const std::string& what) {
  answer told = who.ask(wanted);
  note(who.name(), what, all_of(told), told.ended);
  look();
  backstage::pause_for(pace);
  return told;
}

std::string trial::ask(actor& who, const place& where, const words& command) {
  return order_of(who, raw_order(where, command), command_text(command)).text();
}

bool trial::take(actor& who, const place& where, const words& command) {
  last_taker_ = who.name();
  const answer told = order_of(who, raw_order(where, command), command_text(command));
  if (told.text() == "OK") {
    believes(who, told.ended);
    return true;
  }
  event(who, "refused", told.ended);
  return false;
}

std::string trial::give(actor& who, const place& where, const words& command) {
  believes_no_more(who, now_ns());
  return ask(who, where, command);
}

order trial::acquire_order(const actor& who, const std::string& url, const wish& how) {
  return {"acquire", url, key, owner(who), how.ttl_ms, how.renew ? "yes" : "no", how.wait_ms, how.replicas};
}

grant trial::note_acquire(const actor& who, const answer& told, const wish& how) {
  std::string what = "holdfast acquire, ttl " + how.ttl_ms + " ms";
  if (how.replicas != "0") what += ", replicas " + how.replicas;
  if (how.wait_ms == "0") what += ", no waiting";
  note(who.name(), what, all_of(told), told.ended);
  grant got{told.text()};
  if (got.told == "granted") {
    got.fence = told.texts.at(1);
    believes(who, told.ended);
  } else {
    event(who, "refused: " + got.told, told.ended);
  }
  look();
  backstage::pause_for(pace);
  return got;
}

grant trial::acquire(actor& who, const std::string& url, const wish& how) {
  return note_acquire(who, who.ask(acquire_order(who, url, how)), how);
}

answer trial::hear(actor& who) {
  while (!who.has_answer()) {
    look();
    backstage::pause_for(std::chrono::milliseconds{5});
  }
  return who.hear();
}

void trial::pause(actor& who) {
  who.stop();
  const auto at = now_ns();
  notes_.drawn.begin(row_of(who), span_kind::paused, "", since(at));
  note(who.name(), "paused (SIGSTOP)", "", at);
}

void trial::resume(actor& who) {
  const auto at = now_ns();
  notes_.drawn.end(row_of(who), span_kind::paused, since(at));
  note(who.name(), "runs again (SIGCONT)", "", at);
  who.resume();
}

void trial::kill(actor& who) {
  who.kill();
  const auto at = now_ns();
  notes_.drawn.end(row_of(who), span_kind::believed, since(at));
  event(who, "killed", at);
  note(who.name(), "killed (SIGKILL)", "", at);
  look();
}

void trial::event(const actor& who, const std::string& what, std::int64_t at) {
  notes_.drawn.add({row_of(who), mark_kind::event, what, since(at)});
}

void trial::event(const place& where, const std::string& what) {
  notes_.drawn.add({where.row, mark_kind::event, what, since(now_ns())});
}

void trial::believes(const actor& who, std::int64_t from) {
  notes_.drawn.begin(row_of(who), span_kind::believed, "", since(from));
}
void trial::believes_no_more(const actor& who, std::int64_t from) {
  notes_.drawn.end(row_of(who), span_kind::believed, since(from));
}

place& trial::storage() {
  if (storage_ == nullptr) {
    storage_ = &server("storage");
    notes_.drawn.set_kind(storage_->row, row_kind::storage);
  }
  return *storage_;
}

words trial::write_command(const std::string& value, const std::optional<std::string>& fence) {
  static const std::string guarded =
      "if tonumber(ARGV[2]) < tonumber(redis.call('GET', KEYS[2]) or '0') then return 'refused' end "
      "redis.call('SET', KEYS[1], ARGV[1]) redis.call('SET', KEYS[2], ARGV[2]) return 'OK'";
  if (!fence) return {"SET", "data", value};
  return {"EVAL", guarded, "2", "data", "largest fence", value, *fence};
}

bool trial::write(actor& who, const std::string& value, const std::optional<std::string>& fence) {
  return note_write(who, who.ask(raw_order(storage(), write_command(value, fence))), fence);
}

bool trial::note_write(const actor& who, const answer& told, const std::optional<std::string>& fence) {
  const bool good = told.text() == "OK";
  const std::string what = who.name() + (fence ? ", fence " + *fence : "");
  notes_.drawn.add({storage().row, good ? mark_kind::accepted : mark_kind::refused, what, since(told.ended)});
  note(who.name(), "writes to the storage" + (fence ? ", fence " + *fence : ", no fence"), told.text(), told.ended);
  look();
  backstage::pause_for(pace);
  return good;
}

void trial::note(const std::string& who, const std::string& what, const std::string& told, std::int64_t at) {
  notes_.steps.push_back({since(at == 0 ? now_ns() : at), who, what, told});
}

std::string trial::holder_at(place& where) const {
  if (!touching_) return where.link->ask({"EXISTS", key}) == "1" ? last_taker_ : "";
  const std::string value = where.link->ask({"GET", key});
  return value == "(nil)" || value.starts_with('-') ? "" : holder_of(value);
}

void trial::look() {
  backstage::check_interrupts();
  for (const auto& each : places_) {
    if (!each->up || each.get() == storage_) continue;
    const std::string holder = holder_at(*each);
    if (holder == notes_.drawn.open_label(each->row, span_kind::held)) continue;
    if (holder.empty()) {
      notes_.drawn.end(each->row, span_kind::held, since(now_ns()));
    } else {
      notes_.drawn.begin(each->row, span_kind::held, holder, since(now_ns()));
    }
  }
}

void trial::expect(const std::string& what, const std::string& expected, const std::string& saw) {
  notes_.findings.push_back({what, expected, saw, expected == saw});
}

void trial::expect(const std::string& what, bool expected, bool saw) {
  expect(what, std::string{expected ? "yes" : "no"}, std::string{saw ? "yes" : "no"});
}

void trial::finish() {
  // What holds in the end lasts for a moment, or nobody would see it in the drawing.
  const std::chrono::nanoseconds visible{since(now_ns()) / 25};
  backstage::pause_for(std::max(std::chrono::milliseconds{60}, std::chrono::ceil<std::chrono::milliseconds>(visible)));
  look();
  notes_.drawn.close(since(now_ns()));
}

}  // namespace lab
