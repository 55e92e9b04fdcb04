// Tells other clients about leases held here, when they ask (lock/messages.hpp): a PUBLISH to the asker's inbox.
//
// Nobody waits for it, and few are on their way at a time: whoever asks faster than they leave is not answered. So no
// flood of questions makes this client queue or look through its leases without end. Guarded by the client's mutex.
#pragma once

#include "client/core.hpp"
#include "lock/messages.hpp"
#include "net/request.hpp"

#include <array>
#include <string>
#include <vector>

namespace holdfast::detail {

class answers {
 public:
  explicit answers(core& owner) : core_{owner} {}
  ~answers();

  // Finds the leases among `leases` (the core's list) that are asked about, and tells.
  void answer(const lock::ask_message& ask, held_lease* leases, runtime::time_point now);

 private:
  struct told final : net::request {
    void encode(std::string& out) override { out.append(command); }
    void on_reply(const resp::value& /*reply*/, runtime::time_point /*now*/) override {}
    void on_interrupted(const failure& /*why*/, runtime::time_point /*now*/) override {}
    void on_refused(const failure& /*why*/, runtime::time_point /*now*/) override {}
    std::string command;
  };
  static constexpr std::size_t most_on_their_way = 16;

  core& core_;
  std::array<told, most_on_their_way> slots_;
};

}  // namespace holdfast::detail
