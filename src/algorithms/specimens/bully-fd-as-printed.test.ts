/** What the printed Bully_FD does, and its defects. */
import { describe, expect, test } from 'vitest'
import { randomConfig, run } from '../../../test/support/random/random-run.ts'
import { play, sentLast, stepperFor } from '../../../test/support/scenario.ts'
import type { Algorithm } from '../../core/algorithm.ts'
import { Random } from '../../core/random.ts'
import { bullyFdAsPrinted } from './bully-fd-as-printed.ts'
import { bullyFd } from '../bully-fd.ts'

describe('Bully_FD as printed', () => {
  test('001 §4.3 claims liveness; random crashes and recoveries leave members without a leader for ever', () => {
    let stuck = 0
    for (let seed = 1; seed <= 300; seed++) {
      const { monitors } = run(randomConfig(bullyFdAsPrinted, seed))
      if (monitors.agreed === 0 && monitors.upCount > 0) stuck += 1
    }
    expect(stuck).toBeGreaterThan(30)
  })

  /** The strongest falls, and comes back while the others elect; all within the synchronous bounds. */
  function disagreements(algorithm: Algorithm): number {
    let found = 0
    for (let seed = 1; seed <= 1000; seed++) {
      const random = new Random(seed)
      const members = 3 + random.below(2)
      const { monitors } = run({
        algorithm,
        members,
        seed,
        network: { latency: { kind: 'uniform', minUs: 100, maxUs: 10_000 } },
        detection: { minUs: 0, maxUs: 20_000 },
        faults: [
          { kind: 'crash', node: members, at: 500_000 },
          { kind: 'recover', node: members, at: 500_000 + random.below(60_000) },
        ],
      })
      if (monitors.disagreements > 0) found += 1
    }
    return found
  }

  test('001 §4.3 claims safety; one crash and one recovery refute it, and not as shipped', () => {
    expect(disagreements(bullyFdAsPrinted)).toBeGreaterThan(0)
    expect(disagreements(bullyFd)).toBe(0)
  })

  test('001 §4.2, the prose: a recovered process "waits for <Norm?, t>", and does nothing else', () => {
    const after = (text: string) => {
      const options = { text }
      const world = stepperFor(bullyFdAsPrinted, 3, { start: 'settled', options })
      return play(world, 'crash 2; recover 2; start 2').memberOf(2)
    }
    expect(after('prose')).toMatchObject({ state: { status: 'Elec1' }, requests: new Set() })
    expect(after('figure')).toMatchObject({ state: { status: 'Elec1' }, requests: new Set([3]) })
  })

  test('001 §4.2, the prose: the leader asks "all live processes", the figure greater(i) only', () => {
    const asked = (text: string): string[] => {
      const options = { text }
      const world = stepperFor(bullyFdAsPrinted, 3, { start: 'settled', options })
      play(world, 'crash 3; down 2 3; down 2 3; up 2 1; deliver 2→1 halt; deliver 1→2 ack')
      return sentLast(play(world, 'timeout 2 tau')).map((line) => line.replace(/ \(.*/u, ''))
    }
    expect(asked('figure')).toEqual(['2→1 norm?'])
    expect(asked('prose')).toEqual(['2→1 norm?', '2→3 norm?'])
  })

  test('001 §4.4 counts n−1−pf messages in the best case; Halt, Ack and Ldr alone are 3(a−1)', () => {
    for (let members = 3; members <= 64; members++) {
      const dead = [members, ...(members > 4 ? [2] : [])]
      const { messageCounts, monitors } = run({
        algorithm: bullyFdAsPrinted,
        members,
        down: dead,
        initiators: [members - 1],
      })
      const a = members - dead.length
      expect(monitors.agreed).toBe(members - 1)
      expect(messageCounts.sumOf('election'), `n=${members}`).toBe(3 * (a - 1))
    }
  })

  test('without crashes it elects the strongest at boot', () => {
    for (let members = 2; members <= 8; members++) {
      const { monitors } = run({ algorithm: bullyFdAsPrinted, members })
      expect([monitors.agreed, monitors.violations]).toEqual([members, []])
    }
  })
})
