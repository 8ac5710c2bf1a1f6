/** bully, sentence by sentence of 000, 002 and 004, its corrections and its message counts. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { runSchedule, scheduleArbitrary, scheduleOf } from '../../test/support/random/schedules.ts'
import { beliefs, play, sentLast, stepperFor } from '../../test/support/scenario.ts'
import { configure, recordRun, summarize, World } from '../sim/index.ts'
import { bully } from './bully.ts'

const settled = (members: number) => stepperFor(bully, members, { start: 'settled' })
const booted = (members: number) => stepperFor(bully, members)

describe('002, Bully Algorithm', () => {
  test('"if it knows its id is the highest, it elects itself as coordinator, then sends a Coordinator message to all processes with lower identifiers"', () => {
    const world = play(booted(3), 'start 3')
    expect(beliefs(world)).toBe('1:Norm 2:Norm 3:Norm(3)')
    expect(sentLast(world)).toEqual(['3→1 coordinator', '3→2 coordinator'])
  })

  test('"else it initiates an election by sending an Election message … only to processes that have a higher id than itself"', () => {
    const world = play(settled(4), 'crash 4; down 2 4')
    expect(sentLast(world)).toEqual(['2→3 election', '2→4 election'])
    expect(world.stateOf(2).status).toBe('Elec')
  })

  test('"if receives no answer within timeout, calls itself leader and sends Coordinator message to all lower id processes"', () => {
    const world = play(settled(4), 'crash 4; down 3 4; timeout 3 answer')
    expect(sentLast(world)).toEqual(['3→1 coordinator', '3→2 coordinator'])
    expect(world.stateOf(3).leader).toBe(3)
  })

  test('"if an answer received however, then there is some non-faulty higher process => so, wait for coordinator message"', () => {
    const world = play(settled(3), 'crash 3; down 1 3; deliver 1→2 election; deliver 2→1 ok')
    expect(world.stateOf(1).status).toBe('WaitC')
    expect(world.isArmed(1, 'answer')).toBe(false)
    expect(world.isArmed(1, 'coordinator')).toBe(true)
  })

  test('"If none received after another timeout, start a new election run"', () => {
    const world = play(settled(3), 'crash 3; down 1 3; deliver 1→2 election; deliver 2→1 ok')
    play(world, 'crash 2; timeout 1 coordinator')
    expect(world.stateOf(1).status).toBe('Elec')
    expect(sentLast(world)).toEqual(['1→2 election', '1→3 election'])
  })

  test('"A process that receives an Election message replies with OK message, and starts its own leader election protocol"', () => {
    const world = play(settled(3), 'crash 3; down 1 3; deliver 1→2 election')
    expect(sentLast(world)).toEqual(['2→1 ok', '2→3 election'])
    expect(world.stateOf(2).status).toBe('Elec')
  })

  test('"(unless it has already done so)"', () => {
    const world = play(settled(3), 'crash 3; down 2 3; down 1 3; deliver 1→2 election')
    expect(sentLast(world)).toEqual(['2→1 ok'])
  })

  test('"If failures stop, eventually will elect a leader"', () => {
    fc.assert(
      fc.property(scheduleArbitrary({ ...bully.assumes, loss: false }), (schedule) => {
        const { monitors } = runSchedule(bully, schedule)
        return monitors.upCount === 0 || monitors.agreed !== 0
      }),
      { numRuns: 300 },
    )
  })

  test('"Worst-case completion time: 5 message transmission times": here two and the time-out of two, and the answer is off the path', () => {
    const tm = 1000
    const { world } = recordRun(
      configure({
        algorithm: bully,
        members: 6,
        network: { latency: { kind: 'constant', us: tm } },
        down: [6],
        initiators: [1],
      }),
    )
    // Election from 1 (Tm), time-out at 5 (2Tm, and 2 µs of margin), Coordinator from 5 (Tm).
    expect(summarize(world).electedMs).toBe((4 * tm + 2) / 1000)
  })

  test('"(N-1) processes altogether begin elections": (N-1)*N/2 Election messages when the lowest detects the failure', () => {
    for (const n of [2, 5, 9]) {
      const world = counted(n, 1, 1)
      expect(world.messageCounts.byType['election']).toBe((n * (n - 1)) / 2)
    }
  })

  test('"Second-highest id detects leader failure. Sends (N-2) Coordinator messages"', () => {
    for (const n of [3, 5, 9])
      expect(counted(n, 1, n - 1).messageCounts.byType['coordinator']).toBe(n - 2)
  })
})

describe('004, Bully algorithm', () => {
  test('"P_i broadcasts an election message (inquiry) to all other processes with higher process IDs"', () => {
    const world = play(settled(4), 'crash 4; down 1 4')
    expect(sentLast(world)).toEqual(['1→2 election', '1→3 election', '1→4 election'])
  })

  test('"If P_i hears from no process with a higher process ID than it, it wins the election and broadcasts victory"', () => {
    const world = play(settled(3), 'crash 3; down 2 3; timeout 2 answer')
    expect(world.stateOf(2).leader).toBe(2)
  })

  test('"If it does not receive this message in time, it rebroadcasts the election message"', () => {
    const world = play(settled(3), 'crash 3; down 1 3; deliver 1→2 election; deliver 2→1 ok')
    expect(sentLast(play(world, 'crash 2; timeout 1 coordinator'))).toContain('1→2 election')
  })

  test('"If P_i gets an election message from another process with a lower ID it sends an I am alive message back"', () => {
    const world = play(settled(3), 'crash 3; down 1 3; deliver 1→2 election')
    expect(sentLast(world)[0]).toBe('2→1 ok')
  })

  test('"if P_i receives a victory message from a process with a lower ID number, it immediately initiates a new election": between the bullies that victory goes to, nobody outranked hears it', () => {
    const world = play(settled(3), 'crash 3; down 2 3; timeout 2 answer')
    expect(sentLast(world)).toEqual(['2→1 coordinator'])
  })

  test('"a process with a higher ID number will bully a lower ID process out of the coordinator position as soon as it comes online"', () => {
    const world = play(settled(3), 'crash 3; down 2 3; down 1 3; deliver 1→2 election')
    play(world, 'timeout 2 answer; deliver 2→1 ok; deliver 2→1 coordinator{term=2}')
    expect(beliefs(world)).toBe('1:Norm(2) 2:Norm(2) 3:down')
    play(world, 'recover 3; start 3; deliver 3→1 coordinator{term=2}')
    expect(beliefs(world)).toBe('1:Norm(3) 2:Norm(2) 3:Norm(3)')
    play(world, 'deliver 3→2 coordinator{term=2}')
    expect(beliefs(world)).toBe('1:Norm(3) 2:Norm(3) 3:Norm(3)')
  })

  test('"Process 4 holds an election. Processes 5 and 6 respond, telling 4 to stop. Now 5 and 6 each holds an election"', () => {
    const world = play(settled(7), 'crash 7; down 4 7')
    expect(sentLast(world)).toEqual(['4→5 election', '4→6 election', '4→7 election'])
    play(world, 'deliver 4→5 election; deliver 4→6 election; deliver 5→4 ok; deliver 6→4 ok')
    expect(world.stateOf(4).status).toBe('WaitC')
    expect(world.stateOf(5).status).toBe('Elec')
    expect(world.stateOf(6).status).toBe('Elec')
    play(world, 'deliver 5→6 election; deliver 6→5 ok; timeout 6 answer')
    expect(sentLast(world)).toHaveLength(5)
  })
})

describe('corrections', () => {
  test('T-a: a weaker claim that arrives late does not replace a live leader', () => {
    const world = play(settled(3), 'crash 3; down 2 3; timeout 2 answer; recover 3; start 3')
    play(world, 'deliver 3→1 coordinator{term=2}; deliver 2→1 coordinator{term=2}; up 1 3')
    play(world, 'deliver 3→2 coordinator{term=2}')
    expect(beliefs(world)).toBe('1:Norm(3) 2:Norm(3) 3:Norm(3)')
  })

  test('T-a: a weaker claim replaces a leader that the detector, asked now, says is down', () => {
    const world = play(settled(3), 'crash 3; down 2 3; timeout 2 answer')
    play(world, 'deliver 2→1 coordinator{term=2}; down 1 3')
    expect(world.stateOf(1)).toMatchObject({ leader: 2, term: 2 })
  })

  test('T-d: a lost Coordinator is made good by the next heartbeat', () => {
    const world = play(settled(3), 'crash 3; down 1 3; down 2 3; deliver 1→2 election')
    play(world, 'deliver 2→1 ok; timeout 2 answer; lose 2→1 coordinator{term=2}; timeout 2 beat')
    play(world, 'deliver 2→1 heartbeat{term=2}')
    expect(beliefs(world)).toBe('1:Norm(2) 2:Norm(2) 3:down')
  })

  test('T-f: a leader that is asked answers with its claim and does not elect again', () => {
    const world = play(settled(3), 'crash 3; down 2 3; timeout 2 answer; down 1 3')
    play(world, 'deliver 1→2 election')
    expect(sentLast(world)).toEqual(['2→1 ok', '2→1 coordinator'])
    expect(world.stateOf(2).status).toBe('Norm')
  })

  test('a claimant whose term is behind claims again above the one in `higher`', () => {
    const world = play(settled(3), 'crash 3; down 2 3; timeout 2 answer; down 1 3')
    play(world, 'deliver 2→1 coordinator{term=2}; crash 2; down 1 2; timeout 1 answer')
    play(world, 'recover 3; start 3; deliver 3→1 coordinator{term=2}')
    expect(sentLast(world)).toContain('1→3 higher')
    play(world, 'deliver 1→3 higher{term=3}')
    expect(world.stateOf(3).term).toBe(4)
    play(world, 'deliver 3→1 heartbeat{term=4}')
    expect(beliefs(world)).toBe('1:Norm(3) 2:down 3:Norm(3)')
  })
})

/** Settled under n, the f strongest dead, one initiator, until nothing is awaited: what the formula counts. */
function counted(members: number, dead: number, initiator: number): World {
  const down = Array.from({ length: dead }, (_, i) => members - i)
  const world = new World(configure({ algorithm: bully, members, down, initiators: [initiator] }))
  while (!world.isQuiet && world.step());
  return world
}

