/**
 * Models the disks of a world's members: durable writes that take time or fail, and what a crash then leaves. A step
 * that sends nothing, on a member that does not lead, postpones its write, as duty 3 of a host allows.
 */
import type { AnyState } from '../../core/algorithm.ts'
import type { NodeId } from '../../core/node-id.ts'
import type { Random } from '../../core/random.ts'
import type { RecordSchema } from '../../core/schema.ts'

export const WRITE_FAILED = -1

export class Disks {
  /** Whether a fault ever concerned a disk: the common case needs no lookups. */
  isUsed = false
  private readonly schema: RecordSchema
  private readonly random: Random
  private readonly states: readonly AnyState[]
  private readonly slow = new Map<NodeId, number>()
  private readonly failing = new Set<NodeId>()
  /** What the disks that a fault concerned hold, and what is being written to them. */
  private readonly durable = new Map<NodeId, AnyState>()
  private readonly pending = new Map<NodeId, AnyState>()
  /** Members with steps that are shown and not yet written. */
  private readonly postponed = new Set<NodeId>()

  constructor(schema: RecordSchema, random: Random, states: readonly AnyState[]) {
    this.schema = schema
    this.random = random
    this.states = states
  }

  has(node: NodeId): boolean {
    return this.durable.has(node)
  }

  slowDown(node: NodeId, us: number): void {
    this.use(node)
    this.slow.set(node, us)
    if (us === 0) this.failing.delete(node)
  }

  failNext(node: NodeId): void {
    this.use(node)
    this.failing.add(node)
  }

  /** How long a step's durable write takes (µs): 0 where it has none, WRITE_FAILED where it fails. */
  write(node: NodeId, sends: boolean): number {
    const saved = this.durable.get(node)
    const state = this.states[node]
    if (saved === undefined || this.schema.stableEqual(saved, state)) return 0
    if (!sends && state.leader !== node) {
      this.postponed.add(node)
      return 0
    }
    const copy = this.schema.copy(state) as AnyState
    if (this.failing.delete(node)) {
      // An error does not tell whether the bytes reached the disk.
      if (this.random.chance(0.5)) this.durable.set(node, copy)
      return WRITE_FAILED
    }
    const us = this.slow.get(node) ?? 0
    this.pending.set(node, copy)
    if (us === 0) this.written(node)
    return us
  }

  written(node: NodeId): void {
    const state = this.pending.get(node)
    if (state === undefined) return
    this.durable.set(node, state)
    this.pending.delete(node)
    this.postponed.delete(node)
  }

  /** Whether a crash lost steps whose write was postponed: to all others it came before them. */
  takePostponed(node: NodeId): boolean {
    return this.postponed.delete(node)
  }

  /** The state whose stable fields a crash leaves; a write in progress may be complete or not. */
  surviving(node: NodeId): AnyState {
    if (!this.isUsed || !this.durable.has(node)) return this.states[node]
    if (this.pending.has(node) && this.random.chance(0.5)) this.written(node)
    this.pending.delete(node)
    return this.durable.get(node)!
  }

  private use(node: NodeId): void {
    this.isUsed = true
    if (!this.durable.has(node))
      this.durable.set(node, this.schema.copy(this.states[node]) as AnyState)
  }
}
