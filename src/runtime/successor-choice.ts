/**
 * Decides which peers could lead next, and whether a majority is still heard, by verdicts and by the frames that
 * arrived lately.
 */
import type { Clock } from '../clock/monotonic.ts'
import { NONE, type NodeId } from '../core/node-id.ts'
import { StepDownError } from './errors.ts'
import type { Host } from './host/host.ts'
import type { ResolvedOptions } from './options/resolve-options.ts'

export class SuccessorChoice {
  private readonly options: ResolvedOptions
  private readonly host: Host
  private readonly clock: Clock

  constructor(options: ResolvedOptions, host: Host, clock: Clock) {
    this.options = options
    this.host = host
    this.clock = clock
  }

  /** The strongest peer that could lead, or NONE. */
  strongest(): NodeId {
    const { me, roles } = this.options
    const able = this.voters.filter(
      (peer) => peer !== me && roles.get(peer) === 'voter' && this.couldLead(peer),
    )
    return able.at(-1) ?? NONE
  }

  /** The member of this name. Throws StepDownError unless it could lead. */
  named(name: string): NodeId {
    const { names, roles, me, algorithm, engineOnly } = this.options
    const peer = names.lastIndexOf(name)
    const refuse = (reason: string): never => {
      throw new StepDownError('unfit', `${name} cannot take over: ${reason}`)
    }
    if (engineOnly) return refuse('without members nobody knows it; step down without a name')
    if (!roles.has(peer)) return refuse('it is not a member')
    const role = roles.get(peer)
    if (role !== 'voter') return refuse(`it is ${role === 'witness' ? 'a witness' : 'an observer'}`)
    if (peer === me) return refuse('it leads already')
    if (!this.couldLead(peer)) return refuse('nothing was received from it lately')
    if (algorithm.promises.leader === 'highest' && peer !== this.strongest()) {
      return refuse(`${algorithm.name} elects the strongest, ${names[this.strongest()]}`)
    }
    return peer
  }

  /** When the lease has expired: whether frames of a majority arrived after its answers to the last round that counted. */
  hearsMajority(): boolean {
    const { group, me, leaseMs } = this.options
    const since = this.clock.now() - leaseMs + group.timing.periodMs / 2
    const { voters } = this
    const heard = voters.filter(
      (peer) => peer === me || (this.host.peerState(peer).lastReceivedAt ?? -Infinity) > since,
    )
    return 2 * heard.length > voters.length
  }

  /** With witnesses, weakest first. */
  private get voters(): NodeId[] {
    return [...this.options.roles].flatMap(([seat, role]) => (role === 'observer' ? [] : [seat]))
  }

  private couldLead(peer: NodeId): boolean {
    const { verdict, lastReceivedAt = -Infinity } = this.host.peerState(peer)
    const { detectionMs } = this.options.group.timing
    return verdict !== 'down' && this.clock.now() - lastReceivedAt <= 2 * detectionMs
  }
}
