/** bully-fd, sentence by sentence of 000 and 001, and its message counts. */
import { describe, expect, test } from 'vitest'
import { beliefs, play } from '../../test/support/scenario.ts'
import { randomConfig, run } from '../../test/support/random/random-run.ts'
import { Labels } from '../core/group.ts'
import { Random } from '../core/random.ts'
import { Stepper, type StepperConfig } from '../sim/stepper/stepper.ts'
import { bullyFd } from './bully-fd.ts'

/** Members as 000 and 001 number them: 1 is the strongest. */
function world(members: number, start: 'boot' | 'settled' = 'settled'): Stepper {
  const config: StepperConfig = {
    algorithm: bullyFd,
    members,
    labels: new Labels(members, 'lowest'),
    start,
  }
  return new Stepper(config)
}

const status = (stepper: Stepper, label: number): string =>
  stepper.stateOf(stepper.labels.of(label)).status

const underWay = (stepper: Stepper, from: number, to: number): string[] =>
  stepper.linkOf(stepper.labels.of(from), stepper.labels.of(to)).map(({ type }) => type)

describe('000 §3.2', () => {
  test('"When node i detects that its leader is crashed […], the node sets its status variable to Elec1"', () => {
    const stepper = play(world(3), 'crash 1\ndown 3 1')
    expect(status(stepper, 3)).toBe('Elec1')
  })

  test('"or when the crashed node is recovered, the node sets its status variable to Elec1"', () => {
    const stepper = play(world(3), 'crash 3\nrecover 3\nstart 3')
    expect(status(stepper, 3)).toBe('Elec1')
  })

  test('"node i checks whether the nodes of less(i), whose priority is higher than itself, is operational or not"', () => {
    const stepper = play(world(4), 'crash 1\ndown 3 1')
    const asks = (label: number): boolean =>
      stepper.asks(stepper.labels.of(3), stepper.labels.of(label))
    expect([1, 2, 3, 4].filter(asks)).toEqual([1, 2])
  })

  test('"if node i receives the message <downSig, j> for all j ∈ less(i) from FD […] sets its status variable to Elec2"', () => {
    const stepper = play(world(4), 'crash 1\ncrash 2\ndown 3 1\ndown 3 2')
    expect(status(stepper, 3)).toBe('Elec1')
    play(stepper, 'down 3 1')
    expect(status(stepper, 3)).toBe('Elec2')
  })

  test('"node i prepares the lower-priority nodes in greater(i) for a new leader by sending them Halt message"', () => {
    const stepper = play(world(4), 'crash 1\ndown 2 1\ndown 2 1')
    expect([underWay(stepper, 2, 3), underWay(stepper, 2, 4)]).toEqual([['halt'], ['halt']])
    expect(underWay(stepper, 2, 1)).toEqual([])
  })

  test('"it sends an Ack message and switches its status variable from Norm to Wait"', () => {
    const stepper = play(world(2), 'crash 1\nrecover 1\nstart 1\ndeliver 1→2 halt')
    expect([status(stepper, 2), underWay(stepper, 2, 1)]).toEqual(['Wait', ['ack']])
  })

  test('"If a node on Wait state detects the failure of the node which halted it […], it […] restarts the election"', () => {
    const stepper = play(
      world(2),
      'crash 1\nrecover 1\nstart 1\ndeliver 1→2 halt\ncrash 1\ndown 2 1',
    )
    expect(status(stepper, 2)).toBe('Elec1')
  })

  test('"received an acknowledgement signal from each node in greater(i), then it becomes a leader […] by sending ldr message"', () => {
    const stepper = play(
      world(3, 'boot'),
      'start 2\nstart 3\nstart 1\ndeliver 1→2 halt\ndeliver 2→1 ack',
    )
    expect(status(stepper, 1)).toBe('Elec2')
    play(stepper, 'deliver 1→3 halt\ndeliver 3→1 ack')
    expect(beliefs(stepper)).toBe('1:Norm(1) 2:Wait 3:Wait')
    expect([underWay(stepper, 1, 2), underWay(stepper, 1, 3)]).toEqual([['ldr'], ['ldr']])
  })

  test('"All nodes received ldr message from node i accepts node i as their a new leader, switching their status from Wait to Norm"', () => {
    const stepper = play(
      world(2, 'boot'),
      'start 2\nstart 1\ndeliver 1→2 halt\ndeliver 2→1 ack\ndeliver 1→2 ldr',
    )
    expect(beliefs(stepper)).toBe('1:Norm(1) 2:Norm(1)')
  })

  test('"Periodically, the leader sends the message <Norm?,t> […] to all nodes with lower-priorities"', () => {
    const stepper = play(world(3), 'timeout 1 tau')
    expect([underWay(stepper, 1, 2), underWay(stepper, 1, 3)]).toEqual([['norm?'], ['norm?']])
    expect(stepper.isArmed(stepper.labels.of(1), 'tau')).toBe(true)
  })

  test('"sends the message <NotNorm,t> if it is not on Norm state"', () => {
    const stepper = play(world(3), 'crash 3\nrecover 3\nstart 3\ntimeout 1 tau')
    play(stepper, 'deliver 1→2 norm?\ndeliver 1→3 norm?')
    expect([underWay(stepper, 2, 1), underWay(stepper, 3, 1)]).toEqual([[], ['notNorm']])
  })

  test('"The leader which has received message <NotNorm,t> […] does the leader election process again"', () => {
    const stepper = play(
      world(3),
      'crash 3\nrecover 3\nstart 3\ntimeout 1 tau\ndeliver 1→3 norm?\ndeliver 3→1 notNorm',
    )
    expect([status(stepper, 1), underWay(stepper, 1, 3)]).toEqual(['Elec2', ['halt']])
  })

  test('"If the ack or ldr which doesn\'t contain the expected identifier arrives, the message is ignored"', () => {
    const stepper = play(
      world(2, 'boot'),
      'start 2\nstart 1\ndeliver 1→2 halt\ntimeout 1 restart\ndeliver 2→1 ack',
    )
    expect(status(stepper, 1)).toBe('Elec2')
    play(stepper, 'deliver 1→2 halt\ndeliver 2→1 ack\ncrash 1\nrecover 1\nstart 1')
    // 1 has a new incarnation; its Ldr of the old one comes after the new Halt only if reordered.
    const ldr = stepper.linkOf(2, 1).find(({ type }) => type === 'ldr')
    play(stepper, `deliver 1→2 halt\ndeliver 1→2 ldr`)
    expect(ldr).toBeDefined()
    expect(status(stepper, 2)).toBe('Wait')
  })

  test('"incarnation number which is kept on stable storage and incremented on each recovery"', () => {
    const stepper = play(world(2), 'crash 2')
    const before = stepper.stateOf(stepper.labels.of(2))['incarn']
    play(stepper, 'recover 2\nstart 2')
    expect(stepper.stateOf(stepper.labels.of(2))['incarn']).toBe((before as number) + 1)
  })

  test('"a sequence number of election which is incremented for each election"', () => {
    const stepper = play(world(2, 'boot'), 'start 1')
    const first = stepper.stateOf(stepper.labels.of(1))['mark']
    play(stepper, 'timeout 1 restart')
    expect(stepper.stateOf(stepper.labels.of(1))['mark']).toBe((first as number) + 1)
  })
})

