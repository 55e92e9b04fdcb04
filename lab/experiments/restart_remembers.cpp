// The same restart with an append-only file, flushed once a second as is the default.
#include <lab/experiment.hpp>
#include <lab/restarted_server.hpp>

namespace lab {
namespace {

void steps(trial& t) {
  const restarted_server seen = restart_a_server(t, {.settings = {"--appendonly", "yes", "--appendfsync", "everysec"}});
  t.expect("A takes the lock", true, seen.a);
  t.expect("B takes it after the restart", false, seen.b);
  t.expect("two believe to hold it at once", false, t.overlapped());
}

}  // namespace

experiment restart_remembers() {
  return {"restart-remembers", "the same restart with an append-only file",
          "The command was written to the file before A had its answer, and a file outlives the process. It does not "
          "outlive the machine before it is flushed: for that, appendfsync always.",
          steps};
}

}  // namespace lab
