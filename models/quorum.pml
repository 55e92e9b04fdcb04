/*
 * The quorum deployment (docs/quorum.md) for spin: acquire, fence write-back, renew and release over three nodes, with requests and
 * answers that are lost, late and out of order, nodes that forget everything, and clocks that run at different speeds.
 *
 * An *attempt* is one acquisition with an owner of its own; which client makes it does not matter to the nodes.
 *
 * Messages. A request that was sent may be executed at any later time, also when its attempt is over, or never. Its answer is counted when it
 * is executed, or never (lost). That covers late answers: the attempt decides at any later time. Once an attempt is over, each node
 * may execute its release at any time.
 *
 * Time has no end and no zero: everything that runs out is counted down, and a tick is one step of all clocks. What differs between clocks is one
 * tick: a node may end a key, or its own youth, a tick early. So a holder counts TTL - 1 from the sending (the drift), a node
 * TTL from the execution.
 *
 * Checked wherever an attempt begins to use the lock or prolongs its use:
 *   exclusion   no other attempt believes to hold the lock
 *   fences      its number is greater than every number that was used before
 *
 * Each switch breaks one rule; with it a counter-example must be found (models/check.sh):
 *   NO_GUARD       a node that forgot its data votes at once
 *   SHORT_GUARD    ... after one tick, when leases that it forgot may still live
 *   FROM_REPLY     the validity counts from the deciding answer, not from before the first sending
 *   NAIVE_MAX      the greatest number is used as it is, without the write-back
 *   ANY_MAJORITY   the write-back also counts nodes that do not hold the lock for this owner
 *   RENEW_YOUNG    a young node takes the lock back at a renewal and confirms it at the next
 *   LOW_COUNTER    the counter of a node that forgot begins at 0 and not at its clock
 */
#ifndef ATTEMPTS
#define ATTEMPTS 2
#endif
#ifndef CRASHES
#define CRASHES 1
#endif
#ifndef RENEWALS
#define RENEWALS 0
#endif
/* The node that may crash. Nodes are alike but for their counters at the beginning. */
#ifndef CRASHER
#define CRASHER 0
#endif
#define NODES 3
#define MAJORITY 2
#ifndef TTL
#define TTL 3
#endif
#define VALIDITY (TTL - 1)
#ifdef NO_GUARD
#define GUARD 0
#else
#ifdef SHORT_GUARD
#define GUARD 1
#else
#define GUARD TTL
#endif
#endif
#define NOBODY ATTEMPTS

/* The nodes. `left`: ticks until the key expires; `young`: ticks until the node may vote. */
byte holder[NODES] = NOBODY;
byte left[NODES];
byte counter[NODES];
byte young[NODES];
byte crashes;

/* Requests on their way from attempt a to node n, at a * NODES + n. */
#define AT (a * NODES + n)
#define PAIRS (ATTEMPTS * NODES)
bit ask[PAIRS];
bit note[PAIRS]; /* the write-back of the fence */
bit keep[PAIRS]; /* the renewal */

/* The attempts. `life`: ticks for which the lock may be used; `next_life`: what the renewal under way would make of it. */
mtype = { idle, asking, noting, holding, renewing, over };
mtype phase[ATTEMPTS] = idle;
byte life[ATTEMPTS];
byte next_life[ATTEMPTS];
byte votes[ATTEMPTS];
byte fence[ATTEMPTS];
byte agreed[ATTEMPTS]; /* nodes known to have the number */
byte renewals[ATTEMPTS];
byte greatest_used;

#define believes(x) ((phase[x] == holding || phase[x] == renewing) && life[x] > 0)

inline check_exclusion() {
  other = 0;
  do
  :: other < ATTEMPTS -> assert(other == a || !believes(other)); other++
  :: else -> break
  od;
  other = 0
}

inline use() {
  check_exclusion();
#ifdef FENCES
  assert(fence[a] > greatest_used);
  greatest_used = fence[a];
#endif
  votes[a] = 0; agreed[a] = 0;
  phase[a] = holding
}

/* The name of an array cannot be an argument of an inline. */
#define send_all(what) what[a * NODES] = 1; what[a * NODES + 1] = 1; what[a * NODES + 2] = 1

/* What the client of an attempt does. Attempts are alike, so they may as well begin in their order; only the first renews. */
proctype attempt(byte a) {
  byte other;
  do
  :: d_step { phase[a] == idle && (a == 0 || phase[a - 1] != idle) ->
       send_all(ask); life[a] = VALIDITY; phase[a] = asking }

  :: d_step { phase[a] == asking && votes[a] == MAJORITY && life[a] > 0 ->
#ifdef FROM_REPLY
       life[a] = VALIDITY;
#endif
#ifndef FENCES
       use() }
#else
#ifdef NAIVE_MAX
       agreed[a] = MAJORITY;
#endif
       if
       :: agreed[a] >= MAJORITY -> use()
       :: else -> votes[a] = 0; agreed[a] = 0; send_all(note); phase[a] = noting
       fi }

  :: d_step { phase[a] == noting && agreed[a] >= MAJORITY && life[a] > 0 -> use() }
