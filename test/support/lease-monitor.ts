/**
 * Follows the leases of `bully-fd-quorum` in a timed run: a leader's ends `leaseMs` after it sent the last
 * round that a majority answered; before there is one, after it sent Halt, or as a successor after the answer
 * that its predecessor had seen. No two members may hold one at the same moment.
 */
import type { AnyState } from '../../src/core/algorithm.ts'
import { NONE, type NodeId } from '../../src/core/node-id.ts'
import type { Recorder, Sending, Step } from '../../src/sim/record/step.ts'

interface Lease {
  readonly term: number
  readonly endUs: number
}

export class LeaseMonitor implements Recorder {
  readonly overlaps: string[] = []
  /** Leaderships in the order in which they began, without those whose lease was over by then. */
  readonly reigns: { node: NodeId; term: number; at: number; inherited: boolean }[] = []
  private readonly leaseUs: number
  /** When a term was last asked for: a candidate may ask again. */
  private readonly askedAt = new Map<number, number>()
  /** When each answer was given. */
  private readonly markedAt = new Map<number, number>()
  /** The round that a leader of this term sent last, and when it first did. */
  private readonly rounds = new Map<number, { readonly round: number; readonly sentAt: number }>()
  private readonly leases = new Map<NodeId, Lease>()
  private at = 0
  private node: NodeId = NONE

  constructor(leaseMs: number) {
    this.leaseUs = 1000 * leaseMs
  }

  step(at: number, step: Step): void {
    this.at = at
    this.node = step.node
  }

  sent({ message }: Sending): void {
    const term = message['term'] as number
    if (message.type === 'halt') this.askedAt.set(term, this.at)
    if (message.type === 'norm') this.markedAt.set(message['mark'] as number, this.at)
    if (message.type !== 'norm?') return
    const round = message['round'] as number
    if (this.rounds.get(term)?.round !== round) this.rounds.set(term, { round, sentAt: this.at })
  }

  done(state: AnyState | null): void {
    if (state === null || this.node === NONE) return
    if (state.leader !== this.node) {
      this.leases.delete(this.node)
      return
    }
    const { term } = state
    const begins = this.leases.get(this.node)?.term !== term
    const mark = state['mark'] as number
    if (begins) this.hold(term, mark === 0 ? this.askedAt.get(term) : this.markedAt.get(mark))
    if (state['answered'] === true) this.hold(term, this.rounds.get(term)?.sentAt)
    const lease = this.leases.get(this.node)
    if (begins && lease !== undefined && lease.endUs > this.at) {
      this.reigns.push({ node: this.node, term, at: this.at, inherited: mark !== 0 })
    }
    this.judge()
  }

  violated(): void {}

  private hold(term: number, since: number | undefined): void {
    if (since === undefined) return // settled from the beginning, or no round yet
    this.leases.set(this.node, { term, endUs: since + this.leaseUs })
  }

  private judge(): void {
    const holders = [...this.leases].filter(([, { endUs }]) => endUs > this.at)
    if (holders.length < 2) return
    const shown = holders.map(([node, { term, endUs }]) => `${node} (term ${term}) until ${endUs}`)
    this.overlaps.push(`at ${this.at} leases are held by ${shown.join(' and ')}`)
  }
}
