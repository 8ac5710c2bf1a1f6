/*
 * The corrected Bully_FD of src/algorithms/bully-fd.ts for SPIN, written from the text of the algorithm and from docs/checker.md:
 * the same handlers, the same perfect detector, the same rules for time-outs (`--timers sync`), links in order, crashes and
 * recoveries within a budget. It is a second opinion on the model checker of this project.
 *
 * Flags: CRASHES, RECOVERIES; MUTANT=1 leaves Stage 3 out (B9-B11), MUTANT=2 counts any Ack (B3), MUTANT=3 ignores NotNorm; EVENTUALLY judges agreement in
 * the end, with periods that fire by turns and only when nothing else can happen.
 *
 * Marks are compared for equality only: after each step they are renamed in the order of their places, so that states that differ
 * in the names of marks alone are one state, as in the checker. Terms are left out: no rule reads them.
 */
#ifndef CRASHES
#define CRASHES 1
#endif
#ifndef RECOVERIES
#define RECOVERIES 1
#endif
#ifndef MUTANT
#define MUTANT 0
#endif

#define N 3
#define ROOM 6 /* messages on a link */
#define FRESH 15 /* a mark that no place holds after the renaming */

/* Modes of a member. */
#define DOWN 0
#define STARTING 1
#define UP 2
/* Statuses. */
#define NORM 0
#define ELEC1 1
#define ELEC2 2
#define ELEC3 3
#define WAIT 4
/* Messages. */
#define HALT 1
#define ACK 2
#define LDR 3
#define NORMQ 4
#define NOTNORM 5
/* Events. */
#define DELIVER 1
#define LOSE 2
#define ANSWER_UP 3
#define ANSWER_DOWN 4
#define TAU 5
#define RESTART 6
#define START 7
#define CRASH 8
#define RECOVER 9
/* What a request and a watch have seen of the peer. */
#define SEEN_UP 1
#define SEEN_DOWN 2
#define WATCHED 1
#define WATCHED_DOWN 3

#define AT(i, j) ((i) * 4 + (j))
#define BIT(j) (1 << (j))
#define COUNT(set) ((((set) >> 1) & 1) + (((set) >> 2) & 1) + (((set) >> 3) & 1))

byte mode[4], status[4], leader[4], head[4], mark[4], deferredFrom[4], deferredMark[4];
byte down[4], downJuniors[4], acks[4];
bool tau[4], restart[4];
byte request[16], watch[16];
byte count[16], link[96];
byte crashes = CRASHES, recoveries = RECOVERIES;
#ifdef EVENTUALLY
byte turn = 1;
#endif

/* The event of the running step, and counters of loops: no part of a state. */
hidden byte ev, me, peer, kind, carried, i, j, k, at, kept, from, next;
hidden byte renamed[16];

