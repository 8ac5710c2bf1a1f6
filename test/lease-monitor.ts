/**
 * Follows the leases of `bully-fd-quorum` in a timed run: a leader's ends `leaseMs` after it sent the last
 * round that a majority answered. No two members may hold one at the same moment.
 */
import type { AnyMessage, AnyState } from '../src/core/algorithm.ts'
import { NONE, type NodeId } from '../src/core/node-id.ts'
import type { Part, Recorder, Step } from '../src/sim/record.ts'

interface Lease {
  readonly term: number
  readonly endUs: number
}

export class LeaseMonitor implements Recorder {
  readonly overlaps: string[] = []
  /** Leaderships in the order in which they began, without those whose lease was over by then. */
  readonly reigns: { node: NodeId; term: number; at: number }[] = []
  private readonly leaseUs: number
  /** When a round was first sent, by its term and number. */
  private readonly sentAt = new Map<string, number>()
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

  sent(_from: NodeId, _to: NodeId, _part: Part, message: AnyMessage): void {
    const term = message['term'] as number
    // A candidate may ask for the same term again: what counts is the latest attempt.
    if (message.type === 'halt') this.sentAt.set(roundOf(term, HALT), this.at)
    if (message.type !== 'norm?') return
    const round = roundOf(term, message['round'] as number)
    if (!this.sentAt.has(round)) this.sentAt.set(round, this.at)
  }

  done(state: AnyState | null): void {
    if (state === null || this.node === NONE) return
    if (state.leader !== this.node) {
      this.leases.delete(this.node)
      return
    }
    const { term } = state
    const begins = this.leases.get(this.node)?.term !== term
    if (begins) this.hold(term, this.sentAt.get(roundOf(term, HALT)))
    if (state['answered'] === true) {
      this.hold(term, this.sentAt.get(roundOf(term, state['round'] as number)))
    }
    const lease = this.leases.get(this.node)
    if (begins && lease !== undefined && lease.endUs > this.at) {
      this.reigns.push({ node: this.node, term, at: this.at })
    }
    this.judge()
  }

  violated(): void {}

  private hold(term: number, sentAt: number | undefined): void {
    if (sentAt === undefined) return // settled from the beginning: no round yet
    this.leases.set(this.node, { term, endUs: sentAt + this.leaseUs })
  }

  private judge(): void {
    const holders = [...this.leases].filter(([, { endUs }]) => endUs > this.at)
    if (holders.length < 2) return
    const shown = holders.map(([node, { term, endUs }]) => `${node} (term ${term}) until ${endUs}`)
    this.overlaps.push(`at ${this.at} leases are held by ${shown.join(' and ')}`)
  }
}

/** The round in which a leader was elected. */
const HALT = 0

function roundOf(term: number, round: number): string {
  return `${term}.${round}`
}
