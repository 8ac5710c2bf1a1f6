/**
 * Judges that no two members hold an unexpired lease at one moment. It sees what the users of the members see: which
 * member leads, in which term, and until when by its own clock, which may drift. A paused member keeps its lease.
 */
import type { NodeId } from '../../core/node-id.ts'

export interface LeaseCounts {
  /** Leases that began: a member led in a term in which it held none before. */
  leases: number
  /** Of those, how many began before the last one would have ended, because its leader resigned, or because it crashed. */
  handovers: number
  takeovers: number
}

export class LeaseMonitor {
  readonly counts: LeaseCounts = { leases: 0, handovers: 0, takeovers: 0 }
  private readonly label: (id: NodeId) => number
  private readonly violate: (at: number, sentence: string) => void
  private readonly until: Float64Array
  private readonly term: Float64Array
  readonly holders: NodeId[] = []
  /** The last lease that ended early: its holder, and when it would have ended. */
  private early = { node: 0, until: 0, crashed: false }

  constructor(
    members: number,
    label: (id: NodeId) => number,
    violate: (at: number, sentence: string) => void,
  ) {
    this.label = label
    this.violate = violate
    this.until = new Float64Array(members + 1)
    this.term = new Float64Array(members + 1)
  }

  isHolder(node: NodeId): boolean {
    return this.until[node] !== 0
  }

  /** When a holder's lease ends. */
  endOf(holder: NodeId): number {
    return this.until[holder]
  }

  /** What a member shows to its user changed. `end` in the past: it leads no longer. */
  shown(node: NodeId, term: number, end: number, now: number): void {
    if (end <= now) return this.end(node, false)
    const continues = this.until[node] > now && this.term[node] === term
    if (!this.isHolder(node)) this.holders.push(node)
    this.until[node] = end
    this.term[node] = term
    if (!continues) this.count(node, now)
    if (this.holders.length > 1) this.judge(node, now, continues)
  }

  crashed(node: NodeId): void {
    this.end(node, true)
  }

  private end(node: NodeId, crashed: boolean): void {
    if (!this.isHolder(node)) return
    this.early = { node, until: this.until[node], crashed }
    this.until[node] = 0
    this.holders.splice(this.holders.indexOf(node), 1)
  }

  private count(node: NodeId, now: number): void {
    const { early, counts } = this
    counts.leases += 1
    if (early.node === node || early.until <= now) return
    if (early.crashed) counts.takeovers += 1
    else counts.handovers += 1
  }

  private judge(node: NodeId, now: number, continues: boolean): void {
    for (const other of this.holders.filter((id) => id !== node)) {
      if (this.until[other] <= now) this.end(other, false)
      else if (!continues) this.report(node, other, now)
    }
  }

  private report(node: NodeId, other: NodeId, now: number): void {
    const held = [node, other].map((id) => {
      const until = this.until[id]
      const end = until === Infinity ? 'for ever' : `until ${until / 1000} ms`
      return `member ${this.label(id)} in term ${this.term[id]} ${end}`
    })
    this.violate(now, `two leases at once: ${held.join(', ')}`)
  }
}
