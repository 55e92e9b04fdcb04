// Raw hiredis. See floor.hpp.
#include "floor.hpp"

#include "scripts/sources.hpp"

#include <holdfast/settings.hpp>

#include <hiredis/hiredis.h>

#include <stdexcept>
#include <utility>

namespace holdfast::bench {
namespace {

redisContext* open(const settings& where) {
  switch (where.transport) {
    case transport::tcp:
      return redisConnect(where.host.c_str(), where.port);
    case transport::unix_socket:
      return redisConnectUnix(where.path.c_str());
    default:
      throw std::runtime_error{"the measurements speak redis:// and unix:// only"};
  }
}

}  // namespace

command::command(std::vector<std::string> words) : words_{std::move(words)} {
  for (const std::string& each : words_) {
    texts_.push_back(each.data());
    lengths_.push_back(each.size());
  }
}

struct floor_connection::freed {
  void operator()(redisReply* what) const noexcept { freeReplyObject(what); }
};

floor_connection::floor_connection(const std::string& url) {
  const settings where = settings::from_url(url).value();
  context_ = open(where);
  if (context_ == nullptr || context_->err != 0) {
    const std::string why = context_ == nullptr ? "out of memory" : context_->errstr;
    redisFree(context_);
    throw std::runtime_error{"hiredis cannot connect: " + why};
  }
  try {
    if (!where.password.empty()) ask({"AUTH", where.user.empty() ? "default" : where.user, where.password});
    if (where.database != 0) ask({"SELECT", std::to_string(where.database)});
    ask({"SCRIPT", "LOAD", std::string{scripts::acquire.source}});
    ask({"SCRIPT", "LOAD", std::string{scripts::release.source}});
  } catch (...) {
    redisFree(context_);
    throw;
  }
}

floor_connection::~floor_connection() { redisFree(context_); }

void floor_connection::fail(std::string_view what) const {
  throw std::runtime_error{"the floor failed: " + std::string{what}};
}

floor_connection::reply floor_connection::call(command& what) {
  reply got{static_cast<redisReply*>(redisCommandArgv(context_, what.count(), what.texts(), what.lengths()))};
  if (!got) fail(context_->errstr);
  if (got->type == REDIS_REPLY_ERROR) fail(got->str);
  return got;
}

floor_connection::reply floor_connection::next() {
  void* got = nullptr;
  if (redisGetReply(context_, &got) != REDIS_OK) fail(context_->errstr);
  return reply{static_cast<redisReply*>(got)};
}

bool floor_connection::is_granted(const reply& got) {
  return got->type == REDIS_REPLY_STRING && std::string_view{got->str, got->len}.starts_with("granted ");
}

void floor_connection::expect_granted(const reply& got) const {
  if (!is_granted(got)) fail("not granted");
}

void floor_connection::expect_released(const reply& got) const {
  if (got->type != REDIS_REPLY_INTEGER || got->integer != 1) fail("not released");
}

std::string floor_connection::text_of(const reply& got) {
  return got->str == nullptr ? std::string{} : std::string{got->str, got->len};
}

void floor_connection::ping() { static_cast<void>(call(ping_)); }

void floor_connection::pair(floor_lock& lock) {
  expect_granted(call(lock.acquire));
  expect_released(call(lock.release));
}

void floor_connection::listen(const std::string& inbox) { ask({"SUBSCRIBE", inbox}); }

void floor_connection::take_message() {
  for (;;) {
    const reply got = next();
    if (got->type != REDIS_REPLY_ARRAY || got->elements != 3) fail("not a message");
    if (got->element[2]->len > 0) return;
  }
}

bool floor_connection::acquire_or_queue(floor_lock& lock) {
  const reply got = call(lock.acquire);
  if (got->type != REDIS_REPLY_STRING) fail("neither granted nor queued");
  return is_granted(got);
}

void floor_connection::give_back(floor_lock& lock) {
  const reply got = call(lock.release);
  if (got->type != REDIS_REPLY_INTEGER || got->integer == 0) fail("not released");
}

void floor_connection::send(command& what) {
  redisAppendCommandArgv(context_, what.count(), what.texts(), what.lengths());
}

std::string floor_connection::take_answer() {
  const reply got = next();
  if (got->type == REDIS_REPLY_ERROR) fail(got->str);
  return text_of(got);
}

void floor_connection::pipelined_pairs(const std::vector<std::unique_ptr<floor_lock>>& locks) {
  for (auto& each : locks) send(each->acquire);
  for (std::size_t i = 0; i < locks.size(); ++i) expect_granted(next());
  for (auto& each : locks) send(each->release);
  for (std::size_t i = 0; i < locks.size(); ++i) expect_released(next());
}

std::string floor_connection::ask(std::vector<std::string> words) {
  command what{std::move(words)};
  return text_of(call(what));
}

}  // namespace holdfast::bench