inline send(to, type, with) {
  if
  :: mode[to] != DOWN ->
    assert(count[AT(me, to)] < ROOM);
    link[AT(me, to) * ROOM + count[AT(me, to)]] = type * 16 + with;
    count[AT(me, to)]++
  :: else
  fi
}
inline ask(about) {
  if
  :: mode[about] != DOWN -> request[AT(me, about)] = SEEN_UP
  :: else -> request[AT(me, about)] = SEEN_DOWN
  fi
}
inline watchPeer(about) {
  if
  :: watch[AT(me, about)] != 0
  :: watch[AT(me, about)] == 0 && mode[about] != DOWN -> watch[AT(me, about)] = WATCHED
  :: else -> watch[AT(me, about)] = WATCHED_DOWN
  fi
}
inline leave() {
  if
  :: head[me] != 0 && head[me] != me -> watch[AT(me, head[me])] = 0
  :: else
  fi;
  tau[me] = 0; restart[me] = 0; leader[me] = 0; head[me] = 0; mark[me] = 0;
  down[me] = 0; downJuniors[me] = 0; acks[me] = 0; deferredFrom[me] = 0; deferredMark[me] = 0
}
inline askSuperiors() {
  j = me + 1;
  do
  :: j <= N -> ask(j); j++
  :: else -> break
  od;
  tau[me] = 1
}
inline win() {
  j = 1;
  do
  :: j <= N ->
    if
    :: acks[me] & BIT(j) -> send(j, LDR, mark[me])
    :: else
    fi;
    j++
  :: else -> break
  od;
  kept = mark[me];
  leave();
  head[me] = me; mark[me] = kept; leader[me] = me; status[me] = NORM; tau[me] = 1
}
inline stage3() {
  restart[me] = 0;
  status[me] = ELEC3;
  askSuperiors()
}
inline complete() {
  if
  :: COUNT(acks[me]) + COUNT(downJuniors[me]) < me - 1
  :: else ->
    if
    :: me == N || MUTANT == 1 -> win()
    :: else -> stage3()
    fi
  fi
}
inline stage2() {
  leave();
  status[me] = ELEC2;
  head[me] = me;
  mark[me] = FRESH;
  j = 1;
  do
  :: j < me -> send(j, HALT, FRESH); ask(j); j++
  :: else -> break
  od;
  restart[me] = 1;
  complete()
}
inline stage1() {
  leave();
  status[me] = ELEC1;
  if
  :: me == N -> stage2()
  :: else -> askSuperiors()
  fi
}
inline follow(candidate, with) {
  from = candidate;
  kept = with;
  leave();
  status[me] = WAIT;
  head[me] = from;
  mark[me] = kept;
  watchPeer(from);
  send(from, ACK, kept)
}
inline onMessage() {
  if
  :: kind == HALT ->
    if
    :: (status[me] == NORM || status[me] == WAIT) && head[me] > peer ->
      deferredFrom[me] = peer; deferredMark[me] = carried;
      ask(head[me])
    :: else -> follow(peer, carried)
    fi
  :: kind == ACK && status[me] == ELEC2 && (carried == mark[me] || MUTANT == 2) ->
    acks[me] = acks[me] | BIT(peer);
    downJuniors[me] = downJuniors[me] & (255 - BIT(peer));
    complete()
  :: kind == LDR && status[me] == WAIT && head[me] == peer && carried == mark[me] ->
    leader[me] = peer; status[me] = NORM; deferredFrom[me] = 0; deferredMark[me] = 0
  :: kind == NORMQ && !(status[me] == NORM && leader[me] == peer && carried == mark[me]) ->
    send(peer, NOTNORM, carried)
  :: kind == NOTNORM && leader[me] == me && carried == mark[me] && MUTANT != 3 -> stage1()
  :: else
  fi
}
inline onDown() {
  request[AT(me, peer)] = 0;
  watch[AT(me, peer)] = 0;
  if
  :: peer < me ->
    if
    :: status[me] == ELEC2 && !(acks[me] & BIT(peer)) ->
      downJuniors[me] = downJuniors[me] | BIT(peer);
      complete()
    :: else
    fi
  :: peer > me && (status[me] == NORM || status[me] == WAIT) ->
    if
    :: peer == head[me] && deferredFrom[me] == 0 -> stage1()
    :: peer == head[me] && deferredFrom[me] != 0 -> follow(deferredFrom[me], deferredMark[me])
    :: else
    fi
  :: peer > me && (status[me] == ELEC1 || status[me] == ELEC3) ->
    down[me] = down[me] | BIT(peer);
    if
    :: COUNT(down[me]) < N - me
    :: COUNT(down[me]) == N - me && status[me] == ELEC1 -> stage2()
    :: else -> win()
    fi
  :: else
  fi
}
inline onUp() {
  request[AT(me, peer)] = 0;
  if
  :: peer > me && status[me] == ELEC1 -> down[me] = down[me] & (255 - BIT(peer))
  :: peer > me && status[me] == ELEC3 -> stage1()
  :: else
  fi
}
inline onTau() {
  tau[me] = 0;
  if
  :: leader[me] == me ->
    j = 1;
    do
    :: j < me -> send(j, NORMQ, mark[me]); j++
    :: else -> break
    od
  :: else ->
    j = me + 1;
    do
    :: j <= N ->
      if
      :: status[me] == ELEC1 || !(down[me] & BIT(j)) -> ask(j)
      :: else
      fi;
      j++
    :: else -> break
    od
  fi;
  tau[me] = 1
}