describe('001 §4', () => {
  test('§4.2: "If the FD says that a process of higher priority is alive, process i stays in that state and gives it the chance to become the leader"', () => {
    const stepper = play(world(3), 'crash 1\ndown 3 1\nup 3 2\ndown 3 1')
    expect(beliefs(stepper)).toBe('1:down 2:Norm(1) 3:Elec1')
  })

  test('§4.2: "A process that was dead and has recovered […] answers with the message NotNorm that its state is not Norm"', () => {
    const stepper = play(world(2), 'crash 2\nrecover 2\nstart 2\ntimeout 1 tau\ndeliver 1→2 norm?')
    expect(underWay(stepper, 2, 1)).toEqual(['notNorm'])
  })

  test('Elec2 does not end in Norm, as Fig. 2 has it, but in Elec3, which asks about the superiors once more (B9)', () => {
    const stepper = play(world(3), 'crash 1\ndown 2 1\ndown 2 1\ndeliver 2→3 halt\ndown 3 1')
    play(stepper, 'deliver 3→2 ack')
    expect(status(stepper, 2)).toBe('Elec3')
    play(stepper, 'down 2 1')
    expect(beliefs(stepper)).toBe('1:down 2:Norm(2) 3:Wait')
  })

  test('§4.3, safety and liveness: in 1,000 random schedules of crashes and recoveries, no two members in Norm ever differ, and in the end all follow the strongest', () => {
    for (let seed = 1; seed <= 1000; seed++) {
      const { monitors } = run(randomConfig(bullyFd, seed))
      expect(monitors.violations, `seed ${seed}`).toEqual([])
      expect(monitors.disagreements, `seed ${seed}`).toBe(0)
    }
  })

  test('the same holds when messages are lost until the last fault', () => {
    for (let seed = 1; seed <= 300; seed++) {
      const config = randomConfig(bullyFd, seed)
      const random = new Random(seed)
      const drops = Array.from({ length: 6 }, () => ({
        kind: 'drop' as const,
        at: random.below(500_000),
        from: 1 + random.below(config.members),
        to: 1 + random.below(config.members),
      }))
      const faults = [...(config.faults ?? []), ...drops].sort((a, b) => a.at - b.at)
      const { monitors } = run({ ...config, faults })
      expect(monitors.violations, `seed ${seed}`).toEqual([])
    }
  })
})