describe('message counts', () => {
  test('an election costs r·f + r(r−1) + a−1 messages, for every n to 64, every f and every initiator', () => {
    const wrong: string[] = []
    for (let n = 2; n <= 64; n++) {
      for (let f = 1; f < n; f++) {
        const a = n - f
        for (let r = 1; r <= a; r++) {
          const { monitors, messageCounts } = counted(n, f, a - r + 1)
          const messages = messageCounts.sumOf('election')
          const right = messages === r * f + r * (r - 1) + a - 1 && monitors.agreed === a
          if (!right) wrong.push(`n=${n} f=${f} r=${r}: ${messages}`)
        }
      }
    }
    expect(wrong).toEqual([])
  }, 300_000)

  test('a false alarm under a live leader costs r(r−1) + r−1: it answers, and no other member is informed', () => {
    for (const [n, r] of [
      [5, 2],
      [5, 5],
      [9, 4],
    ] as const) {
      expect(counted(n, 0, n - r + 1).messageCounts.sumOf('election')).toBe(r * (r - 1) + r - 1)
    }
  })
})

describe('random faults', () => {
  test('after 10,000 schedules of crashes and restarts at any moment all live members agree on the highest', () => {
    const broken: string[] = []
    for (let seed = 1; seed <= 10_000; seed++) {
      const schedule = scheduleOf(seed, { ...bully.assumes, loss: false })
      for (const { sentence } of runSchedule(bully, schedule).monitors.violations) {
        broken.push(`seed ${seed}: ${sentence}`)
      }
    }
    expect(broken).toEqual([])
  })

  test('lost messages too: whatever fast-check finds, all agree in the end', () => {
    fc.assert(
      fc.property(scheduleArbitrary(bully.assumes), (schedule) => {
        expect(runSchedule(bully, schedule).monitors.violations).toEqual([])
      }),
      { numRuns: 1000 },
    )
  })
})
