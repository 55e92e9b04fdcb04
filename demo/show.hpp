// The demonstration: eight processes share a lock on a Redis of their own, lose a holder, and go on.
//
// Forks, so call it from a program that has no threads yet. Prints on standard output: drawn and coloured on a terminal,
// plain text otherwise. Catches SIGINT, SIGTERM and SIGHUP while it runs; nothing that it started is left behind.
#pragma once

#include <string>

namespace demo {

enum class verdict : unsigned char {
  good,
  bad,          // two holds overlapped, a fence went back, or a loss was told late
  interrupted,  // by a signal
};

// On the Redis at `url`; empty: on a redis-server of its own. Throws std::exception when it cannot run.
verdict show(const std::string& url);

}  // namespace demo
