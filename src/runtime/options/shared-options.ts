/** Writes the options that all members share as short texts, by which two members say in which of them they differ. */
import { createHash } from 'node:crypto'
import type { Timing } from '../../core/group.ts'
import { optionsThatDiffer } from '../../transports/handshake.ts'

interface Shared {
  readonly names: readonly string[]
  readonly priorities: readonly number[]
  readonly roles: readonly string[]
  readonly algorithm: string
  readonly detector: string
  readonly timing: Timing
  readonly leaseMs: number
  /** The shared options that resolution leaves as they are, and those that are resolved to few words. */
  readonly others: object
}

/** All of them must fit into the first frame of a handshake. */
const LONGEST = 120

export function textsOf({ others, timing, leaseMs, ...shared }: Shared): Record<string, string> {
  const values = {
    members: membersText(shared),
    algorithm: shared.algorithm,
    detector: shared.detector,
    'timing.period': `${timing.periodMs} ms`,
    'timing.detection': `${timing.detectionMs} ms`,
    'timing.lease': `${leaseMs} ms`,
    'timing.message': `${timing.messageMs} ms`,
    ...others,
  }
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => {
      const text = typeof value === 'string' ? value : JSON.stringify(value)
      return [name, text.length <= LONGEST ? text : `${text.length} characters, ${digest(text)}`]
    }),
  )
}

/** Each option that differs, with both values. */
export function changesBetween(
  before: Readonly<Record<string, string>>,
  now: Readonly<Record<string, string>>,
): string[] {
  return optionsThatDiffer(before, now).map(([name, old, value]) => `${name}: ${old} → ${value}`)
}

/** Weakest first: `w@witness, a, b, c@5`. */
function membersText({ names, priorities, roles }: Pick<Shared, 'names' | 'priorities' | 'roles'>) {
  const shown = names.slice(1).map((name, i) => {
    const priority = priorities[i + 1]
    if (roles[i + 1] === 'witness') return `${name}@witness`
    return priority === 0 ? name : `${name}@${priority}`
  })
  return shown.join(', ')
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 8)
}
