/**
 * The defects of Bully_FD that the errata mark, each as a schedule that shows it: in the printed text, or
 * in the corrected algorithm minus the one correction. Members are numbered as in 000 and 001: 1 is the
 * strongest. What the detector says is true when it is asked, unless the test says otherwise.
 */
import { describe, expect, test } from 'vitest'
import { bullyFdWithout, type Correction } from '../../scripts/mutants/named-mutants.ts'
import { bullyFd } from '../../src/algorithms/bully-fd.ts'
import { bullyFdAsPrinted } from '../../src/algorithms/specimens/bully-fd-as-printed.ts'
import type { Algorithm } from '../../src/core/algorithm.ts'
import { Labels } from '../../src/core/group.ts'
import { Stepper, type StepperConfig } from '../../src/sim/stepper/stepper.ts'
import { beliefs, play } from '../support/scenario.ts'

function world(algorithm: Algorithm, members: number, more: Partial<StepperConfig> = {}): Stepper {
  return new Stepper({
    algorithm,
    members,
    labels: new Labels(members, 'lowest'),
    start: 'settled',
    ...more,
  })
}

const without = async (correction: Correction, members: number): Promise<Stepper> =>
  world(await bullyFdWithout(correction), members)

function disagrees(stepper: Stepper): boolean {
  return stepper.monitors.violations.some(({ property }) => property === 'agreement')
}

function underWay(stepper: Stepper): string[] {
  const ids = [...stepper.group.everyone]
  return ids.flatMap((a) => ids.flatMap((b) => stepper.linkOf(a, b).map(({ type }) => type)))
}

/** Nothing is under way, no timer is armed, and the detector has nothing to report. */
function isStuck(stepper: Stepper): boolean {
  const { everyone } = stepper.group
  for (const a of everyone) {
    if (!stepper.isUp(a)) continue
    if (stepper.isArmed(a, 'restart') || stepper.isArmed(a, 'tau')) return false
    for (const b of everyone) if (stepper.asks(a, b) && !stepper.isUp(b)) return false
  }
  return underWay(stepper).length === 0
}

