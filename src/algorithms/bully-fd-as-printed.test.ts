import { describe, expect, test } from 'vitest'
import { randomConfig, run } from '../../test/random-run.ts'
import { bullyFdAsPrinted } from './bully-fd-as-printed.ts'

describe('Bully_FD as printed', () => {
  test('001 §4.3 claims safety and liveness; random crashes and recoveries refute both', () => {
    let disagreed = 0
    let stuck = 0
    for (let seed = 1; seed <= 1000; seed++) {
      const { monitors } = run(randomConfig(bullyFdAsPrinted, seed))
      if (monitors.disagreements > 0) disagreed += 1
      if (monitors.agreed === 0 && monitors.upCount > 0) stuck += 1
    }
    expect(disagreed).toBeGreaterThan(0)
    expect(stuck).toBeGreaterThan(100)
  })

  test('001 §4.4 counts n−1−pf messages in the best case; Halt, Ack and Ldr alone are 3(a−1)', () => {
    for (let members = 3; members <= 64; members++) {
      const dead = [members, ...(members > 4 ? [2] : [])]
      const { tally, monitors } = run({
        algorithm: bullyFdAsPrinted,
        members,
        down: dead,
        initiators: [members - 1],
      })
      const a = members - dead.length
      expect(monitors.agreed).toBe(members - 1)
      expect(tally.sumOf('election'), `n=${members}`).toBe(3 * (a - 1))
    }
  })

  test('without crashes it elects the strongest at boot', () => {
    for (let members = 2; members <= 8; members++) {
      const { monitors } = run({ algorithm: bullyFdAsPrinted, members })
      expect([monitors.agreed, monitors.violations]).toEqual([members, []])
    }
  })
})
