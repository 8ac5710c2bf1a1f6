/** The goals of challenges: each judges a run by the monitors' verdicts and the diagram's lanes, and says how far the run is from it. */
import { say } from '../language/translate.ts'
import type { LaneState } from '../../../src/diagram/model.ts'
import { showSpan } from '../../../src/diagram/layout/time-scale.ts'
import { RunFrames } from '../simulation/frames.ts'

import type { Run } from '../simulation/worker-protocol.ts'

export interface Judgement {
  readonly reached: boolean
  /** What the run shows instead, or what makes it reach the goal. */
  readonly seen: string
}

export type Goal = (run: Run) => Judgement

/** A monitor reports that the promise is broken: `on the way`, or after nothing is left to wait for. */
export function breaks(property: string, when: 'on the way' | 'in the end'): Goal {
  return ({ steps }) => {
    const sentences = steps.flatMap(({ violations }) => violations)
    const found = sentences.find((sentence) => {
      const isAtEnd = sentence.includes('after quiet')
      return sentence.startsWith(`${property}:`) && isAtEnd === (when === 'in the end')
    })
    return { reached: found !== undefined, seen: found ?? say('The run breaks no such promise.') }
  }
}

interface Turn {
  readonly at: number
  readonly label: number
  readonly state: LaneState
}

/** The changes of all lanes in order, each with the members that lead and those that are up after it. */
function* moments({ diagram }: Run): Generator<{ at: number; leading: number[]; up: number }> {
  const turns: Turn[] = diagram.lanes.flatMap(({ label, intervals }) =>
    intervals.map(({ from, state }) => ({ at: from, label, state })),
  )
  turns.sort((a, b) => a.at - b.at)
  const states = new Map<number, LaneState>()
  for (const [i, { at, label, state }] of turns.entries()) {
    states.set(label, state)
    if (turns[i + 1]?.at === at) continue
    const leading = [...states].flatMap(([member, now]) => (now === 'leading' ? [member] : []))
    yield { at, leading, up: [...states.values()].filter((now) => now !== 'down').length }
  }
}

/** So many members lead at the same moment. */
export function leadersAtOnce(count: number): Goal {
  return (run) => {
    let most: number[] = []
    for (const { leading } of moments(run)) if (leading.length > most.length) most = leading
    const seen =
      most.length === 0
        ? say('No member ever leads.')
        : most.length === 1
          ? say('There is never more than one leader.')
          : say('Members {list} lead at the same moment.', { list: most.join(', ') })
    return { reached: most.length >= count, seen }
  }
}

/** No member leads for so long, while at least `up` members are up. */
export function withoutLeader(forMs: number, up: number): Goal {
  return (run) => {
    let longest = 0
    let since = 0
    let isLeaderless = false
    const close = (at: number): void => {
      if (isLeaderless) longest = Math.max(longest, at - since)
    }
    for (const moment of moments(run)) {
      const next = moment.leading.length === 0 && moment.up >= up
      if (next === isLeaderless) continue
      close(moment.at)
      isLeaderless = next
      since = moment.at
    }
    close(run.diagram.endUs)
    const seen = say('The longest time without a leader, with {up} members up, is {time}.', {
      up,
      time: showSpan(longest),
    })
    return { reached: longest >= 1000 * forMs, seen }
  }
}

/** All members that are up follow this one when the run ends; 0: they do not agree, though the run has become quiet. */
export function leadsInTheEnd(label: number): Goal {
  return ({ summary, undecided }) => {
    if (undecided !== '')
      return { reached: false, seen: say('The end is undecided: {why}.', { why: say(undecided) }) }
    const leader = summary?.leader ?? 0
    const seen =
      leader === 0
        ? say('In the end the members do not agree.')
        : say('In the end all follow {leader}.', { leader })
    return { reached: leader === label, seen }
  }
}

/** The run needs at least so many election messages. */
export function messages(atLeast: number): Goal {
  return (run) => {
    const sent = new RunFrames(run).at(Infinity).sent.election
    return {
      reached: sent >= atLeast,
      seen: say('The run needs {count} election messages.', { count: sent }),
    }
  }
}

/** A member reaches at least this term. */
export function term(atLeast: number): Goal {
  return (run) => {
    const terms = run.diagram.lanes.flatMap(({ intervals }) =>
      intervals.map((interval) => Number.parseInt(interval.term ?? '0', 10) || 0),
    )
    const highest = Math.max(0, ...terms)
    return {
      reached: highest >= atLeast,
      seen: say('The highest term is {term}.', { term: highest }),
    }
  }
}

/** At least so many different members have led. */
export function differentLeaders(count: number): Goal {
  return (run) => {
    const led = new Set<number>()
    for (const { leading } of moments(run)) for (const label of leading) led.add(label)
    const names = [...led].sort((a, b) => a - b).join(', ')
    return {
      reached: led.size >= count,
      seen: led.size === 0 ? say('No member leads.') : say('Leaders: {list}.', { list: names }),
    }
  }
}
