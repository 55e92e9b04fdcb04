// What a blocking caller waits for. On its stack; guarded by the client's mutex but for the parking.
#pragma once

#include "runtime/parking.hpp"

namespace holdfast::detail {

struct call {
  bool finished = false;
  bool parked = false;  // its thread sleeps and has to be woken; otherwise it drives the connection and will look
  runtime::parking parking;
};

}  // namespace holdfast::detail