/* Takes the oldest message of the link from `peer`. */
inline take() {
  at = AT(peer, me);
  kind = link[at * ROOM] / 16;
  carried = link[at * ROOM] % 16;
  k = 1;
  do
  :: k < count[at] -> link[at * ROOM + k - 1] = link[at * ROOM + k]; k++
  :: else -> break
  od;
  count[at]--;
  link[at * ROOM + count[at]] = 0
}

/* Stable fields are sources and observers only: a member that is down has no state. */
inline onCrash() {
  leave();
  crashes--;
  mode[me] = DOWN; status[me] = NORM;
  j = 1;
  do
  :: j <= N ->
    request[AT(me, j)] = 0; watch[AT(me, j)] = 0;
    if
    :: request[AT(j, me)] != 0 -> request[AT(j, me)] = request[AT(j, me)] | SEEN_DOWN
    :: else
    fi;
    if
    :: watch[AT(j, me)] != 0 -> watch[AT(j, me)] = WATCHED_DOWN
    :: else
    fi;
    do
    :: count[AT(j, me)] > 0 ->
      count[AT(j, me)]--;
      link[AT(j, me) * ROOM + count[AT(j, me)]] = 0
    :: else -> break
    od;
    j++
  :: else -> break
  od
}
inline onRecover() {
  recoveries--;
  mode[me] = STARTING;
  j = 1;
  do
  :: j <= N ->
    if
    :: request[AT(j, me)] != 0 -> request[AT(j, me)] = request[AT(j, me)] | SEEN_UP
    :: else
    fi;
    j++
  :: else -> break
  od
}
inline onStart() {
  mode[me] = UP;
  j = 1;
  do
  :: j <= N ->
    if
    :: watch[AT(j, me)] != 0 -> watch[AT(j, me)] = WATCHED
    :: else
    fi;
    j++
  :: else -> break
  od;
  stage1()
}

inline rename(old, new) {
  if
  :: old == 0 -> new = 0
  :: old != 0 && renamed[old] != 0 -> new = renamed[old]
  :: else -> next++; renamed[old] = next; new = next
  fi
}
inline renameMarks() {
  next = 0;
  k = 0;
  do
  :: k < 16 -> renamed[k] = 0; k++
  :: else -> break
  od;
  k = 1;
  do
  :: k <= N -> rename(mark[k], mark[k]); rename(deferredMark[k], deferredMark[k]); k++
  :: else -> break
  od;
  k = 0;
  do
  :: k < 96 ->
    if
    :: link[k] != 0 -> rename((link[k] % 16), carried); link[k] = (link[k] / 16) * 16 + carried
    :: else
    fi;
    k++
  :: else -> break
  od;
  assert(next < FRESH)
}

#define SENT(i) (count[AT(i, 1)] + count[AT(i, 2)] + count[AT(i, 3)] > 0)
#define AWAITED(i) (count[AT(1, i)] + count[AT(2, i)] + count[AT(3, i)] > 0)
#define IN_FLIGHT (SENT(1) || SENT(2) || SENT(3))
#define ASKS(i) (request[AT(i, 1)] + request[AT(i, 2)] + request[AT(i, 3)] > 0)
#define UNREPORTED(i, j) (watch[AT(i, j)] == WATCHED_DOWN && mode[j] == DOWN)
#define UNREPORTED_BY(i) (UNREPORTED(i, 1) || UNREPORTED(i, 2) || UNREPORTED(i, 3))
#define DETECTION_PENDING \
  (mode[1] == STARTING || mode[2] == STARTING || mode[3] == STARTING || \
   UNREPORTED_BY(1) || UNREPORTED_BY(2) || UNREPORTED_BY(3))
