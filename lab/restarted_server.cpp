#include "restarted_server.hpp"

#include "plain_lock.hpp"

namespace lab {

restarted_server restart_a_server(trial& t, const backstage::server_options& how) {
  place& redis = t.server("redis", how);
  actor& a = t.client("A");
  actor& b = t.client("B");
  restarted_server seen;

  seen.a = t.take(a, redis, set_if_absent(trial::owner(a), "30000"));
  t.kill(redis);
  t.restart(redis);
  seen.b = t.take(b, redis, set_if_absent(trial::owner(b), "30000"));
  return seen;
}

}  // namespace lab
