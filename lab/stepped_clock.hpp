// A server whose wall clock can be stepped: libfaketime, preloaded, reads its offset from a file.
#pragma once

#include "trial.hpp"

namespace lab {

class stepped_clock {
 public:
  // Throws `skipped` where libfaketime is not installed.
  stepped_clock();
  ~stepped_clock();
  stepped_clock(const stepped_clock&) = delete;
  stepped_clock& operator=(const stepped_clock&) = delete;

  // For the server that is to have this clock.
  [[nodiscard]] backstage::server_options options() const;
  // Steps it forward, and waits until the server has noticed.
  void step(trial& t, place& where, int seconds) const;

 private:
  void write_offset(const std::string& text) const;

  std::string library_;
  std::string directory_;
};

}  // namespace lab
