/** stable-leader, rule by rule of the paper, and what stability means. */
import { describe, expect, test } from 'vitest'
import { beliefs, drain, play, sentLast, stepperFor } from '../../test/support/scenario.ts'
import { Random } from '../core/random.ts'
import { configure, finish, World, type Fault, type Stepper } from '../sim/index.ts'
import { stableLeader } from './stable-leader.ts'

const started = (): Stepper => drain(play(stepperFor(stableLeader, 3), 'start 1; start 2; start 3'))
/** Round k of member id. */
const round = (k: number, id: number): number => k * 1024 + id

describe('the paper', () => {
  test('the first round is that of the strongest, which says OK to all', () => {
    expect(beliefs(started())).toBe('1:Norm(3) 2:Norm(3) 3:Norm(3)')
    expect(sentLast(play(started(), 'timeout 3 again'))).toEqual(['3→1 ok', '3→2 ok'])
  })

  test('"StartRound(s): if p ≠ s mod n then send (START, s) to s mod n"', () => {
    const stepper = play(started(), 'crash 3; down 2 3')
    expect(sentLast(stepper)).toEqual(['2→1 start'])
    expect(stepper.stateOf(2)).toMatchObject({ leader: 0, term: round(2, 1) })
  })

  test('"upon receive (START, k) with k > r": the member of round k leads', () => {
    const stepper = play(started(), 'crash 3; down 2 3; deliver 2→1 start')
    expect(stepper.stateOf(1)).toMatchObject({ leader: 1, term: round(2, 1) })
    expect(beliefs(drain(stepper))).toBe('1:Norm(1) 2:Norm(1) 3:down')
  })

  test('a candidate that is down is passed over', () => {
    const stepper = play(started(), 'crash 3; crash 1; down 2 3; down 2 1')
    expect(stepper.stateOf(2)).toMatchObject({ leader: 2, term: round(2, 2) })
  })

  test('START is repeated until OK arrives', () => {
    const stepper = play(started(), 'crash 3; down 2 3; lose 2→1 start; timeout 2 again')
    expect(sentLast(stepper)).toEqual(['2→1 start'])
    expect(sentLast(play(drain(stepper), 'timeout 1 again'))).toEqual(['1→2 ok', '1→3 ok'])
  })

  test('a leader whose round is over learns so from the answer to its OK', () => {
    const stepper = play(started(), 'down 2 3; timeout 3 again; deliver 3→2 ok')
    expect(sentLast(stepper)).toEqual(['2→3 start'])
    expect(beliefs(drain(stepper))).toBe('1:Norm(1) 2:Norm(1) 3:Norm(1)')
  })

  test('a leader that recovers does not lead its round again', () => {
    const stepper = play(started(), 'crash 3; recover 3; start 3')
    expect(stepper.stateOf(3)).toMatchObject({ leader: 0, term: round(2, 1) })
    expect(beliefs(drain(stepper))).toBe('1:Norm(1) 2:Norm(1) 3:Norm(1)')
  })
})

test('stable: a leader that nobody suspects stays, whatever happens to the others and between them', () => {
  for (let seed = 1; seed <= 50; seed++) {
    const random = new Random(seed)
    const faults = Array.from({ length: 12 }, (): Fault => {
      const at = 200_000 + random.below(2_000_000)
      const [node, other] = [1 + random.below(4), 1 + random.below(4)]
      if (node === other) return { kind: 'heal', at }
      if (random.chance(0.4)) return { kind: 'cut', from: [node], to: [other], at }
      return { kind: random.chance(0.5) ? 'crash' : 'recover', node, at }
    })
    const possible = withoutImpossible(faults)
    const world = new World(
      configure({ algorithm: stableLeader, members: 5, seed, faults: possible }),
    )
    world.runUntil(200_000)
    expect(world.monitors.agreed).toBe(5)
    world.runUntil(4_000_000)
    expect(world.states[5]).toMatchObject({ leader: 5, term: round(1, 5) })
    expect(world.monitors.violations).toEqual([])
  }
})

/** Only members that are up crash, and only those that are down recover. */
function withoutImpossible(faults: Fault[]): Fault[] {
  const down = new Set<number>()
  return faults
    .toSorted((a, b) => a.at - b.at)
    .filter((fault) => {
      if (fault.kind === 'crash') return down.size < down.add(fault.node).size
      return fault.kind !== 'recover' || down.delete(fault.node)
    })
}

test('in the end only the leader sends, and a crash costs at most 2(a−1) START, for all n ≤ 64', () => {
  for (let n = 2; n <= 64; n++) {
    const world = new World(configure({ algorithm: stableLeader, members: n, seed: n }))
    world.runUntil(500_000)
    const before = world.messageCounts.sumOf('election')
    world.inject({ kind: 'crash', node: n, at: world.now })
    finish(world)
    expect(world.monitors.agreed).toBe(1)
    const sent = world.messageCounts.sumOf('election') - before
    expect(sent, `n = ${n}`).toBeLessThanOrEqual(2 * (n - 2))
    const senders = new Set<number>()
    const ignore = (): void => undefined
    const sentBy = ({ from }: { readonly from: number }): void => void senders.add(from)
    world.recorder = { step: ignore, sent: sentBy, done: ignore, violated: ignore }
    world.runUntil(world.now + 1_000_000)
    expect([...senders]).toEqual([1])
  }
})
