// Implements redis_connection on hiredis 0.14's blocking API (RESP2, no TLS).
#include "support/redis_connection.hpp"

#include <hiredis/hiredis.h>
#include <pthread.h>
#include <sys/time.h>

#include <cerrno>
#include <csignal>
#include <ctime>

namespace holdfast::test {
namespace {

timeval to_timeval(std::chrono::milliseconds limit) {
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(limit);
  timeval value{};
  value.tv_sec = static_cast<time_t>(seconds.count());
  value.tv_usec = static_cast<suseconds_t>((limit - seconds).count() * 1000);
  return value;
}

reply convert(const redisReply& from) {
  reply to;
  switch (from.type) {
    case REDIS_REPLY_STRING:
      to.type = reply::kind::text;
      break;
    case REDIS_REPLY_STATUS:
      to.type = reply::kind::status;
      break;
    case REDIS_REPLY_ERROR:
      to.type = reply::kind::error;
      break;
    case REDIS_REPLY_INTEGER:
      to.type = reply::kind::number;
      to.number = from.integer;
      return to;
    case REDIS_REPLY_ARRAY:
      to.type = reply::kind::list;
      for (std::size_t i = 0; i < from.elements; ++i) to.items.push_back(convert(*from.element[i]));
      return to;
    default:
      return to;
  }
  to.text.assign(from.str, from.len);
  return to;
}

std::string as_text(const reply& from) {
  return from.type == reply::kind::number ? std::to_string(from.number) : from.text;
}

reply without_error(reply from, const std::vector<std::string>& args) {
  if (from.is_error()) throw redis_error{args.at(0) + ": " + from.text};
  return from;
}

// hiredis leaves EAGAIN's text for a passed time limit, which reads like a riddle in a test's output.
[[noreturn]] void fail(const redisContext& context) {
  const bool late = context.err == REDIS_ERR_IO && (errno == EAGAIN || errno == EWOULDBLOCK);
  throw redis_error{late ? "time limit passed" : context.errstr};
}

// hiredis writes without MSG_NOSIGNAL: a server that has just gone (one that found its port taken, say) would end the whole test
// program. In this thread only, and what it raised is taken, so that whatever else must not raise it is still seen to.
class without_sigpipe {
 public:
  without_sigpipe() {
    sigemptyset(&pipe_);
    sigaddset(&pipe_, SIGPIPE);
    pthread_sigmask(SIG_BLOCK, &pipe_, &before_);
  }
  ~without_sigpipe() {
    const timespec at_once{};
    if (sigismember(&before_, SIGPIPE) == 0) sigtimedwait(&pipe_, nullptr, &at_once);
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }
  without_sigpipe(const without_sigpipe&) = delete;
  without_sigpipe& operator=(const without_sigpipe&) = delete;

 private:
  sigset_t pipe_{};
  sigset_t before_{};
};

}  // namespace

void redis_connection::closer::operator()(redisContext* context) const { redisFree(context); }

redis_connection::redis_connection(redisContext* context) : context_{context} {
  if (context == nullptr) throw redis_error{"hiredis: out of memory"};
  if (context->err != 0) throw redis_error{context->errstr};
}

redis_connection redis_connection::tcp(std::uint16_t port, std::chrono::milliseconds limit) {
  redis_connection made{redisConnectWithTimeout("127.0.0.1", port, to_timeval(limit))};
  made.set_limit(limit);
  return made;
}

redis_connection redis_connection::unix_socket(const std::string& path, std::chrono::milliseconds limit) {
  redis_connection made{redisConnectUnixWithTimeout(path.c_str(), to_timeval(limit))};
  made.set_limit(limit);
  return made;
}

void redis_connection::set_limit(std::chrono::milliseconds limit) {
  redisSetTimeout(context_.get(), to_timeval(limit));
}

void redis_connection::send(const std::vector<std::string>& args) {
  std::vector<const char*> texts;
  std::vector<std::size_t> sizes;
  for (const auto& arg : args) {
    texts.push_back(arg.data());
    sizes.push_back(arg.size());
  }
  redisAppendCommandArgv(context_.get(), static_cast<int>(args.size()), texts.data(), sizes.data());
  const without_sigpipe guard;
  int done = 0;
  while (done == 0) {
    if (redisBufferWrite(context_.get(), &done) != REDIS_OK) fail(*context_);
  }
}

reply redis_connection::receive() {
  void* raw = nullptr;
  if (redisGetReply(context_.get(), &raw) != REDIS_OK || raw == nullptr) fail(*context_);
  const std::unique_ptr<void, void (*)(void*)> owned{raw, freeReplyObject};
  return convert(*static_cast<const redisReply*>(raw));
}

reply redis_connection::command(const std::vector<std::string>& args) {
  send(args);
  return receive();
}

std::string redis_connection::text(const std::vector<std::string>& args) {
  return as_text(without_error(command(args), args));
}

long long redis_connection::number(const std::vector<std::string>& args) {
  const reply got = without_error(command(args), args);
  return got.type == reply::kind::number ? got.number : std::stoll(got.text);
}

std::vector<std::string> redis_connection::list(const std::vector<std::string>& args) {
  std::vector<std::string> out;
  for (const auto& item : without_error(command(args), args).items) out.push_back(as_text(item));
  return out;
}

}  // namespace holdfast::test
