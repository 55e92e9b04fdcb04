// A stream without encryption, over TCP or a Unix socket: one recv() or send() per call.
//
// Place: made by dial(). Thread safety: as stream.hpp says; the kernel serialises, so there is no lock here.
#pragma once

#include "net/stream.hpp"

#include <string>

namespace holdfast::net {

class plain_stream final : public stream {
 public:
  plain_stream(int fd, std::string peer, failure early);

  io_result progress() override;
  io_result read(std::span<char> into) override;
  io_result read_waiting(std::span<char> into) override;
  [[nodiscard]] bool waits() const override { return waits_; }
  io_result write(std::string_view from) override;
  [[nodiscard]] bool pending() const override { return false; }
  [[nodiscard]] short wanted() const override;
  [[nodiscard]] std::string_view waiting_for() const override { return "waiting for the connection"; }

 private:
  io_result receive(std::span<char> into, int flags);
  bool usable_ = false;
  bool waits_ = false;
};

}  // namespace holdfast::net
