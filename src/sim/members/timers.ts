/**
 * Sets, clears and fires the timers of all members of a world. A timer that is armed again and again (a heartbeat's)
 * keeps one event in the schedule: when the event comes and the deadline has moved, the event is queued again.
 */
import type { TimerKind } from '../../core/algorithm.ts'
import { assert } from '../../core/assert.ts'
import type { NodeId } from '../../core/node-id.ts'

const DISARMED = -1

export class Timers {
  /** How many `answer` timers are armed. */
  awaited = 0
  private readonly names: readonly string[]
  private readonly isAnswer: readonly boolean[]
  private readonly deadlines: readonly boolean[]
  private readonly deadlineTimers: readonly number[]
  private readonly deadline: Float64Array
  /** The time of the timer's event in the schedule; Infinity: there is none. */
  private readonly queued: Float64Array

  constructor(timers: Readonly<Record<string, TimerKind>>, members: number) {
    this.names = Object.keys(timers)
    this.isAnswer = this.names.map((name) => timers[name].kind === 'answer')
    this.deadlines = Object.values(timers).map((timer) => 'deadline' in timer)
    this.deadlineTimers = [...this.deadlines.keys()].filter((timer) => this.deadlines[timer])
    this.deadline = new Float64Array((members + 1) * this.names.length).fill(DISARMED)
    this.queued = new Float64Array((members + 1) * this.names.length).fill(Infinity)
  }

  indexOf(name: string): number {
    const index = this.names.indexOf(name)
    assert(index >= 0, `no timer is called ${name}`)
    return index
  }

  isDeadline(timer: number): boolean {
    return this.deadlines[timer]
  }

  /** The earliest deadline that is set, which is all that a user sees of a lease; Infinity: none. */
  deadlineOf(node: NodeId): number {
    let earliest = Infinity
    for (const timer of this.deadlineTimers) {
      earliest = Math.min(earliest, this.dueOf(node, timer) ?? Infinity)
    }
    return earliest
  }

  nameOf(timer: number): string {
    return this.names[timer]
  }

  /** Returns whether an event must be queued for the new deadline. */
  arm(node: NodeId, timer: number, due: number): boolean {
    const slot = node * this.names.length + timer
    if (this.deadline[slot] === DISARMED && this.isAnswer[timer]) this.awaited += 1
    this.deadline[slot] = due
    if (this.queued[slot] <= due) return false
    this.queued[slot] = due
    return true
  }

  disarm(node: NodeId, timer: number): void {
    const slot = node * this.names.length + timer
    if (this.deadline[slot] !== DISARMED && this.isAnswer[timer]) this.awaited -= 1
    this.deadline[slot] = DISARMED
  }

  disarmAll(node: NodeId): void {
    for (let timer = 0; timer < this.names.length; timer++) this.disarm(node, timer)
  }

  /** Handles the timer's event. Returns `now`: it fires; later: queue an event for then; Infinity: nothing. */
  expire(node: NodeId, timer: number, now: number): number {
    const slot = node * this.names.length + timer
    if (this.queued[slot] !== now) return Infinity
    this.queued[slot] = Infinity
    const due = this.deadline[slot]
    if (due === DISARMED) return Infinity
    if (due > now) {
      this.queued[slot] = due
      return due
    }
    this.disarm(node, timer)
    return now
  }

  /** Moves the deferred event of a paused member to `now`. */
  postpone(node: NodeId, timer: number, now: number): void {
    this.queued[node * this.names.length + timer] = now
  }
  dueOf(node: NodeId, timer: number): number | null {
    const due = this.deadline[node * this.names.length + timer]
    return due === DISARMED ? null : due
  }
}
