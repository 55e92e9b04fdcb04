// The schedule of both experiments with a restart: A takes a plain lock of 30 s, its server is killed and started again, B asks.
#pragma once

#include "trial.hpp"

namespace lab {

struct restarted_server {
  bool a = false;  // took the lock
  bool b = false;  // took it after the restart
};

restarted_server restart_a_server(trial& t, const backstage::server_options& how = {});

}  // namespace lab