describe('the printed text', () => {
  const FIFTEEN = `
    crash 1
    down 2 1
    down 2 1
    recover 1
    start 1
    up 1 2
    up 1 3
    up 2 3
    deliver 1→3 halt
    deliver 3→1 ack
    deliver 2→3 halt
    deliver 3→2 ack
    deliver 1→2 halt
    deliver 2→1 ack`

  test('one crash and one recovery end in 1:Norm(1) 3:Norm(2) for ever (B8, the 15-step trace)', () => {
    const stepper = play(world(bullyFdAsPrinted, 3), FIFTEEN)
    expect(disagrees(stepper)).toBe(false)
    play(stepper, 'deliver 2→3 ldr')
    expect(disagrees(stepper)).toBe(true)
    play(stepper, 'deliver 1→2 ldr\ndeliver 1→3 ldr')
    expect(beliefs(stepper)).toBe('1:Norm(1) 2:Norm(1) 3:Norm(2)')
    // "Nobody ever repairs it: every Norm? finds status = Norm."
    play(stepper, 'timeout 1 tau\ndeliver 1→3 norm?\ndeliver 1→2 norm?')
    expect(beliefs(stepper)).toBe('1:Norm(1) 2:Norm(1) 3:Norm(2)')
    expect(underWay(stepper)).toEqual([])
  })

  test('as shipped, the same crash and recovery end with one leader', () => {
    const stepper = play(
      world(bullyFd, 3),
      `crash 1
       down 2 1
       down 2 1
       recover 1
       start 1
       deliver 1→3 halt
       deliver 3→1 ack
       deliver 2→3 halt   # 3 follows 1 and asks about it first
       up 3 1
       deliver 1→2 halt
       deliver 2→1 ack
       deliver 1→3 ldr
       deliver 1→2 ldr`,
    )
    expect(beliefs(stepper)).toBe('1:Norm(1) 2:Norm(1) 3:Norm(1)')
    expect(disagrees(stepper)).toBe(false)
  })

  test('the last survivor never leads: completion is tested on Ack only (B4)', () => {
    const stepper = play(world(bullyFdAsPrinted, 2), 'crash 1\ndown 2 1\ndown 2 1')
    expect(beliefs(stepper)).toBe('1:down 2:Elec2')
    expect(isStuck(stepper)).toBe(true)
  })

  test('a junior reported down after the last Ack blocks its election (B4)', () => {
    const stepper = play(
      world(bullyFdAsPrinted, 4),
      `crash 1
       crash 4
       down 2 1
       down 2 1
       up 2 3
       deliver 2→3 halt
       deliver 3→2 ack
       down 2 4`,
    )
    expect(beliefs(stepper)).toBe('1:down 2:Elec2 3:Wait 4:down')
    expect(isStuck(stepper)).toBe(true)
  })

  test('with Request_FD(j) about no member, a member whose head crashes waits for ever (B5)', () => {
    const steps = `crash 1
       down 2 1
       down 2 1
       up 2 3
       deliver 2→3 halt
       crash 2`
    const nobody = play(world(bullyFdAsPrinted, 3, { options: { j: 'nobody' } }), steps)
    expect(beliefs(nobody)).toBe('1:down 2:down 3:Wait')
    expect(isStuck(nobody)).toBe(true)
    expect(isStuck(play(world(bullyFdAsPrinted, 3), steps))).toBe(false)
  })

  test('a superior that crashes after its UpSig is never asked about again (B6)', () => {
    const stepper = play(
      world(bullyFdAsPrinted, 3),
      'crash 1\ndown 3 1\nup 3 2\ndown 3 1\ndown 2 1\ncrash 2',
    )
    expect(beliefs(stepper)).toBe('1:down 2:down 3:Elec1')
    expect(isStuck(stepper)).toBe(true)
  })

  test('a junior that crashes after its UpSig blocks its election (B7)', () => {
    const stepper = play(
      world(bullyFdAsPrinted, 3),
      `crash 1
       recover 1
       start 1
       up 1 2
       up 1 3
       crash 2
       deliver 1→3 halt
       deliver 3→1 ack`,
    )
    expect(beliefs(stepper)).toBe('1:Elec2 2:down 3:Wait')
    expect(isStuck(stepper)).toBe(true)
  })

  test('a member that was reported down may have recovered when the last superior crashes (B11)', () => {
    const stepper = play(
      world(bullyFdAsPrinted, 4),
      `crash 1
       recover 1
       start 1
       up 1 4
       deliver 1→4 halt
       deliver 4→1 ack
       crash 3
       down 1 3
       crash 2
       recover 3
       start 3
       down 3 2           # 3 is in Elec1 and never asks about 2 again
       recover 2
       start 2
       up 1 2
       deliver 1→2 halt
       deliver 2→1 ack    # 1 leads: 2 and 4 acknowledged, 3 was down
       deliver 1→2 ldr
       crash 1
       down 3 1
       up 3 4
       deliver 3→4 halt
       deliver 4→3 ack`,
    )
    expect(beliefs(stepper)).toBe('1:down 2:Norm(1) 3:Norm(3) 4:Wait')
    expect(disagrees(stepper)).toBe(true)
  })

  test('two mistakes of the detector split the members for ever: only status is looked at (B13)', () => {
    const stepper = play(
      world(bullyFdAsPrinted, 3),
      `down 2 1           # false
       down 2 1           # false
       up 2 3
       deliver 2→3 halt
       deliver 3→2 ack
       deliver 2→3 ldr
       timeout 1 tau
       deliver 1→2 norm?
       deliver 1→3 norm?
       timeout 2 tau
       deliver 2→3 norm?`,
    )
    expect(beliefs(stepper)).toBe('1:Norm(1) 2:Norm(2) 3:Norm(2)')
    expect(underWay(stepper)).toEqual([])
  })
})

