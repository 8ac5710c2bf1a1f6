/** Messages by type and by what they are for, counted as they are sent. */
import type { Algorithm } from '../core/algorithm.ts'
import type { Part } from './record.ts'

export class Tally {
  total = 0
  election = 0
  detector = 0
  heartbeat = 0
  repair = 0
  /** Election messages sent to members that were down. */
  attempts = 0
  /** By type, and apart from those as `election (attempt)` what was sent to members that were down. */
  byType = new Map<string, number>()
  private readonly purposes: ReadonlyMap<string, string>

  constructor(algorithm: Algorithm) {
    this.purposes = new Map(Object.entries(algorithm.purposes))
  }

  /** Counts a message; returns whether a run that waits for quiet must wait for it. */
  count(type: string, part: Part, receiverUp: boolean): boolean {
    this.total += 1
    if (part === 'detector') {
      this.detector += 1
      this.add(`detector.${type}`)
      return false
    }
    this.add(receiverUp ? type : `${type} (attempt)`)
    const purpose = this.purposes.get(type)
    if (purpose === 'heartbeat') {
      this.heartbeat += 1
      return false
    }
    if (!receiverUp) this.attempts += 1
    if (purpose === 'repair') this.repair += 1
    else this.election += 1
    return receiverUp
  }

  private add(type: string): void {
    this.byType.set(type, (this.byType.get(type) ?? 0) + 1)
  }

  save(): TallySave {
    const { total, election, detector, heartbeat, repair, attempts } = this
    return { total, election, detector, heartbeat, repair, attempts, byType: new Map(this.byType) }
  }

  load(saved: TallySave): void {
    Object.assign(this, saved, { byType: new Map(saved.byType) })
  }
}

type TallySave = Pick<
  Tally,
  'total' | 'election' | 'detector' | 'heartbeat' | 'repair' | 'attempts' | 'byType'
>
