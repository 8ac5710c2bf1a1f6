/**
 * Beats between two processes, which stand for the heartbeats of all groups that rest on their connection: counts and
 * times them. Reads the clock, and sends through its owner.
 *
 * A process in which a leader rests sends a beat in each period, and the peer answers it at once. A beat that was
 * answered counts from the moment at which it *was sent*, like a round of a leader's heartbeats.
 */
import type { Clock, Timer } from '../../clock/monotonic.ts'
import type { RestRole } from './channel.ts'

/** A beat or an answer that is so many periods late ends the rest: what counts silence again needs the time that is left. */
const LATE = 1.5

interface BeatEvents {
  /** Sends the beat of this number. */
  beat(number: number): void
  /** The peer's answers are late: nothing vouches for the followers. Or its beats: nothing vouches for the leaders. */
  late(role: RestRole): void
}

export class Beats {
  /** When the latest answered beat was sent, and when the latest beat of the peer arrived. */
  answeredAt = -Infinity
  heardAt = -Infinity
  private number = 0
  private readonly sentAt = new Map<number, number>()
  private readonly clock: Clock
  private readonly events: BeatEvents
  private readonly answerDue: Timer
  private readonly beatDue: Timer
  /** The shortest of the groups that rest. */
  readonly periodMs: Record<RestRole, number> = { leads: Infinity, follows: Infinity }

  constructor(clock: Clock, events: BeatEvents) {
    this.clock = clock
    this.events = events
    const late = (role: RestRole) => (): void => {
      this.timerOf(role).due = Infinity
      events.late(role)
    }
    this.answerDue = clock.timer(late('leads'))
    this.beatDue = clock.timer(late('follows'))
  }

  /** A leader or a follower rests from now on: the next answer or beat is awaited from now on, or from when it was already. */
  expect(role: RestRole, periodMs: number): void {
    this.periodMs[role] = Math.min(this.periodMs[role], periodMs)
    const timer = this.timerOf(role)
    timer.set(Math.min(timer.due, this.clock.now() + this.lateMs(role)))
  }

  /** No leader, or no follower, rests any more. */
  forget(role: RestRole): void {
    this.timerOf(role).due = Infinity
    this.periodMs[role] = Infinity
  }

  private timerOf(role: RestRole): Timer {
    return role === 'leads' ? this.answerDue : this.beatDue
  }

  private lateMs(role: RestRole): number {
    return LATE * this.periodMs[role]
  }

  send(): void {
    this.number += 1
    this.sentAt.set(this.number, this.clock.now())
    this.events.beat(this.number)
  }

  /** A beat of the peer has arrived. */
  heard(): void {
    this.heardAt = this.clock.now()
    if (this.beatDue.due < Infinity) this.beatDue.set(this.heardAt + this.lateMs('follows'))
  }

  /** Answers come in the order of the beats. An answer that is late does not count as one that would end the lateness. */
  answered(number: number): void {
    const sentAt = this.sentAt.get(number)
    if (sentAt === undefined) return
    for (const earlier of this.sentAt.keys()) if (earlier <= number) this.sentAt.delete(earlier)
    this.answeredAt = sentAt
    if (this.answerDue.due < Infinity) this.answerDue.set(sentAt + this.lateMs('leads'))
  }

  /** The clock has leapt, or the connection has ended: no beat that is out counts. */
  void(): void {
    this.sentAt.clear()
  }

  stop(): void {
    this.void()
    this.answerDue.stop()
    this.beatDue.stop()
  }
}