describe('the corrected text minus one correction', () => {
  // 2 halts 3, whose Ack is slow; 1 comes back, wins and falls; 2 elects again.
  const SLOW_ACK = `
    crash 1
    down 2 1
    down 2 1
    deliver 2→3 halt
    down 3 1
    recover 1
    start 1
    deliver 1→2 halt
    deliver 1→3 halt
    deliver 2→1 ack
    deliver 3→1 ack
    deliver 1→3 ldr
    crash 1
    down 2 1
    down 2 1
    deliver 3→2 ack       # of the election before last`

  test.each(['nextel', 'ackT'] as const)(
    'without %s an Ack of an earlier election counts in a later one (B1, B3)',
    async (correction) => {
      const stepper = play(await without(correction, 3), SLOW_ACK)
      expect(beliefs(stepper)).toBe('1:down 2:Elec3 3:Norm(1)')
      play(stepper, 'down 2 1')
      expect(beliefs(stepper)).toBe('1:down 2:Norm(2) 3:Norm(1)')
      expect(disagrees(stepper)).toBe(true)
    },
  )

  test('with both, it does not', () => {
    const stepper = play(world(bullyFd, 3), SLOW_ACK)
    expect(beliefs(stepper)).toBe('1:down 2:Elec2 3:Norm(1)')
    play(stepper, 'deliver 2→3 halt\ndown 3 1\ndeliver 3→2 ack\ndown 2 1\ndeliver 2→3 ldr')
    expect(beliefs(stepper)).toBe('1:down 2:Norm(2) 3:Norm(2)')
    expect(disagrees(stepper)).toBe(false)
  })

  test('without complete the last survivor never leads (B4)', async () => {
    const steps = 'crash 1\ndown 2 1\ndown 2 1'
    const mutant = play(await without('complete', 2), steps)
    expect(beliefs(mutant)).toBe('1:down 2:Elec2')
    const stepper = play(world(bullyFd, 2), `${steps}\ndown 2 1`)
    expect(beliefs(stepper)).toBe('1:down 2:Norm(2)')
  })

  test('without complete a crashed junior that is not on the down list blocks the election (B4)', async () => {
    const steps = 'crash 1\ncrash 3\ndown 2 1\ndown 2 1\ndown 2 3'
    expect(beliefs(play(await without('complete', 3), steps))).toBe('1:down 2:Elec2 3:down')
    const stepper = play(world(bullyFd, 3), `${steps}\ndown 2 1`)
    expect(beliefs(stepper)).toBe('1:down 2:Norm(2) 3:down')
  })

  test('without re1 no member notices that a superior crashed after its UpSig (B6)', async () => {
    const steps = 'crash 1\ndown 3 1\nup 3 2\ndown 3 1\ndown 2 1\ncrash 2'
    const mutant = play(await without('re1', 3), steps)
    expect(beliefs(mutant)).toBe('1:down 2:down 3:Elec1')
    expect(isStuck(mutant)).toBe(true)
    const again = 'timeout 3 tau\ndown 3 1\ndown 3 2\ndown 3 1\ndown 3 2'
    expect(beliefs(play(world(bullyFd, 3), `${steps}\n${again}`))).toBe('1:down 2:down 3:Norm(3)')
  })

  test('without re1 a recovered superior never learns of the leader below it (B14)', async () => {
    const mutant = play(
      await without('re1', 3),
      `crash 1
       crash 2
       down 3 1
       down 3 2
       down 3 1
       down 3 1
       down 3 2
       recover 2
       start 2
       recover 1
       up 2 1
       crash 1`,
    )
    expect(beliefs(mutant)).toBe('1:down 2:Elec1 3:Norm(3)')
    expect(mutant.isArmed(2, 'tau') || mutant.isArmed(2, 'restart')).toBe(false)
  })

  test('without re2 a junior that falls after its UpSig blocks the election (B7)', async () => {
    const steps = `crash 1
       recover 1
       start 1
       up 1 2
       up 1 3
       crash 2
       deliver 1→3 halt
       deliver 3→1 ack`
    const mutant = play(await without('re2', 3), steps)
    expect(beliefs(mutant)).toBe('1:Elec2 2:down 3:Wait')
    expect(isStuck(mutant)).toBe(true)
    const again = 'timeout 1 restart\ndown 1 2\ndeliver 1→3 halt\ndeliver 3→1 ack\ndeliver 1→3 ldr'
    expect(beliefs(play(world(bullyFd, 3), `${steps}\n${again}`))).toBe(
      '1:Norm(1) 2:down 3:Norm(1)',
    )
  })

  test('without re2 a junior that falls and quickly recovers blocks the election (B7)', async () => {
    const steps = `crash 1
       recover 1
       start 1
       up 1 2
       up 1 3
       deliver 1→3 halt
       deliver 3→1 ack
       crash 2
       recover 2
       start 2
       up 2 1`
    expect(beliefs(play(await without('re2', 3), steps))).toBe('1:Elec2 2:Elec1 3:Wait')
    const again = `timeout 1 restart
       deliver 1→2 halt
       deliver 1→3 halt
       deliver 2→1 ack
       deliver 3→1 ack
       deliver 1→2 ldr
       deliver 1→3 ldr`
    const stepper = play(world(bullyFd, 3), `${steps}\n${again}`)
    expect(beliefs(stepper)).toBe('1:Norm(1) 2:Norm(1) 3:Norm(1)')
  })

  test('without fresh ids a Halt and a Ldr that were sent twice are believed twice (B12)', async () => {
    const stepper = play(
      world(await bullyFdWithout('fresh'), 3, { start: 'boot' }),
      `start 3
       start 2
       start 1
       timeout 1 restart  # Halt again, with the same id
       deliver 1→2 halt
       deliver 1→3 halt
       deliver 2→1 ack
       deliver 3→1 ack
       crash 1            # under way to 3: Halt, Ldr
       down 2 1
       down 3 1
       down 2 1
       deliver 2→3 halt
       deliver 3→2 ack
       down 2 1
       deliver 1→3 halt
       deliver 1→3 ldr`,
    )
    expect(beliefs(stepper)).toBe('1:down 2:Norm(2) 3:Norm(1)')
    expect(disagrees(stepper)).toBe(true)
  })

  test('without the incarnation ids repeat across recoveries (B2)', async () => {
    const stepper = play(
      await without('incarn', 3),
      `crash 1
       down 3 1
       down 2 1
       down 2 1
       crash 2
       recover 2
       deliver 2→3 halt
       start 2
       down 2 1
       deliver 3→2 ack    # to the life before
       down 2 1
       recover 1
       start 1
       deliver 1→3 halt   # has the same id
       down 3 1           # was true when it was asked
       deliver 2→3 halt
       deliver 2→3 ldr
       deliver 1→2 halt
       deliver 3→1 ack
       deliver 2→1 ack`,
    )
    expect(beliefs(stepper)).toBe('1:Norm(1) 2:Wait 3:Norm(2)')
    expect(disagrees(stepper)).toBe(true)
  })

  test('NotNorm answered with Ldr, and superiors not asked about again, gives two leaders (B16)', async () => {
    const stepper = play(
      await without('joinRecheck', 3),
      `crash 1
       down 3 1
       down 2 1
       down 2 1
       deliver 2→3 halt
       deliver 3→2 ack
       down 2 1
       deliver 2→3 ldr
       timeout 2 tau
       recover 1
       start 1
       deliver 1→3 halt
       down 3 1           # was true when it was asked
       deliver 2→3 norm?
       deliver 3→2 notNorm
       deliver 2→3 ldr
       deliver 1→2 halt
       deliver 3→1 ack
       deliver 2→1 ack`,
    )
    expect(beliefs(stepper)).toBe('1:Norm(1) 2:Wait 3:Norm(2)')
    expect(disagrees(stepper)).toBe(true)
  })

  // 2 asks about 1 while 1 is down; the answer reaches it after 1 has recovered.
  const B9 = `
    crash 1
    crash 3
    down 2 1
    recover 1
    start 1
    down 1 3
    recover 3
    start 3
    down 2 1              # true after it was asked, no longer now
    deliver 2→3 halt
    deliver 3→2 ack`
  const B10 = `
    crash 1
    down 2 1
    recover 1
    start 1
    deliver 1→3 halt
    deliver 3→1 ack
    crash 3
    recover 3
    start 3
    down 2 1              # true after it was asked, no longer now
    deliver 2→3 halt
    deliver 3→2 ack`

  test.each([
    ['B9: the down list of Stage 2 is a snapshot', B9],
    ['B10: a junior fell after its Ack', B10],
  ])('without recheck two candidates capture the same junior (%s)', async (_, steps) => {
    const stepper = play(
      await without('recheck', 3),
      `${steps}
       deliver 2→3 ldr
       deliver 1→2 halt
       deliver 2→1 ack`,
    )
    expect(beliefs(stepper)).toBe('1:Norm(1) 2:Wait 3:Norm(2)')
    expect(disagrees(stepper)).toBe(true)
  })

  test.each([
    ['B9', B9],
    ['B10', B10],
  ])('with it, Stage 3 finds the superior that came back and yields (%s)', (_, steps) => {
    const stepper = play(world(bullyFd, 3), `${steps}\nup 2 1`)
    expect(beliefs(stepper)).toBe('1:Elec2 2:Elec1 3:Wait')
    expect(disagrees(stepper)).toBe(false)
  })

  test.each(['prec', 'pend'] as const)(
    'without %s a perfect detector keeps all promises, but the leader is not confirmed (B8)',
    async (correction) => {
      const steps = 'crash 1\ndown 2 1\ndown 2 1\ndeliver 2→3 halt'
      // With both, 3 keeps the Halt and answers it as soon as it knows that 1 is down.
      const stepper = play(world(bullyFd, 3), `${steps}\ndown 3 1`)
      expect(beliefs(stepper)).toBe('1:down 2:Elec2 3:Wait')
      const mutant = play(await without(correction, 3), steps)
      if (correction === 'pend') play(mutant, 'down 3 1') // dropped: elects, and is halted again
      expect(beliefs(mutant)).toBe(
        correction === 'prec' ? '1:down 2:Elec2 3:Wait' : '1:down 2:Elec2 3:Elec1',
      )
    },
  )

  // A partition: 2 and 3 are told, wrongly, that 1 is down.
  const PARTITION = `
    cut 1→2,3
    cut 2,3→1
    down 2 1
    down 2 1
    deliver 2→3 halt
    down 3 1
    deliver 3→2 ack
    down 2 1
    deliver 2→3 ldr
    heal`
  const REPAIR = `
    timeout 1 tau
    deliver 1→2 norm?
    deliver 1→3 norm?`

  test('without normAny two leaders stay after a partition has healed (B13)', async () => {
    const mutant = play(await without('normAny', 3), PARTITION + REPAIR)
    expect(beliefs(mutant)).toBe('1:Norm(1) 2:Norm(2) 3:Norm(2)')
    expect(underWay(mutant)).toEqual([])
  })

  test('with it, the next Norm? brings them together', () => {
    const stepper = play(
      world(bullyFd, 3),
      `${PARTITION}${REPAIR}
       deliver 2→1 notNorm
       deliver 1→2 halt
       deliver 1→3 halt
       deliver 2→1 ack
       deliver 3→1 ack
       deliver 1→2 ldr
       deliver 1→3 ldr`,
    )
    expect(beliefs(stepper)).toBe('1:Norm(1) 2:Norm(1) 3:Norm(1)')
  })

  test('a down list that outlives the recovery gives two leaders: hence the silence of Tm (B15)', () => {
    const stepper = play(
      world(bullyFd, 2),
      `crash 1
       recover 1
       start 1            # at once, while its recovery note is still under way to 2
       deliver 1→2 halt
       deliver 2→1 ack
       down 2 1           # cached
       down 2 1           # cached
       down 2 1           # cached`,
    )
    expect(beliefs(stepper)).toBe('1:Norm(1) 2:Norm(2)')
    expect(disagrees(stepper)).toBe(true)
  })
})
