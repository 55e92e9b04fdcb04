#include "quorum_floor.hpp"

#include "recording.hpp"
#include "server.hpp"

#include <holdfast/mutex.hpp>

#include "scripts/sources.hpp"

#include <hiredis/hiredis.h>
#include <poll.h>

#include <stdexcept>
#include <string_view>
#include <utility>

namespace holdfast::bench {

quorum_floor::quorum_floor(const std::vector<std::string>& urls, std::vector<std::unique_ptr<floor_lock>> commands)
    : commands_{std::move(commands)} {
  for (const std::string& each : urls) {
    const settings where = settings::from_url(each).value();
    node made{redisConnect(where.host.c_str(), where.port)};
    if (made.context == nullptr || made.context->err != 0) throw std::runtime_error{"hiredis cannot connect"};
    nodes_.push_back(made);
  }
}

quorum_floor::~quorum_floor() {
  for (const node& each : nodes_) redisFree(each.context);
}

// Whether it was this round's answer.
bool quorum_floor::take(node& from, bool acquire) {
  bool ours = false;
  if (redisBufferRead(from.context) != REDIS_OK) throw std::runtime_error{"the floor lost a node"};
  for (;;) {
    void* raw = nullptr;
    if (redisGetReplyFromReader(from.context, &raw) != REDIS_OK) throw std::runtime_error{"the floor heard nonsense"};
    if (raw == nullptr) return ours;
    auto* const got = static_cast<redisReply*>(raw);
    const bool earlier = from.owed > 1;
    --from.owed;
    const bool granted =
        got->type == REDIS_REPLY_STRING && std::string_view{got->str, got->len}.starts_with("granted ");
    const bool released = got->type == REDIS_REPLY_INTEGER && got->integer == 1;
    freeReplyObject(got);
    if (earlier) continue;
    if (!(acquire ? granted : released)) throw std::runtime_error{"the floor was refused"};
    ours = true;
  }
}

void quorum_floor::round(bool acquire) {
  std::vector<pollfd> polled;
  polled.reserve(nodes_.size());
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    command& what = acquire ? commands_[i]->acquire : commands_[i]->release;
    redisAppendCommandArgv(nodes_[i].context, what.count(), what.texts(), what.lengths());
    for (int done = 0; done == 0;) {
      if (redisBufferWrite(nodes_[i].context, &done) != REDIS_OK) throw std::runtime_error{"the floor lost a node"};
    }
    ++nodes_[i].owed;
    polled.push_back({nodes_[i].context->fd, POLLIN, 0});
  }
  for (std::size_t votes = 0; votes <= nodes_.size() / 2;) {
    poll(polled.data(), polled.size(), -1);
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
      if (polled[i].revents != 0 && take(nodes_[i], acquire)) ++votes;
    }
  }
}

void quorum_floor::pair() {
  round(true);
  round(false);
}

namespace {

// The next command to this node that is one of the two: by hash goes where it belongs, by text (a node that has not answered the
// script yet) is passed over.
void hear(floor_connection& monitor, std::vector<std::string>& acquire, std::vector<std::string>& release) {
  for (;;) {
    auto words = words_of(monitor.take_answer());
    if (words.size() < 2) continue;
    for (auto [script, where] : {std::pair{&scripts::quorum_acquire, &acquire}, {&scripts::quorum_release, &release}}) {
      if (words[0] == "EVAL" && words[1] == script->source) return;
      if (words[0] != "EVALSHA" || words[1] != script->sha1) continue;
      *where = std::move(words);
      return;
    }
  }
}

}  // namespace

std::vector<std::unique_ptr<floor_lock>> record_quorum(const std::vector<std::string>& urls, const std::string& quorum,
                                                       const std::string& name) {
  settings where = quiet_settings(quorum);
  client redis{where};
  mutex lock{redis, name, {.ttl = where.max_ttl}};
  // Unheard: the nodes come of age, and learn the scripts.
  for (int i = 0; i < 20; ++i) {
    lock.lock();
    lock.unlock();
  }
  std::vector<std::unique_ptr<floor_lock>> out;
  for (const std::string& each : urls) {
    floor_connection monitor{each};
    monitor.ask({"MONITOR"});
    std::vector<std::string> acquire;
    std::vector<std::string> release;
    while (acquire.empty() || release.empty()) {
      lock.lock();
      lock.unlock();
      hear(monitor, acquire, release);
      hear(monitor, acquire, release);
    }
    out.push_back(std::make_unique<floor_lock>(std::move(acquire), std::move(release), std::string{}));
  }
  return out;
}

}  // namespace holdfast::bench
