/**
 * Interleavings that are played step by step, each of which shows what one line is good for where no budget of the
 * checker is small enough. Without the line, a promise or what keeps it breaks.
 */
import type { Algorithm } from '../../src/core/algorithm.ts'
import { majority } from '../../src/core/quorum.ts'
import { SteppedGroup } from './stepped-group.ts'

/** Plays the race, and says what is broken; null: nothing. Throws StepError where the algorithm does not come so far. */
type Race = (algorithm: Algorithm) => string | null

const founded = { options: { leasePeriods: 0, founding: 'all' } } as const

/** Too many of the voters may still vote below a term that was led in. */
function lostVotes(group: SteppedGroup, voters: readonly number[], led: number): string | null {
  return below(group, voters, led) > voters.length - majority(voters.length) ? 'kept votes' : null
}

function below(group: SteppedGroup, voters: readonly number[], led: number): number {
  const mayVote = (node: number): boolean => {
    const { admitted, vote } = group.stepper.stateOf(node)
    return admitted === true && (vote as number) < led
  }
  return voters.filter(mayVote).length
}

/**
 * Two leaders, each with a change of its own: 4 promotes 5 and reaches nobody but 5; 3, elected without them, removes 4
 * and reaches 2. Then 4 asks 1 for its vote.
 */
export function changeSideBySide(algorithm: Algorithm): SteppedGroup {
  const group = new SteppedGroup({ members: 5, voters: [1, 2, 3, 4], observers: [5] }, algorithm)
  const { stepper } = group
  group.change(4, 0, 'outside')
  group.round(4, 1, 2, 3, 5)
  group.change(4, 5, 'voter')
  group.deliver(4, 5)
  group.lose(4, 1, 2, 3)
  stepper.take({ verb: 'cut', from: [4, 5], to: [1, 2, 3] })
  stepper.take({ verb: 'cut', from: [1, 2, 3], to: [4, 5] })
  for (const node of [1, 2, 3, 3]) stepper.take({ verb: 'down', node, peer: 4 })
  group.round(3, 1, 2)
  group.deliver(3, 1, 2)
  group.beat(3)
  group.round(3, 1, 2)
  group.change(3, 4, 'outside')
  if (group.configuration(3)[1] === 0) {
    group.round(3, 1, 2) // what it had, written again under its own term
    group.change(3, 4, 'outside')
  }
  group.round(3, 2)
  stepper.take({ verb: 'heal' })
  group.beat(4)
  group.deliver(4, 1) // a round of an old term is refused, and 4 stands
  group.deliver(1, 4)
  group.deliver(4, 5, 1)
  group.deliver(5, 4)
  stepper.take({ verb: 'down', node: 1, peer: 3 }) // a mistake of its detector: it no longer follows 3
  group.deliver(1, 4)
  return group
}

/** A member that asks all others anew, because it has outwaited every lease, gets answers of some. */
function asksAnew(group: SteppedGroup, node: number, ...peers: number[]): void {
  group.timeout(node, 'wait')
  group.round(node, ...peers)
}

export type Races = Readonly<Record<string, Race>>