#define DRAINED(j) (mode[j] != DOWN || !SENT(j))
#define QUIET (!IN_FLIGHT && !ASKS(1) && !ASKS(2) && !ASKS(3) && !DETECTION_PENDING)
#define MAY_RESTART(i) (restart[i] && QUIET)
#ifdef EVENTUALLY
#define IDLE (QUIET && !restart[1] && !restart[2] && !restart[3])
#define MAY_TAU(i) \
  (tau[i] && IDLE && (turn == i || (!tau[turn] && (turn % 3 + 1 == i || !tau[turn % 3 + 1]))))
#else
#define MAY_TAU(i) (tau[i] && !ASKS(i) && !SENT(i) && !AWAITED(i))
#endif

#define CHOOSE(e, i, j) ev = e; me = i; peer = j
#define BETWEEN(i, j) \
  :: count[AT(j, i)] > 0 && mode[i] == UP -> CHOOSE(DELIVER, i, j) \
  :: count[AT(j, i)] > 0 && mode[i] == STARTING -> CHOOSE(LOSE, i, j) \
  :: (request[AT(i, j)] & SEEN_UP) -> CHOOSE(ANSWER_UP, i, j) \
  :: (request[AT(i, j)] & SEEN_DOWN) && DRAINED(j) -> CHOOSE(ANSWER_DOWN, i, j) \
  :: watch[AT(i, j)] == WATCHED_DOWN && !(request[AT(i, j)] & SEEN_DOWN) && DRAINED(j) -> CHOOSE(ANSWER_DOWN, i, j)
#define OF(i) \
  :: mode[i] == UP && MAY_TAU(i) -> CHOOSE(TAU, i, 0) \
  :: mode[i] == UP && MAY_RESTART(i) -> CHOOSE(RESTART, i, 0) \
  :: mode[i] == STARTING && !SENT(i) -> CHOOSE(START, i, 0) \
  :: crashes > 0 && mode[i] != DOWN -> CHOOSE(CRASH, i, 0) \
  :: recoveries > 0 && mode[i] == DOWN -> CHOOSE(RECOVER, i, 0)

#define FOLLOWS(i) (mode[i] == UP && leader[i] != 0)
#define DIFFER(i, j) (FOLLOWS(i) && FOLLOWS(j) && leader[i] != leader[j])
#define OBEYS(i, l) (mode[i] == DOWN || (mode[i] == UP && leader[i] == l))
#define AGREED \
  ((mode[3] == UP && OBEYS(1, 3) && OBEYS(2, 3) && OBEYS(3, 3)) || \
   (mode[3] == DOWN && mode[2] == UP && OBEYS(1, 2) && OBEYS(2, 2)) || \
   (mode[3] == DOWN && mode[2] == DOWN && OBEYS(1, 1)))

active proctype group() {
  d_step {
    mode[1] = UP; mode[2] = UP; mode[3] = UP;
    me = 1;
    do
    :: me <= N -> stage1(); me++
    :: else -> break
    od;
    renameMarks()
  }
end:
  do
  :: atomic {
      if
      BETWEEN(1, 2) BETWEEN(1, 3) BETWEEN(2, 1) BETWEEN(2, 3) BETWEEN(3, 1) BETWEEN(3, 2)
      OF(1) OF(2) OF(3)
      fi;
      d_step {
        if
        :: ev == DELIVER -> take(); onMessage()
        :: ev == LOSE -> take()
        :: ev == ANSWER_UP -> onUp()
        :: ev == ANSWER_DOWN -> onDown()
        :: ev == TAU ->
#ifdef EVENTUALLY
          turn = me % 3 + 1;
#endif
          onTau()
        :: ev == RESTART -> restart[me] = 0; stage2()
        :: ev == START -> onStart()
        :: ev == CRASH -> onCrash()
        :: ev == RECOVER -> onRecover()
        fi;
        renameMarks();
        assert(!DIFFER(1, 2) && !DIFFER(1, 3) && !DIFFER(2, 3))
      }
    }
  od
}

#ifdef EVENTUALLY
ltl eventually { <> [] AGREED }
#endif
