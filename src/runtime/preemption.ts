/**
 * A preferred leader under an algorithm that is sticky: the stronger member asks, the leader hands over.
 * Delayed, only while stable, limited in number; members of equal priority never ask.
 */
import { NONE, type NodeId } from '../core/node-id.ts'
import { monotonic, type Cancel } from '../clock/monotonic.ts'
import type { Host } from './host/host.ts'
import type { ResolvedOptions } from './options/options.ts'
import type { HostMessage } from './host/wire.ts'

const HOUR_MS = 3_600_000

type StepDown = (options: { to: string; reason: string }) => Promise<void>

export class Preemption {
  private readonly settings: ResolvedOptions
  private readonly host: Host
  private readonly stepDown: StepDown
  private cancel: Cancel = () => undefined
  private leader: NodeId = NONE
  private followedSince = 0
  private steadySince = monotonic.now()
  private tickedAt = monotonic.now()
  private readonly handovers: number[] = []

  constructor(settings: ResolvedOptions, host: Host, stepDown: StepDown) {
    this.settings = settings
    this.host = host
    this.stepDown = stepDown
  }

  start(): void {
    if (this.settings.takeover !== null) this.tick()
  }

  stop(): void {
    this.cancel()
  }

  /** A peer wants something of this member. */
  asked(peer: NodeId, message: HostMessage, leads: boolean): void {
    const { takeover, names, priorities, me } = this.settings
    if (message.type !== 'takeover' || takeover === null) return
    const decline = (reason: 'not-leader' | 'too-soon' | 'busy'): void =>
      this.host.tell(peer, { type: 'declined', reason })
    if (!leads) return decline('not-leader')
    if (priorities[peer] <= priorities[me]) return decline('busy') // who asks is told from the link, not believed
    const now = monotonic.now()
    while (this.handovers.length > 0 && now - this.handovers[0] > HOUR_MS) this.handovers.shift()
    if (this.handovers.length >= takeover.maxPerHour) return decline('too-soon')
    this.handovers.push(now)
    this.stepDown({ to: names[peer], reason: 'a stronger member takes over' }).catch(() =>
      decline('busy'),
    )
  }

  private tick(): void {
    const { periodMs } = this.settings.group.timing
    this.look()
    this.cancel = monotonic.after(periodMs, () => this.tick())
  }

  private look(): void {
    const { takeover, me, priorities, group } = this.settings
    const now = monotonic.now()
    if (!this.host.takesPart || now - this.tickedAt > group.timing.detectionMs)
      this.steadySince = now
    this.tickedAt = now
    const { leader } = this.host.state
    if (leader !== this.leader) {
      this.leader = leader
      this.followedSince = now
    }
    if (leader === NONE || leader === me || priorities[me] <= priorities[leader]) return
    if (now - this.followedSince < takeover!.afterMs) return
    if (now - this.steadySince < takeover!.stableForMs) return
    this.followedSince = now // asks again after as long
    this.host.tell(leader, { type: 'takeover', strength: me })
  }
}
