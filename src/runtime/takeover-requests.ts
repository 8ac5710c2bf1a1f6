/**
 * Preemption under a sticky algorithm: asks a weaker leader to hand over, after a delay and only while stable, and as
 * the leader grants such requests, a limited number of times in an hour. Members of equal priority never ask.
 */
import { monotonic, type Cancel } from '../clock/monotonic.ts'
import { NONE, type NodeId } from '../core/node-id.ts'
import type { Host } from './host/host.ts'
import type { HostMessage } from './host/wire.ts'
import type { ResolvedOptions } from './options/resolve-options.ts'

const HOUR_MS = 3_600_000

type StepDown = (options: { to: string; reason: string }) => Promise<void>

export class TakeoverRequests {
  private readonly options: ResolvedOptions
  private readonly host: Host
  private readonly stepDown: StepDown
  private cancel: Cancel = () => undefined
  private leader: NodeId = NONE
  private followedSince = 0
  private stableSince = monotonic.now()
  private checkedAt = monotonic.now()
  private readonly handovers: number[] = []

  constructor(options: ResolvedOptions, host: Host, stepDown: StepDown) {
    this.options = options
    this.host = host
    this.stepDown = stepDown
  }

  start(): void {
    if (this.options.takeover === null) return
    this.askIfStronger(this.options.takeover)
    this.cancel = monotonic.after(this.options.group.timing.periodMs, () => this.start())
  }

  stop(): void {
    this.cancel()
  }

  /** Answers the request of a peer. Its priority comes from the configuration, not from the message. */
  received(peer: NodeId, message: HostMessage, leads: boolean): void {
    const { takeover, names, priorities, me } = this.options
    if (message.type !== 'takeover' || takeover === null) return
    const decline = (reason: 'not-leader' | 'too-soon' | 'busy'): void =>
      this.host.send(peer, { part: 'host', message: { type: 'declined', reason } })
    if (!leads) return decline('not-leader')
    if (priorities[peer] <= priorities[me]) return decline('busy')
    const now = monotonic.now()
    while (this.handovers.length > 0 && now - this.handovers[0] > HOUR_MS) this.handovers.shift()
    if (this.handovers.length >= takeover.maxPerHour) return decline('too-soon')
    this.handovers.push(now)
    this.stepDown({ to: names[peer], reason: 'a stronger member takes over' }).catch(() =>
      decline('busy'),
    )
  }

  private askIfStronger(takeover: NonNullable<ResolvedOptions['takeover']>): void {
    const { me, priorities, roles, group } = this.options
    if (roles.get(me) !== 'voter') return
    const now = monotonic.now()
    const stalled = now - this.checkedAt > group.timing.detectionMs
    if (!this.host.takesPart || stalled) this.stableSince = now
    this.checkedAt = now
    const { leader } = this.host.state
    if (leader !== this.leader) {
      this.leader = leader
      this.followedSince = now
    }
    if (leader === NONE || leader === me || priorities[me] <= priorities[leader]) return
    if (now - this.followedSince < takeover.afterMs) return
    if (now - this.stableSince < takeover.stableForMs) return
    this.followedSince = now // asks again after as long
    this.host.send(leader, { part: 'host', message: { type: 'takeover', strength: me } })
  }
}
