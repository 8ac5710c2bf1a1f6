/** An incident of a live cluster as settings of the simulator: the same size, the same faults, at the same distances. */
import { showDuration } from '../core/time.ts'
import type { Settings } from '../core/settings.ts'
import type { Period, TimelineMark } from './timeline.ts'

/** The simulated members boot first and agree; then the first fault comes. */
const LEAD_IN_MS = 2000
/** What was done so long before a band may have caused it; what came so long after may be its end. */
const BEFORE_MS = 20_000
const AFTER_MS = 20_000

/** Why a member leads no longer, where it says so to the others. */
const ORDERLY = new Set(['stepped-down', 'closed'])

export interface Incident {
  readonly settings: Settings
  /** Where in the simulated run the band begins. */
  readonly atMs: number
}

/**
 * `names`: weakest first; they become 1 to n. Members that were down, paused or cut off before the first
 * fault that is told are so from the lead-in on. `resigns`: the simulated leader can be told to step down.
 */
export function incidentSettings(
  band: Period,
  marks: readonly TimelineMark[],
  names: readonly string[],
  settings: Settings,
  resigns: boolean,
): Incident {
  const until = (band.to ?? Infinity) + AFTER_MS
  const world = new World(names)
  const harm = marks.flatMap((mark, i) => {
    const stepsDown = resigns && mark.kind === 'lost' && ORDERLY.has(mark.detail)
    const faults = stepsDown ? [world.resignation(mark, marks.slice(i))] : world.faultOf(mark)
    return faults.map((fault) => ({ at: mark.at, fault }))
  })
  const near = harm.filter(({ at }) => at >= band.from - BEFORE_MS && at <= until)
  const start = Math.min(band.from, ...near.map(({ at }) => at))
  const before = new World(names).outstanding(marks.filter(({ at }) => at < start))
  // What was broken already is broken first, and the rest of the group settles.
  const leadInMs = before.length > 0 ? 2 * LEAD_IN_MS : LEAD_IN_MS
  const at = ([key, what]: Fault, ms: number): [string, string] => [key, `${what}@${shown(ms)}`]
  return {
    settings: [
      ...settings.filter(([key]) => key !== 'nodes'),
      ['nodes', String(names.length)],
      ...before.map((fault) => at(fault, LEAD_IN_MS)),
      ...near.map((one) => at(one.fault, leadInMs + one.at - start)),
    ],
    atMs: Math.round(leadInMs + band.from - start),
  }
}

type Fault = readonly [key: string, what: string]

/** The simulator refuses to crash the dead and to resume the running: follows who is what. */
class World {
  private readonly names: readonly string[]
  private readonly down = new Set<string>()
  private readonly paused = new Set<string>()
  private cuts = new Set<string>()

  constructor(names: readonly string[]) {
    this.names = names
  }

  /** What is broken after all this. */
  outstanding(marks: readonly TimelineMark[]): Fault[] {
    for (const mark of marks) this.faultOf(mark)
    return [
      ...[...this.down].map((name): Fault => ['crash', this.label(name)]),
      ...[...this.paused].map((name): Fault => ['pause', this.label(name)]),
      ...[...this.cuts].map((pair): Fault => ['cut', this.pair(pair)]),
    ]
  }

  /** In favour of whoever then led. */
  resignation({ node }: TimelineMark, later: readonly TimelineMark[]): Fault {
    const next = later.find(({ kind }) => kind === 'elected')?.node ?? node
    return ['resign', next === node ? this.label(node) : `${this.label(node)}>${this.label(next)}`]
  }

  faultOf({ kind, node, detail }: TimelineMark): Fault[] {
    const label = this.label(node)
    switch (kind) {
      case 'killed':
        if (this.down.has(node)) return []
        this.down.add(node)
        this.paused.delete(node)
        return [['crash', label]]
      case 'started':
        return this.down.delete(node) ? [['recover', label]] : []
      case 'paused':
        if (this.paused.has(node) || this.down.has(node)) return []
        this.paused.add(node)
        return [['pause', label]]
      case 'resumed':
        return this.paused.delete(node) ? [['resume', label]] : []
      case 'cut': {
        const pairs = detail.split(', ')
        for (const pair of pairs) this.cuts.add(pair)
        return pairs.map((pair): Fault => ['cut', this.pair(pair)])
      }
      case 'healed':
        // The simulator heals everything at once, as `up` does.
        this.cuts = new Set()
        return [['heal', '']]
      case 'elected':
      case 'lost':
        return []
    }
  }

  private label(name: string): string {
    return String(this.names.indexOf(name) + 1)
  }

  private pair(pair: string): string {
    const [a, b] = pair.split('|')
    return `${this.label(a)}|${this.label(b)}`
  }
}

function shown(ms: number): string {
  return showDuration(Math.round(ms) * 1000)
}
