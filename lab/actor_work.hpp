// The inside of a client's process: the orders that it knows.
//
//   redis     SOCKET WORD…                          one command as it stands; the answer as text
//   acquire   URL NAME OWNER TTL_MS RENEW WAIT_MS REPLICAS
//                                                   by the library; "granted" FENCE, or the name of the error
//   loss                                            when the signal of the lease's loss came, which it waits for; ns
//   look                                            the lease's state: VALID, JEOPARDY, LOST
//   release                                         released, was_lost, unknown
//   queue     URL NAME OWNER HOLD_MS                acquires by the library, holds, releases: GOT RELEASED TRIES, ns
//   poll      SOCKET KEY OWNER PAUSE_MS HOLD_MS     the same by asking again and again
//   vote      KEY OWNER TTL_MS LIMIT_MS SOCKET…     plain Redlock: "held" or "refused", VOTES, VALIDITY_MS
#pragma once

namespace lab {

// Returns the process's exit code, when the line ends.
int work(int line);

}  // namespace lab