describe('messages', () => {
  /** Initiators, dead, and known dead at random; the strongest is always dead. */
  function undisturbed(members: number, seed: number, send: 'multicast' | 'sequential') {
    const random = new Random(1000 * members + seed)
    const live = Array.from({ length: members - 1 }, (_, i) => i + 1)
    const down = [members]
    for (let left = random.below(members - 1); left > 0; left--) {
      down.push(...live.splice(random.below(live.length), 1))
    }
    return {
      algorithm: bullyFd,
      members,
      seed,
      down,
      knownDown: down.filter(() => random.chance(0.5)),
      initiators: random.chance(0.3) ? live : [live[random.below(live.length)]],
      network: { send },
    }
  }

  test.each(['multicast', 'sequential'] as const)(
    'an undisturbed election costs 3(a−1) + d2 messages for all n ≤ 64 (%s)',
    (send) => {
      for (let members = 2; members <= 64; members++) {
        for (let seed = 1; seed <= (members <= 16 ? 12 : 2); seed++) {
          const config = undisturbed(members, seed, send)
          const { messageCounts, monitors } = run(config)
          const winner = monitors.agreed
          const a = members - config.down.length
          const d2 = config.down.filter((id) => id < winner).length
          const shown = `n=${members} down=${config.down.join()} from ${config.initiators.join()}`
          expect({
            shown,
            election: messageCounts.sumOf('election'),
            repair: messageCounts.sumOf('repair'),
          }).toEqual({
            shown,
            election: 3 * (a - 1) + d2,
            repair: 0,
          })
          expect(monitors.violations).toEqual([])
        }
      }
    },
    30_000,
  )

  test('Halt = a−1 + d2 and Ack = Ldr = a−1', () => {
    const { messageCounts } = run({
      algorithm: bullyFd,
      members: 10,
      down: [10, 9, 3, 2],
      initiators: [8],
    })
    const [halt, ack, ldr] = ['halt', 'ack', 'ldr'].map((type) => messageCounts.byType[type])
    expect([halt, ack, ldr]).toEqual([7, 5, 5])
  })
})

describe('terms', () => {
  test('a leader takes a term above all that its followers ever accepted', () => {
    const stepper = play(
      world(3, 'boot'),
      `start 1
       start 2
       start 3
       deliver 1→2 halt
       deliver 1→3 halt
       deliver 2→1 ack
       deliver 3→1 ack
       deliver 1→2 ldr
       deliver 1→3 ldr`,
    )
    expect(stepper.stateOf(1).term).toBe(1)
    play(
      stepper,
      'crash 1\ndown 2 1\ndown 2 1\ndeliver 2→3 halt\ndown 3 1\ndeliver 3→2 ack\ndown 2 1',
    )
    expect(stepper.stateOf(stepper.labels.of(2)).term).toBe(2)
  })

  test('a crash does not lower it', () => {
    const stepper = play(world(2), 'crash 2\nrecover 2\nstart 2')
    expect(stepper.stateOf(stepper.labels.of(2)).term).toBe(1)
  })
})
