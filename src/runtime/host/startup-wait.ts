/**
 * Computes when a member that starts takes part and stands for election: it waits for its announcement to arrive and
 * for a majority to connect.
 */
import type { Timing } from '../../core/group.ts'
import { majority } from '../../core/quorum.ts'

export class StartupWait {
  /** A member that recovers takes no part until its announcement has arrived (B15). */
  readonly takesPartFrom: number
  private readonly members: number
  private readonly timing: Timing
  private readonly beganAt: number
  private readonly waits: boolean
  private majorityAt = Infinity

  /** `waits` is false on a ring, where only neighbours connect. */
  constructor(members: number, timing: Timing, now: number, recovered: boolean, waits: boolean) {
    this.members = members
    this.timing = timing
    this.beganAt = now
    this.waits = waits
    this.takesPartFrom = recovered ? now + timing.messageMs : now
  }

  /** When the member starts if no other peer connects: soon after a majority is present, at last without one. */
  startsAt(now: number, present: number): number {
    const { members, timing } = this
    if (present >= majority(members)) this.majorityAt = Math.min(this.majorityAt, now)
    if (present === members || !this.waits) return this.takesPartFrom
    const soon = this.majorityAt + timing.messageMs
    return Math.max(this.takesPartFrom, Math.min(soon, this.beganAt + timing.detectionMs))
  }
}
