/** A challenge: a run, the faults that the viewer may add to it, and a goal that the run must reach. Judges runs by it. */
import { say } from '../language/translate.ts'
import { isFaultKind } from '../../../src/sim/faults/fault-catalogue.ts'
import { valueOf } from '../run/edit-settings.ts'
import type { Run, Settings } from '../simulation/worker-protocol.ts'
import type { Goal, Judgement } from './goals.ts'

export const LEVELS = ['Easy', 'Medium', 'Hard'] as const
export type Level = (typeof LEVELS)[number]

export interface Challenge {
  readonly id: string
  readonly level: Level
  readonly title: string
  /** What the viewer is to bring about. */
  readonly task: string
  /** The run without faults. */
  readonly start: Settings
  /** How many faults of each kind the viewer may add. */
  readonly allowed: Readonly<Record<string, number>>
  readonly goal: Goal
  /** From vague to precise. */
  readonly hints: readonly string[]
  /** The faults of one solution. */
  readonly solution: Settings
}

export interface Attempt extends Judgement {
  /** Why the run does not count: it has faults that are not allowed, or other settings. '': it counts. */
  readonly refused: string
}

/** Settings that do not change what a run is asked to show. */
const FREE = new Set(['until', 'v'])

export function faultsUsed(settings: Settings): Readonly<Record<string, number>> {
  const used: Record<string, number> = {}
  for (const [key] of settings) if (isFaultKind(key)) used[key] = (used[key] ?? 0) + 1
  return used
}

export function judge(challenge: Challenge, settings: Settings, run: Run): Attempt {
  const refused = whyRefused(challenge, settings)
  const { reached, seen } = challenge.goal(run)
  return { reached: reached && refused === '', seen, refused }
}

function whyRefused({ start, allowed }: Challenge, settings: Settings): string {
  for (const [kind, count] of Object.entries(faultsUsed(settings))) {
    const most = allowed[kind] ?? 0
    if (count > most) {
      return most === 0
        ? say('This challenge allows no {fault}.', { fault: say(kind) })
        : say('This challenge allows {most} × {fault}; the run has {count}.', {
            most,
            fault: say(kind),
            count,
          })
    }
  }
  const keys = new Set([...start, ...settings].map(([key]) => key))
  for (const key of keys) {
    if (isFaultKind(key) || FREE.has(key) || valueOf(settings, key) === valueOf(start, key))
      continue
    return say('This challenge has {key} {value}; the run has another.', {
      key,
      value: valueOf(start, key) ?? say('as usual'),
    })
  }
  return ''
}
