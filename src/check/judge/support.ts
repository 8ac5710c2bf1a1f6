/** Reads from a local state whose lease a member supports and for how long, and whether it may vote. */
import type { Algorithm, Safeguards } from '../../core/algorithm.ts'
import { NONE, type NodeId } from '../../core/node-id.ts'
import { Mode, ticksOf, type LocalState, type LocalStates } from '../state/local-states.ts'

/** Supports whichever member holds a lease: it votes for none. */
export const ANY_HOLDER = 0
const NO_HOLDER = -1

export interface Support {
  /** The member whose lease it supports, for so many ticks. */
  readonly holder: NodeId
  readonly ticks: number
  /** Whether its vote counts, or will when it is up. */
  readonly mayVote: boolean
}

export class Supports {
  private readonly safeguards: Safeguards | null
  private readonly localStates: LocalStates
  private readonly known: Support[] = []

  constructor({ promises }: Algorithm, localStates: LocalStates) {
    this.safeguards = promises.safeguards ?? null
    this.localStates = localStates
  }

  of(number: number): Support {
    return (this.known[number] ??= this.read(this.localStates.get(number)))
  }

  private read(local: Pick<LocalState, 'record' | 'mode' | 'timers' | 'ticks'>): Support {
    const { safeguards } = this
    if (safeguards === null) return { holder: NO_HOLDER, ticks: 0, mayVote: false }
    const { record, mode } = local
    const mayVote = record[safeguards.admitted] === true
    // A member that is down binds itself when it starts.
    if (mode < Mode.UP) return { holder: ANY_HOLDER, ticks: Infinity, mayVote }
    if (!mayVote) return { holder: ANY_HOLDER, ticks: this.left(local, safeguards.wait), mayVote }
    if (record[safeguards.bonded] !== true) return { holder: NO_HOLDER, ticks: 0, mayVote }
    const bondedTo = record[safeguards.bondedTo] as NodeId
    const holder = bondedTo === NONE ? ANY_HOLDER : bondedTo
    return { holder, ticks: this.left(local, safeguards.bond), mayVote }
  }

  private left({ timers, ticks }: Pick<LocalState, 'timers' | 'ticks'>, name: string): number {
    const timer = this.localStates.timerNames.indexOf(name)
    return ((timers >>> timer) & 1) === 1 ? ticksOf(ticks, timer) : 0
  }
}