#endif

  :: d_step { a == 0 && phase[a] == holding && renewals[a] < RENEWALS && life[a] > 0 ->
       renewals[a]++; next_life[a] = VALIDITY; send_all(keep); phase[a] = renewing }

  :: d_step { phase[a] == renewing && votes[a] >= MAJORITY && life[a] > 0 ->
       life[a] = next_life[a]; next_life[a] = 0; votes[a] = 0;
       check_exclusion();
       phase[a] = holding }

  /* Refused, given up, lost or released: at any time and for any reason. */
  :: d_step { phase[a] != idle && phase[a] != over ->
       phase[a] = over; life[a] = 0; next_life[a] = 0; votes[a] = 0; agreed[a] = 0; renewals[a] = 0 }
  od
}

#ifdef FENCES
#define execute_ask() ask[AT] = 0; holder[n] = a; left[n] = TTL; counter[n]++
#else
#define execute_ask() ask[AT] = 0; holder[n] = a; left[n] = TTL
#endif

/* What node n does with the messages of attempt a, and whether the answer arrives. */
proctype link(byte a; byte n) {
  do
  /* quorum_acquire.lua: the answer is counted, with the number that it carries. */
  :: d_step { ask[AT] && young[n] == 0 && (holder[n] == NOBODY || holder[n] == a) && phase[a] == asking && votes[a] < MAJORITY ->
       execute_ask(); votes[a]++;
#ifdef FENCES
       if
       :: counter[n] > fence[a] -> fence[a] = counter[n]; agreed[a] = 1
       :: counter[n] == fence[a] -> agreed[a]++
       :: else
       fi
#endif
     }
  /* ... or lost, or of no use any more. A refusal changes nothing, as if the request were lost. */
  :: d_step { ask[AT] && young[n] == 0 && (holder[n] == NOBODY || holder[n] == a) ->
       execute_ask() }

#ifdef FENCES
  /* quorum_fence.lua */
#ifdef ANY_MAJORITY
  :: d_step { note[AT] ->
#else
  :: d_step { note[AT] && holder[n] == a ->
#endif
       note[AT] = 0;
       if :: fence[a] > counter[n] -> counter[n] = fence[a] :: else fi;
       if :: phase[a] == noting -> agreed[a]++ :: else fi }
#endif

  /* quorum_renew.lua: kept; or free, and then taken again, which does not count before the next renewal. */
#ifdef RENEW_YOUNG
  :: d_step { keep[AT] && holder[n] == a ->
#else
  :: d_step { keep[AT] && holder[n] == a && young[n] == 0 ->
#endif
       keep[AT] = 0; left[n] = TTL;
       if :: phase[a] == renewing -> votes[a]++ :: else fi }
#ifdef RENEW_YOUNG
  :: d_step { keep[AT] && holder[n] == NOBODY ->
#else
  :: d_step { keep[AT] && holder[n] == NOBODY && young[n] == 0 ->
#endif
       keep[AT] = 0; holder[n] = a; left[n] = TTL }

  /* quorum_release.lua */
  :: d_step { phase[a] == over && holder[n] == a -> holder[n] = NOBODY; left[n] = 0 }
  od
}

/* The clock and the crashes of node n. */
proctype node(byte n) {
  byte i;
  do
  :: d_step { left[n] == 1 -> left[n] = 0; holder[n] = NOBODY }
  :: d_step { young[n] == 1 -> young[n] = 0 }
  /* Everything is forgotten. The clock, at which the counter begins, is ahead of all numbers (docs/quorum.md, A5). */
  :: d_step { n == CRASHER && crashes < CRASHES ->
       crashes++;
       holder[n] = NOBODY; left[n] = 0; young[n] = GUARD;
#ifdef FENCES
       counter[n] = 0;
#ifndef LOW_COUNTER
       i = 0;
       do
       :: i < NODES -> if :: counter[i] > counter[n] -> counter[n] = counter[i] :: else fi; i++
       :: else -> break
       od;
       i = 0;
       do
       :: i < ATTEMPTS -> if :: fence[i] > counter[n] -> counter[n] = fence[i] :: else fi; i++
       :: else -> break
       od;
       i = 0
#endif
#endif
     }
  od
}

proctype time() {
  byte i;
  do
  :: d_step {
       i = 0;
       do
       :: i < NODES ->
          if
          :: left[i] > 1 -> left[i]--
          :: left[i] == 1 -> left[i] = 0; holder[i] = NOBODY
          :: else
          fi;
          if :: young[i] > 0 -> young[i]-- :: else fi;
          i++
       :: else -> break
       od;
       i = 0;
       do
       :: i < ATTEMPTS ->
          if :: life[i] > 0 -> life[i]-- :: else fi;
          if :: next_life[i] > 0 -> next_life[i]-- :: else fi;
          i++
       :: else -> break
       od;
       i = 0 }
  od
}

init {
  byte a, n;
  atomic {
#ifdef FENCES
    /* Counters that differ, as after attempts that reached some nodes only. */
    counter[0] = 2;
#endif
    for (a : 0 .. ATTEMPTS - 1) {
      for (n : 0 .. NODES - 1) { run link(a, n) }
      run attempt(a)
    }
    for (n : 0 .. NODES - 1) { run node(n) }
    run time()
  }
}
