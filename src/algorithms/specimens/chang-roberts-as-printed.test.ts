/** What the printed Chang and Roberts does, and its defects C-a and C-b. */
import { describe, expect, test } from 'vitest'
import { handlersOf, type AnyMessage, type AnyState, type Out } from '../../core/algorithm.ts'
import { Group } from '../../core/group.ts'
import { configure, World } from '../../sim/index.ts'
import { changRobertsAsPrinted } from './chang-roberts-as-printed.ts'

interface Moment {
  readonly states: AnyState[]
  /** Messages from each member to its neighbour, oldest first. */
  readonly links: AnyMessage[][]
  readonly started: boolean[]
}

/** The most messages and the most elections won, over all interleavings in which each member starts at most once. */
function worst(members: number, participantStarts: 'no' | 'yes') {
  const { state, messages } = changRobertsAsPrinted
  const timing = { messageMs: 1, processingMs: 0, detectionMs: 1, watchMs: 1, periodMs: 1 }
  // Falling numbers: the ring on which each travels farthest.
  const ring = Array.from({ length: members }, (_, i) => members - i)
  const group = new Group(members, timing, ring)
  const handlers = handlersOf(changRobertsAsPrinted, group, { participantStarts })
  const known = new Map<string, { sent: number; won: number }>()

  /** One step of a member in a copy of the moment, and what it leads to. */
  function step(from: Moment, me: number, act: (to: Moment, out: Out<AnyMessage>) => void) {
    const to: Moment = {
      states: from.states.map((s) => state.copy(s) as AnyState),
      links: from.links.map((link) => [...link]),
      started: [...from.started],
    }
    let sent = 0
    const send = (_peer: number, m: AnyMessage): void => {
      to.links[me - 1].push(m)
      sent += 1
    }
    const ignore = (): void => undefined
    const rest = { set: ignore, clear: ignore, request: ignore, watch: ignore, unwatch: ignore }
    act(to, { me, incarnation: 1, send, draw: ignore, ...rest })
    const wins =
      to.links[me - 1].length > from.links[me - 1].length && to.states[me - 1].leader === me
    const announced = wins && to.links[me - 1].at(-1)?.type === 'elected'
    const after = explore(to)
    return { sent: sent + after.sent, won: (announced ? 1 : 0) + after.won }
  }

  function explore(moment: Moment): { sent: number; won: number } {
    const key = [
      ...moment.states.map((s) => state.show(s, (id) => id)),
      ...moment.links.map((link) => link.map((m) => messages.show(m as never, (id) => id)).join()),
      moment.started.join(),
    ].join('|')
    const found = known.get(key)
    if (found !== undefined) return found
    const best = { sent: 0, won: 0 }
    const consider = (after: { sent: number; won: number }): void => {
      best.sent = Math.max(best.sent, after.sent)
      best.won = Math.max(best.won, after.won)
    }
    for (let me = 1; me <= members; me++) {
      const before = me === members ? 1 : me + 1
      // "A process that notices a lack of leader starts an election."
      if (!moment.started[me - 1] && moment.states[me - 1].leader === 0) {
        consider(
          step(moment, me, (to, out) => {
            to.started[me - 1] = true
            handlers.start(to.states[me - 1], out)
          }),
        )
      }
      if (moment.links[before - 1].length > 0) {
        consider(
          step(moment, me, (to, out) => {
            const m = to.links[before - 1].shift()!
            handlers.message(to.states[me - 1], before, m, out)
          }),
        )
      }
    }
    known.set(key, best)
    return best
  }

  return explore({
    states: Array.from({ length: members }, () => state.init() as AnyState),
    links: Array.from({ length: members }, () => []),
    started: new Array<boolean>(members).fill(false),
  })
}

function elect(at: number, repair: 'no' | 'yes', crashed: number): World {
  const world = new World(
    configure({
      algorithm: changRobertsAsPrinted,
      members: 4,
      options: { repair },
      initiators: [1],
      network: { latency: { kind: 'constant', us: 1000 } },
      detection: { minUs: 0, maxUs: 0 },
      faults: [{ kind: 'crash', node: crashed, at }],
    }),
  )
  world.runUntil(1_000_000)
  return world
}

describe('Chang and Roberts as printed', () => {
  test('if a participant never starts: one winner, at most 9 messages of three and 14 of four, in every interleaving', () => {
    expect(worst(3, 'no')).toEqual({ sent: 9, won: 1 })
    expect(worst(4, 'no')).toEqual({ sent: 14, won: 1 })
  })

  test('C-a: the text does not forbid a participant to start, and the leader is elected up to n times', () => {
    expect(worst(3, 'yes')).toEqual({ sent: 21, won: 3 })
    expect(worst(4, 'yes')).toEqual({ sent: 38, won: 4 })
  })

  test('C-b: "The algorithm is not fault tolerant": one crash loses the message, and there is never a leader', () => {
    const world = elect(1500, 'no', 3)
    expect([1, 2].map((id) => world.states[id].status)).toEqual(['participant', 'participant'])
    expect([1, 2, 4].map((id) => world.states[id].leader)).toEqual([0, 0, 0])
  })

  test('C-b: with the ring repaired, the number of a crashed owner circulates for ever', () => {
    const world = elect(4500, 'yes', 4)
    expect(world.messageCounts.byType['election']).toBeGreaterThan(900)
    expect([1, 2, 3].map((id) => world.states[id].leader)).toEqual([0, 0, 0])
  })
})
