/** How long a member that starts waits for the others, so that not everybody stands for election alone. */
import type { Group } from '../../core/group.ts'
import { majority } from '../../core/quorum.ts'

export class StartupWait {
  /** One that has lived before keeps silent until its announcement has arrived (B15). */
  readonly takesPartFrom: number
  private readonly group: Group
  private readonly beganAt: number
  private readonly waits: boolean
  /** When a majority was there. */
  private enoughAt = Infinity

  constructor(group: Group, now: number, recovered: boolean, waits: boolean) {
    this.group = group
    this.beganAt = now
    this.waits = waits
    this.takesPartFrom = recovered ? now + group.timing.messageMs : now
  }

  /** When it takes part, if nobody else comes: soon after a majority is there, in the end without one. */
  startsAt(now: number, present: number): number {
    const { members, timing } = this.group
    if (present >= majority(members)) this.enoughAt = Math.min(this.enoughAt, now)
    if (present === members || !this.waits) return this.takesPartFrom
    const soon = this.enoughAt + timing.messageMs
    return Math.max(this.takesPartFrom, Math.min(soon, this.beganAt + timing.detectionMs))
  }
}
