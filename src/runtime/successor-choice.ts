/** Who could lead, by what this member has heard lately. */
import { NONE, type NodeId } from '../core/node-id.ts'
import type { Clock } from '../clock/monotonic.ts'
import { StepDownError } from './errors.ts'
import type { Host } from './host/host.ts'
import type { ResolvedOptions } from './options/options.ts'

export class SuccessorChoice {
  private readonly settings: ResolvedOptions
  private readonly host: Host
  private readonly clock: Clock

  constructor(settings: ResolvedOptions, host: Host, clock: Clock) {
    this.settings = settings
    this.host = host
    this.clock = clock
  }

  /** The strongest peer that was heard lately, or nobody. */
  fittest(): NodeId {
    const { group, me } = this.settings
    const fit = [...group.everyone].filter((peer) => peer !== me && this.isFit(peer))
    return fit.at(-1) ?? NONE
  }

  /** Throws StepDownError unless it can take over. */
  fitOrThrow(name: string): NodeId {
    const { names, me, algorithm } = this.settings
    const peer = names.indexOf(name)
    const unfit = (why: string): never => {
      throw new StepDownError('unfit', `${name} cannot take over: ${why}`)
    }
    if (peer < 1) return unfit('it is not a member')
    if (peer === me) return unfit('it leads already')
    if (!this.isFit(peer)) return unfit('it was not heard lately')
    if (algorithm.promises.leader === 'highest' && peer !== this.fittest()) {
      return unfit(`${algorithm.name} elects the strongest, ${names[this.fittest()]}`)
    }
    return peer
  }

  /** Since the round that the lease ran from: its answers came right after it. */
  hearsMajority(): boolean {
    const { group, me, leaseMs } = this.settings
    const since = this.clock.now() - leaseMs + group.timing.periodMs / 2
    const heard = [...group.everyone].filter(
      (peer) => peer === me || (this.host.links.lastHeard(peer) ?? -Infinity) > since,
    )
    return 2 * heard.length > group.members
  }

  private isFit(peer: NodeId): boolean {
    const heard = this.host.links.lastHeard(peer)
    if (heard === undefined || this.host.detector.opinionOf(peer) === 'down') return false
    return this.clock.now() - heard <= 2 * this.settings.group.timing.detectionMs
  }
}
