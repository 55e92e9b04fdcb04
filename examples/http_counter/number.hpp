// The guarded thing: a number in Redis that is raised by reading, adding and writing, in three steps that anybody may get
// between. On a connection of its own (hiredis): what a lock guards need not be reached through the lock's client, nor be
// in the same Redis.
//
// Thread safety: none; one object per thread.
#pragma once

#include <hiredis.h>

#include <initializer_list>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

class number {
 public:
  number(const std::string& host, int port) : link_{redisConnect(host.c_str(), port)} {
    if (!link_ || link_->err != 0) throw std::runtime_error{"no connection to Redis for the number"};
  }

  long long bump() {
    const std::string now = ask({"GET", "num"});
    const long long next = (now.empty() ? 0 : std::stoll(now)) + 1;
    ask({"SET", "num", std::to_string(next)});
    return next;
  }

  // Any command; the answer as text, empty for nil.
  std::string ask(std::initializer_list<std::string> words) {
    std::vector<const char*> texts;
    std::vector<std::size_t> sizes;
    for (const std::string& each : words) {
      texts.push_back(each.data());
      sizes.push_back(each.size());
    }
    const std::unique_ptr<redisReply, decltype(&freeReplyObject)> reply{
        static_cast<redisReply*>(
            redisCommandArgv(link_.get(), static_cast<int>(texts.size()), texts.data(), sizes.data())),
        &freeReplyObject};
    if (!reply || reply->type == REDIS_REPLY_ERROR) throw std::runtime_error{"Redis did not take the command"};
    return reply->str != nullptr ? std::string{reply->str, reply->len} : std::string{};
  }

 private:
  struct closer {
    void operator()(redisContext* link) const { redisFree(link); }
  };
  std::unique_ptr<redisContext, closer> link_;
};
