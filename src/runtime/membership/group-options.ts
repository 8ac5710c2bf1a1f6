/** Writes what all members of a group share as options of `join`, for a process that knows only a seed. */
import type { Json } from '../../core/schema.ts'
import type { ResolvedOptions } from '../options/resolve-options.ts'

/** Options of `join` as JSON. */
export interface GroupOptions {
  readonly [option: string]: Json
  readonly members: {
    readonly [name: string]: {
      readonly address: string
      readonly priority: number
      readonly lead?: false
    }
  }
  /** The name of the engine that arbitrates; null: none does. */
  readonly engine: string | null
  readonly timing: { readonly [name: string]: number }
}

export function groupOptionsOf(options: ResolvedOptions): GroupOptions {
  const { names, addresses, priorities, roles, group, leaseMs, fenced } = options
  const { periodMs, detectionMs, messageMs } = group.timing
  const members = names.slice(1).map((name, i) => {
    const member = { address: addresses.get(name)!, priority: priorities[i + 1] }
    return [name, roles.get(i + 1) === 'witness' ? { ...member, lead: false } : member] as const
  })
  return {
    members: Object.fromEntries(members) as GroupOptions['members'],
    engine: fenced?.engine.name ?? null,
    safety: options.safety,
    algorithm: options.algorithm.name,
    detector: options.detector.name,
    preemption: preemptionOf(options),
    trustRefusals: options.trustRefusals,
    timing: { period: periodMs, detection: detectionMs, lease: leaseMs, message: messageMs },
  }
}

function preemptionOf({ takeover, algorithmOptions }: ResolvedOptions): Json {
  if (takeover === null) return algorithmOptions['preempt'] === 'sticky' ? 'sticky' : 'always'
  const { afterMs: after, stableForMs: stableFor, maxPerHour } = takeover
  return { after, stableFor, maxPerHour }
}
