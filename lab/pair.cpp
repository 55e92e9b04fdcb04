#include "pair.hpp"

namespace lab {

pair start_pair(trial& t) {
  // Without the delay and without a disk in between, the first copy takes milliseconds.
  place& primary = t.server(
      "primary", {.settings = {"--repl-diskless-sync", "yes", "--repl-diskless-sync-delay", "0"}, .tcp = true});
  place& replica =
      t.server("replica", {.settings = {"--replicaof", "127.0.0.1 " + std::to_string(primary.process->port())}});
  t.await(replica, {"INFO", "replication"}, "master_link_status:up");
  t.await(primary, {"INFO", "replication"}, "state=online");
  return {primary, replica};
}

void cut_off(trial& t, pair& both) {
  t.freeze(both.replica);
  static_cast<void>(t.peek(both.primary, {"CLIENT", "KILL", "TYPE", "replica"}));
  t.await(both.primary, {"INFO", "replication"}, "connected_slaves:0");
  t.note("replica", "cut off from the primary");
}

void fail_over(trial& t, pair& both) {
  t.kill(both.primary);
  if (!both.replica.up) t.thaw(both.replica);
  t.operate(both.replica, {"REPLICAOF", "NO", "ONE"});
}

}  // namespace lab
