/** garcia-molina: its calls, its costs, and recovery from faults. */
import { describe, expect, test } from 'vitest'
import { randomConfig, run } from '../../test/support/random/random-run.ts'
import { beliefs, play } from '../../test/support/scenario.ts'
import { Random } from '../core/random.ts'
import { Stepper } from '../sim/stepper/stepper.ts'
import { garciaMolina } from './garcia-molina.ts'

const MESSAGE_US = 1000 // Tm
const ANSWER_US = 2 * MESSAGE_US // Te = 2 Tm + Tp (eq. 3.2), Tp = 0
const TIMEOUT_US = 10_000 // To

/** The strongest live member k notices that the leader failed; every message takes Tm exactly. */
function electionBy(members: number, down: readonly number[]) {
  const live = Array.from({ length: members }, (_, i) => i + 1).filter((id) => !down.includes(id))
  const k = live.at(-1)!
  const { monitors, messageCounts } = run({
    algorithm: garciaMolina,
    members,
    down,
    initiators: [k],
    network: { latency: { kind: 'constant', us: MESSAGE_US } },
    timing: { detectionMs: TIMEOUT_US / 1000 },
  })
  return {
    leader: monitors.agreed,
    us: monitors.agreedSince,
    sent: messageCounts.sumOf('election'),
    k,
  }
}

describe('000 §3.2, efficiency analysis', () => {
  test('"(k−1)·To describes the time taken when node k detects that all nodes with higher-priority are crash failed", one after the other', () => {
    for (let dead = 1; dead <= 5; dead++) {
      const members = dead + 1 // k is alone: nobody to halt
      const down = Array.from({ length: dead }, (_, i) => i + 2)
      expect(electionBy(members, down).us).toBe(dead * TIMEOUT_US)
    }
  })

  test('"(Nf−k+1)·To + (N−Nf)·Te" is the time for the juniors, but that k does not ask itself', () => {
    const { us } = electionBy(10, [10, 9, 3, 2]) // N = 10, Nf = 4: two above k, two below
    expect(us).toBe(4 * TIMEOUT_US + 5 * ANSWER_US + 2 * 5 * ANSWER_US)
  })

  test('eq. 3.3 leaves NewCoordinator and Ready out: f·To + 3(a−1)·Te until k leads, f + 6(a−1) messages, for all n ≤ 64', () => {
    for (let members = 2; members <= 64; members++) {
      const random = new Random(members)
      const down = [members]
      for (let id = members - 1; id >= 2; id--) if (random.chance(0.3)) down.push(id)
      const a = members - down.length
      const { leader, k, us, sent } = electionBy(members, down)
      expect({ members, leader, us, sent }).toEqual({
        members,
        leader: k,
        us: down.length * TIMEOUT_US + 3 * (a - 1) * ANSWER_US,
        sent: down.length + 6 * (a - 1),
      })
    }
  })

  test('"In the original Bully algorithm, node i waits a reply from node j to confirm a node\'s failure"', () => {
    const config = { algorithm: garciaMolina, members: 4, start: 'settled' } as const
    const stepper = play(new Stepper(config), 'crash 4\ntimeout 2 silence\ntimeout 2 call')
    expect(stepper.linkOf(2, 3).map(({ type }) => type)).toEqual(['areYouThere'])
    play(stepper, 'timeout 2 call') // only now the next
    expect(stepper.isArmed(2, 'call')).toBe(true)
    play(stepper, 'timeout 2 call')
    expect(stepper.linkOf(2, 1).map(({ type }) => type)).toEqual(['halt'])
  })
})

describe('001 §2', () => {
  test('"all members reach a stable state in which they agree on one leader": 1,000 random schedules of crashes and recoveries', () => {
    for (let seed = 1; seed <= 1000; seed++) {
      expect(run(randomConfig(garciaMolina, seed)).monitors.violations, `seed ${seed}`).toEqual([])
    }
  })

  test('"Members of lower priority […] stop the algorithm that they carry out and wait for the new leader"', () => {
    const config = { algorithm: garciaMolina, members: 3 } as const
    const stepper = play(
      new Stepper(config),
      'start 1\nstart 2\nstart 3\ntimeout 2 call\ndeliver 3→2 halt\ndeliver 2→3 answer',
    )
    expect(stepper.isArmed(2, 'call')).toBe(false)
    play(stepper, 'deliver 3→1 halt\ndeliver 1→3 answer')
    play(stepper, 'deliver 3→2 newCoordinator\ndeliver 2→3 answer')
    play(stepper, 'deliver 3→1 newCoordinator\ndeliver 1→3 answer')
    expect(beliefs(stepper)).toBe('1:Reorganization 2:Reorganization 3:Reorganization')
    play(stepper, 'deliver 3→2 ready\ndeliver 2→3 answer\ndeliver 3→1 ready\ndeliver 1→3 answer')
    expect(beliefs(stepper)).toBe('1:Norm(3) 2:Norm(3) 3:Norm(3)')
  })
})

describe('AreYouNormal', () => {
  test('a member that is Normal under another leader makes the coordinator elect again', () => {
    const config = { algorithm: garciaMolina, members: 2, start: 'settled' } as const
    const stepper = play(
      new Stepper(config),
      'crash 1\nrecover 1\nstart 1\ndeliver 1→2 areYouThere\ndeliver 2→1 answer\ntimeout 2 check\ndeliver 2→1 areYouNormal\ndeliver 1→2 normal',
    )
    expect([stepper.stateOf(2).status, stepper.linkOf(2, 1).map(({ type }) => type)]).toEqual([
      'Election',
      ['halt'],
    ])
  })
})
