// The floor: what a program can do that only speaks to Redis. Raw blocking hiredis, the very scripts of the library by
// EVALSHA, with the same keys and arguments, and nothing around it: no renewal, no deadline, no queue, no threads.
//
// Anything but the expected answer throws std::runtime_error: a floor that fails fast would be a low one.
// Thread safety: none; one connection per thread.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

struct redisContext;
struct redisReply;

namespace holdfast::bench {

// One command, ready to be handed to hiredis.
class command {
 public:
  explicit command(std::vector<std::string> words);
  [[nodiscard]] int count() const noexcept { return static_cast<int>(words_.size()); }
  // hiredis wants arrays of its own types; they point into the words, so a command is neither copied nor moved.
  const char** texts() noexcept { return texts_.data(); }
  [[nodiscard]] const std::size_t* lengths() const noexcept { return lengths_.data(); }
  command(const command&) = delete;
  command& operator=(const command&) = delete;

 private:
  const std::vector<std::string> words_;
  std::vector<const char*> texts_;
  std::vector<std::size_t> lengths_;
};

// Acquire and release of one lock, and the channel on which its grants are heard of: made by record().
struct floor_lock {
  floor_lock(std::vector<std::string> acquiring, std::vector<std::string> releasing, std::string channel)
      : acquire{std::move(acquiring)}, release{std::move(releasing)}, inbox{std::move(channel)} {}
  command acquire;
  command release;
  const std::string inbox;
};

class floor_connection {
 public:
  // redis://…, or unix://…; loads the scripts.
  explicit floor_connection(const std::string& url);
  ~floor_connection();
  floor_connection(floor_connection&&) = delete;

  void ping();
  void pair(floor_lock& lock);
  // All acquired, then all released, each in one pipeline.
  void pipelined_pairs(const std::vector<std::unique_ptr<floor_lock>>& locks);
  // From here on only take_message().
  void listen(const std::string& inbox);
  void take_message();  // waits for one that says something
  // Acquires or joins the queue; whether it was acquired.
  bool acquire_or_queue(floor_lock& lock);
  // Releases, or hands over.
  void give_back(floor_lock& lock);
  // Sends without waiting, and takes one answer that was not waited for.
  void send(command& what);
  std::string take_answer();                        // its text
  std::string ask(std::vector<std::string> words);  // the answer's text

 private:
  struct freed;
  using reply = std::unique_ptr<redisReply, freed>;
  reply call(command& what);
  reply next();
  static std::string text_of(const reply& got);
  static bool is_granted(const reply& got);
  void expect_granted(const reply& got) const;
  void expect_released(const reply& got) const;
  [[noreturn]] void fail(std::string_view what) const;

  redisContext* context_ = nullptr;
  command ping_{{"PING"}};
};

}  // namespace holdfast::bench
