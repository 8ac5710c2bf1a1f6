/**
 * Shrinks a run that breaks a promise: fewer faults, members and seconds, a simpler network, while the same promise is
 * broken. Greedy and bounded; the same run gives the same result everywhere.
 */
import type { NodeId } from '../../core/node-id.ts'
import type { Violation } from '../record/monitors.ts'
import {
  DEFAULT_DETECTION,
  DEFAULT_NETWORK,
  SimConfigError,
  type NetworkConfig,
} from '../config.ts'
import type { Fault } from '../faults/fault-catalogue.ts'
import { relabel } from '../faults/fault-operands.ts'
import type { Draft } from './draft.ts'
import { judge } from './hunt.ts'

export interface Shrunk {
  readonly draft: Draft
  readonly violation: Violation
  /** How many runs it took. */
  readonly tries: number
}

const MOST_TRIES = 4000
/** A run without one fault has other random numbers: these seeds are tried beside its own. */
const OTHER_SEEDS = [1, 2, 3, 4, 5, 6, 7, 8]
/** Judged at the end, which therefore has to come. */
const IN_THE_END = new Set<Violation['property']>(['agreement', 'highest leads'])

export function shrink(draft: Draft, violation: Violation): Shrunk {
  return new Shrinker(draft, violation).run()
}

class Shrinker {
  private draft: Draft
  private violation: Violation
  private tries = 0

  constructor(draft: Draft, violation: Violation) {
    this.draft = draft
    this.violation = violation
  }

  run(): Shrunk {
    let before: Draft
    do {
      before = this.draft
      this.endEarly()
      this.withoutFaults()
      this.withFewerMembers()
      this.withSimplerSettings()
      this.withRounderTimes()
    } while (this.draft !== before && this.tries < MOST_TRIES)
    this.endEarly()
    return { draft: this.draft, violation: this.violation, tries: this.tries }
  }

  /** A broken promise about every moment needs nothing that comes after it. */
  private endEarly(): void {
    const { at, property } = this.violation
    if (IN_THE_END.has(property)) return
    const untilUs = Math.ceil((at + 1) / 1000) * 1000
    if (untilUs === this.draft.untilUs) return
    this.attempt({ untilUs, faults: this.draft.faults.filter((fault) => fault.at <= at) })
  }

  /** First halves, then quarters, then one at a time, from the end. */
  private withoutFaults(): void {
    let size = Math.max(1, this.draft.faults.length >>> 1)
    for (;;) {
      for (let end = this.draft.faults.length; end > 0; end -= size) {
        const { faults } = this.draft
        const left = faults.filter((_, i) => i < end - size || i >= end)
        this.attempt({ faults: left })
      }
      if (size === 1) return
      size >>>= 1
    }
  }

  private withFewerMembers(): void {
    for (let node = this.draft.members; node >= 1 && this.draft.members > 1; node--) {
      const faults = this.draft.faults.flatMap((fault) => withoutMember(fault, node))
      const voters = this.draft.voters?.filter((id) => id !== node)
      if (voters?.length === 0) continue
      const lower = voters?.map((id) => (id > node ? id - 1 : id))
      const first = lower === undefined ? {} : { voters: lower }
      this.attempt({ members: this.draft.members - 1, faults, ...first })
    }
  }

  private withSimplerSettings(): void {
    const { network, options } = this.draft
    const simpler = (part: Partial<NetworkConfig>): void => {
      const same = Object.entries(part).every(
        ([key, value]) =>
          JSON.stringify(network[key as keyof NetworkConfig]) === JSON.stringify(value),
      )
      if (!same) this.attempt({ network: { ...this.draft.network, ...part } })
    }
    simpler({ reorder: 0 })
    simpler({ duplicate: 0 })
    simpler({ loss: 0 })
    simpler({ latency: { kind: 'constant', us: 1000 } })
    simpler({ latency: DEFAULT_NETWORK.latency })
    if (this.draft.detector !== 'perfect') this.attempt({ detector: 'perfect' })
    if (this.draft.detection?.minUs !== DEFAULT_DETECTION.minUs) {
      this.attempt({ detection: DEFAULT_DETECTION })
    }
    if (this.draft.timing !== undefined) this.attempt({ timing: {} })
    if (this.draft.stayDown) this.attempt({ stayDown: false })
    for (const name of Object.keys(options)) {
      const { [name]: _, ...others } = this.draft.options
      this.attempt({ options: others })
    }
  }

  private withRounderTimes(): void {
    for (const unit of [100_000, 10_000, 1000]) {
      const faults = this.draft.faults.map((fault) => ({
        ...fault,
        at: Math.round(fault.at / unit) * unit,
      }))
      if (faults.every(({ at }, i) => at === this.draft.faults[i].at)) return
      if (this.attempt({ faults })) return
    }
  }

  /** Keeps the change if the same promise is still broken, with this seed or with another. */
  private attempt(change: Partial<Draft>): boolean {
    const seeds = [this.draft.seed, ...OTHER_SEEDS.filter((seed) => seed < this.draft.seed)]
    for (const seed of seeds) {
      if (this.tries >= MOST_TRIES) return false
      this.tries += 1
      const draft = { ...this.draft, ...change, seed }
      const violation = judgeOrNull(draft)
      if (violation?.property !== this.violation.property) continue
      this.draft = draft
      this.violation = violation
      return true
    }
    return false
  }
}

/** A change may lead to a configuration that cannot work: such a change is no use. */
function judgeOrNull(draft: Draft): Violation | null {
  try {
    return judge(draft)
  } catch (error) {
    if (error instanceof SimConfigError) return null
    throw error
  }
}

const MEMBER_FIELDS = ['node', 'peer', 'successor', 'seat', 'from', 'to']

/** The fault in a group without this member, whose superiors move down by one; none if it is about the member. */
function withoutMember(fault: Fault, gone: NodeId): Fault[] {
  const kept = { ...fault } as Record<string, unknown>
  if (MEMBER_FIELDS.some((field) => kept[field] === gone)) return []
  for (const [key, value] of Object.entries(kept)) {
    if (!Array.isArray(value)) continue
    const others = value.filter((id) => id !== gone)
    if (others.length === 0) return []
    kept[key] = others
  }
  return [relabel(kept as unknown as Fault, (id) => (id > gone ? id - 1 : id))]
}