const BULLY_FD_QUORUM: Races = {
  'two leaders change the configuration side by side': (algorithm) => {
    const group = changeSideBySide(algorithm)
    return group.leads(3) && group.leads(4) ? 'one backed leader' : null
  },

  /** 3 asked 1 for its vote; 4 was elected without 1, and resigns in favour of 3. Now the vote of 1 arrives. */
  'an old vote reaches a successor': (algorithm) => {
    const group = new SteppedGroup({ members: 4 }, algorithm)
    group.crash(4)
    for (const node of [3, 3, 1]) group.down(node, 4)
    group.deliver(3, 1)
    group.lose(3, 2)
    group.timeout(3, 'restart')
    group.restart(4)
    group.round(4, 2, 3)
    group.deliver(4, 2, 3)
    group.resign(4, 3)
    group.deliver(4, 3)
    group.deliver(1, 3)
    return group.leads(3) ? lostVotes(group, [1, 2, 3, 4], group.termOf(3)) : null
  },

  /** 4 has counted the vote of 2; 1 inherits a smaller term from 5, and tells everybody. Then 3 votes for 4. */
  'a smaller term is announced to a voter': (algorithm) => {
    const group = new SteppedGroup({ members: 5 }, algorithm)
    for (const node of [2, 4, 4]) group.down(node, 5)
    group.round(4, 2)
    group.resign(5, 1)
    group.deliver(5, 1, 3)
    group.deliver(3, 1)
    group.deliver(1, 2)
    group.round(4, 3)
    return group.leads(4) ? lostVotes(group, [1, 2, 3, 4, 5], group.termOf(4)) : null
  },

  /** 3 founds the group, which 1 does not hear of, and 2 votes for it and loses its state. 1 asks anew, and hears from 2 only. */
  'a founding counts an answer of long ago': (algorithm) => {
    const group = new SteppedGroup({ members: 3, start: 'boot', ...founded }, algorithm)
    for (const node of [1, 2, 3]) group.start(node)
    group.deliver(1, 3)
    group.deliver(3, 1)
    group.lose(2, 1)
    group.round(3, 2)
    group.deliver(1, 3)
    group.deliver(2, 3)
    group.deliver(3, 2)
    group.deliver(2, 3)
    group.forget(2)
    group.lose(3, 1)
    group.lose(2, 1)
    group.start(2)
    asksAnew(group, 1, 2)
    group.deliver(1, 2)
    return lostVotes(group, [1, 2, 3], group.termOf(3))
  },

  /** 3 leads with the votes of 1 and 2, of which 1 has not heard that it won. 2 loses its state, and is told the votes of 1 and 4. */
  'a vote that may lapse is told': (algorithm) => {
    const group = new SteppedGroup({ members: 4, ...founded }, algorithm)
    group.crash(4)
    for (const node of [3, 3, 2, 1]) group.down(node, 4)
    group.round(3, 1, 2)
    group.lose(3, 1, 2)
    group.restart(4)
    group.lose(4, 1, 2, 3)
    group.forget(2)
    group.start(2)
    asksAnew(group, 2, 1, 4)
    return lostVotes(group, [1, 2, 3, 4], group.termOf(3))
  },

  /** 1 is removed while it is down, 4 is added and 2 removed: 3 and 4 decide. 3 loses its state, and asks 1 and 2. */
  'a first voter asks for its votes in a group that has changed': (algorithm) => {
    const group = new SteppedGroup(
      { members: 4, voters: [1, 2, 3], observers: [4], ...founded },
      algorithm,
    )
    group.crash(1)
    group.commit(3, [0, 'outside'], 2, 4)
    group.commit(3, [1, 'outside'], 2, 4)
    group.commit(3, [4, 'voter'], 2, 4)
    group.commit(3, [2, 'outside'], 4)
    group.deliver(3, 2)
    group.resign(3, 4)
    group.round(3, 4)
    const isChanged = group.configuration(4)[2].join(',') === '3,4'
    const led = isChanged && group.leads(4) ? group.termOf(4) : 0
    group.forget(3)
    group.restart(1)
    group.start(3)
    asksAnew(group, 3, 1, 2)
    const first = [1, 2, 3].filter((node) => group.configuration(node)[0] === 0)
    return below(group, first, led) >= 2 ? 'kept votes' : null
  },

  /** 1 has heard nothing of 4 and 5, which vote with 2 and 3 by now. 3 resigns in its favour. */
  'a successor has the first configuration': (algorithm) => {
    const group = new SteppedGroup({ members: 5, voters: [1, 2, 3], observers: [4, 5] }, algorithm)
    group.commit(3, [0, 'outside'], 2, 4, 5)
    group.commit(3, [4, 'voter'], 2, 4, 5)
    group.commit(3, [5, 'voter'], 2, 4, 5)
    group.lose(3, 1)
    group.resign(3, 1)
    group.deliver(3, 1)
    const voters = group.configuration(3)[2]
    return voters.length === 5 && group.leads(1) ? 'one backed leader' : null
  },
}

const ROULETTE_MAJORITY: Races = {
  /** 3 votes for 1, loses its state, and is told the term by 1. 2, which the proposal of 1 has not reached, stands in it as well. */
  'a member votes in a term that it was told of': (algorithm) => {
    const options = { ...algorithm.untimed, founding: 'all' }
    const group = new SteppedGroup({ members: 3, options }, algorithm)
    const { stepper } = group
    const launch = (node: number): void => {
      group.timeout(node, 'draw')
      stepper.take({ verb: 'drawn', node, name: 'number', k: 1 })
    }
    group.crash(3)
    for (const node of [1, 2]) group.down(node, 3)
    group.restart(3)
    launch(1)
    group.deliver(1, 3)
    group.forget(3)
    group.start(3)
    group.deliver(3, 1)
    asksAnew(group, 3, 1, 2)
    launch(2)
    group.round(2, 3)
    const [one, two] = [1, 2].map((node) => stepper.stateOf(node))
    const both = one.status === 'coordinator' && two.status === 'coordinator'
    return both && one.term === two.term ? 'kept votes' : null
  },
}

export const RACES: Readonly<Record<'bully-fd-quorum' | 'roulette-majority', Races>> = {
  'bully-fd-quorum': BULLY_FD_QUORUM,
  'roulette-majority': ROULETTE_MAJORITY,
}
