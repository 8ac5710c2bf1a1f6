/**
 * Runs an algorithm and a detector for one member, on real time and real links.
 *
 * Whatever happens is a step (`steps.ts`), which the life of the member takes (`life.ts`). Stable fields are
 * durable before anybody else can know: before a message leaves, and before this member leads. An overdue
 * deadline goes before everything else.
 */
import type { AnyState } from '../../core/algorithm.ts'
import { NONE, type NodeId } from '../../core/node-id.ts'
import type { Json } from '../../core/schema.ts'
import type { DetectorHost } from './detector-host.ts'
import { DurableState } from './durable-state.ts'
import type { HostConfig, HostEvents } from './host-config.ts'
import { LocalMember } from './member.ts'
import type { PeerLinks } from './peer-links.ts'
import { StallDetector } from './stall-detector.ts'
import { StepQueue } from './step-queue.ts'
import type { HostMessage } from './wire.ts'

export class Host {
  readonly steps: StepQueue
  readonly links: PeerLinks
  readonly detector: DetectorHost
  private readonly config: HostConfig
  private readonly events: HostEvents
  private readonly life: LocalMember
  private readonly durable: DurableState
  private readonly pulse: StallDetector
  private shown = { status: '', leader: NONE, term: -1 }
  private deadlineShown = Infinity
  private savesSoon = false

  constructor(config: HostConfig, events: HostEvents) {
    const { algorithm, store, names, clock, longestStallMs } = config
    this.config = config
    this.events = events
    this.steps = new StepQueue(clock, this)
    this.life = new LocalMember(config, events, this.steps)
    this.links = this.life.links
    this.detector = this.life.detector
    this.durable = new DurableState(algorithm, store, names)
    this.pulse = new StallDetector(clock, this.steps, this.life.alarms, longestStallMs)
  }

  /** Begins a life: reads what survived, listens, and starts. Throws StoreError and what `listen` throws. */
  async open(): Promise<void> {
    const { life, durable } = this
    const stored = this.config.store.read()
    life.state = durable.begin(stored)
    await this.links.open(durable.incarnation)
    // Whoever waits for this subscribes first: a member that is alone wins at once.
    life.bootAfter(0, stored !== null)
  }

  /** Leaves for good. */
  async close(): Promise<void> {
    this.steps.run(() => this.end(NONE, Infinity))
    await this.links.close()
    this.config.store.close()
  }

  /** Runs what an election will need, on states that nobody sees. */
  rehearse(): void {
    this.life.rehearse()
  }

  get state(): AnyState {
    return this.life.state
  }

  get takesPart(): boolean {
    return this.life.takesPart
  }

  /** Until when this member may lead, on the monotonic clock: Infinity where the algorithm has no lease. */
  get deadline(): number {
    return this.life.deadline
  }

  get counters(): Readonly<Record<string, number>> {
    const { malformed, frames } = this.links
    return { malformed, steps: this.steps.taken, frames, ...this.links.transportCounters }
  }

  /** Asks the detector about a peer, for whoever runs this host. While it takes no part, all are down. */
  async inquire(peer: NodeId): Promise<'up' | 'down'> {
    return new Promise((resolve) => {
      this.steps.run(() => {
        if (this.life.takesPart) this.detector.inquire(peer, resolve)
        else resolve('down')
      })
    })
  }

  tell(peer: NodeId, message: HostMessage): void {
    this.steps.run(() => this.links.post(peer, { part: 'host', message }))
  }

  introduce(peer: NodeId, metadata: Json): void {
    this.steps.run(() => this.links.post(peer, { part: 'about', metadata }))
  }

  /** Lets an overdue deadline act now. Whoever calls a user's code calls this first. */
  check(): void {
    const { life, steps } = this
    if (!life.leads || steps.isBusy) return
    const now = this.config.clock.now()
    if (this.pulse.isStalled(now) || life.overdueAt(now) !== undefined) steps.run(() => undefined)
    else steps.progressAt = now
  }

  /** Gives leadership up. Where the algorithm has no words for it, this life ends: see `restart`. */
  resign(successor: NodeId, coolOffMs: number): void {
    this.steps.run(() => {
      if (!this.life.takesPart) return
      if (!this.life.resign(successor)) this.end(successor, coolOffMs)
    })
  }

  /** Ends this life as a crash would, and begins another after `coolOffMs`: a crash is always allowed. */
  restart(coolOffMs: number): void {
    this.steps.run(() => this.end(null, coolOffMs))
  }

  /** With a successor (or NONE) all peers are told; null: as if it crashed. */
  private end(successor: NodeId | null, coolOffMs: number): void {
    this.pulse.stop()
    this.life.end(this.durable.afterCrash())
    if (successor !== null) {
      this.links.postToAll({ part: 'host', message: { type: 'leaving', successor } })
    }
    if (coolOffMs < Infinity) this.life.bootAfter(coolOffMs, true)
  }

  // Around a step.

  /** What goes before all else. A follower of an algorithm without a lease has nothing such. */
  urgent(): (() => void) | undefined {
    const { life, steps, pulse } = this
    if (pulse.isStalled(steps.now)) return this.stalled(steps.now - steps.progressAt)
    if (!life.hasLease) return undefined
    const timer = life.overdueAt(steps.now)
    return timer === undefined ? undefined : () => life.rang(timer)
  }

  private stalled(stallMs: number): () => void {
    return () => {
      this.steps.cause = 'stall'
      this.steps.lateMs = stallMs
      this.end(null, 0)
    }
  }

  commit(): void {
    const { life, durable, links } = this
    const sends = links.hasPosted
    if (life.takesPart && durable.differsFrom(life.state)) {
      if (sends || life.leads) durable.save(life.state)
      else this.saveSoon()
    }
    if (sends) links.flush()
    this.show()
  }

  /** Nobody has been told: those who only wait to hear of it are not kept waiting for the disk. */
  private saveSoon(): void {
    if (this.savesSoon) return
    this.savesSoon = true
    setImmediate(() => {
      this.savesSoon = false
      this.steps.run(() => {
        const { life, durable } = this
        if (life.takesPart && durable.differsFrom(life.state)) durable.save(life.state)
      })
    })
  }

  /** Nothing of an unfinished step may leave. A crash is always allowed: this life is over, for a while. */
  failed(error: Error): void {
    const { detectionMs } = this.config.group.timing
    this.links.discard()
    this.steps.cause = 'failure'
    this.end(null, detectionMs * (1 + Math.random()))
    this.show()
    this.events.failed(error)
  }

  private show(): void {
    const { life, steps, pulse, shown } = this
    // A pause may have come while the disk was waited for: nobody hears of a lease that is over.
    if (life.leads && life.overdueAt(this.config.clock.now()) !== undefined) {
      steps.follow(() => undefined) // the deadline goes before it
      return
    }
    if (life.hasLease && life.leads) this.showDeadline()
    const { status, leader, term } = life.state
    if (shown.leader !== leader || shown.term !== term || shown.status !== status) {
      this.shown = { status, leader, term }
      pulse.isNeeded = life.leads && !life.hasLease
      this.events.changed()
    }
    if (pulse.isNeeded) pulse.beat()
  }

  private showDeadline(): void {
    const { deadline } = this.life
    if (deadline === this.deadlineShown) return
    this.deadlineShown = deadline
    this.events.renewed(deadline)
  }
}
