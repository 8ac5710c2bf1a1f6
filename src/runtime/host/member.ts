/**
 * The life of one member: hands what happens to the handlers of its algorithm, and carries out what they
 * ask for, within steps. It knows the contract and no algorithm by name.
 */
import { randomInt } from 'node:crypto'
import {
  handlersOf,
  type AnyHandlers,
  type AnyMessage,
  type AnyState,
  type OptionValues,
  type Out,
} from '../../core/algorithm.ts'
import type { NodeId } from '../../core/node-id.ts'
import { Timers } from './timers.ts'
import type { Cancel } from '../../clock/monotonic.ts'
import { DetectorHost } from './detector-host.ts'
import { StartupWait } from './startup-wait.ts'
import type { HostConfig, HostEvents } from './host-config.ts'
import { TermJumpGuard } from './term-jump-guard.ts'
import { PeerLinks } from './peer-links.ts'
import { rehearse } from './rehearsal.ts'
import type { StepQueue } from './step-queue.ts'
import type { Frame } from './wire.ts'

/** All options of the algorithm, as given or by default. */
function optionsOf({ algorithm, options }: HostConfig): OptionValues {
  const defaults = Object.entries(algorithm.options).map(([name, option]) => [name, option.default])
  return { ...(Object.fromEntries(defaults) as OptionValues), ...options }
}

/** One that is silent listens, and takes no part yet. */
type Phase = 'off' | 'silent' | 'on'

export class LocalMember implements Out<AnyMessage> {
  readonly me: NodeId
  readonly links: PeerLinks
  readonly detector: DetectorHost
  readonly alarms: Timers<string>
  state: AnyState
  private phase: Phase = 'off'
  private readonly config: HostConfig
  private readonly events: HostEvents
  private readonly steps: StepQueue
  private readonly handlers: AnyHandlers
  private readonly leaps: TermJumpGuard
  private readonly canResign: boolean
  private readonly deadlines: readonly string[]
  private cancelBoot: Cancel = () => undefined
  private gathering!: StartupWait

  constructor(config: HostConfig, events: HostEvents, steps: StepQueue) {
    const { algorithm, group, clock } = config
    this.config = config
    this.events = events
    this.steps = steps
    this.me = config.me
    this.handlers = handlersOf(algorithm, group, config.options)
    this.leaps = new TermJumpGuard(algorithm.messages)
    this.canResign = 'resign' in algorithm.handlers(group, optionsOf(config))
    this.deadlines = Object.entries(algorithm.timers).flatMap(([name, timer]) =>
      timer.kind === 'period' && timer.deadline === true ? [name] : [],
    )
    this.links = new PeerLinks(config, events, steps, this)
    this.detector = new DetectorHost(config, events, steps, this.links, this)
    this.alarms = new Timers(clock, (timer) => steps.run(() => this.rang(timer)))
    this.state = algorithm.state.init() as AnyState
  }

  rehearse(): void {
    rehearse(this.config, this.handlers)
  }

  get takesPart(): boolean {
    return this.phase === 'on'
  }

  get leads(): boolean {
    return this.state.leader === this.me
  }

  // Its beginning and its end.

  bootAfter(ms: number, recovered: boolean): void {
    this.cancelBoot = this.config.clock.after(ms, () => this.steps.run(() => this.boot(recovered)))
  }

  /**
   * Announces itself, and reaches for its peers. One that has lived before keeps silent until the
   * announcement has arrived (B15). Who starts before the others do waits for them a little: an election
   * without them would be lost, or won by the wrong one.
   */
  private boot(recovered: boolean): void {
    const { group, algorithm } = this.config
    this.phase = 'silent'
    const complete = algorithm.topology === 'complete'
    this.gathering = new StartupWait(group, this.steps.now, recovered, complete)
    this.detector.begin(recovered)
    if (complete) {
      for (const peer of group.everyone) if (peer !== this.me) this.links.probe(peer)
    }
    this.gather()
  }

  private gather(): void {
    const { now } = this.steps
    const goesAt = this.gathering.startsAt(now, this.links.linked.size + 1)
    if (goesAt <= now) return this.begin()
    this.cancelBoot()
    this.cancelBoot = this.config.clock.after(goesAt - now, () =>
      this.steps.run(() => {
        if (this.phase === 'silent') this.gather()
      }),
    )
  }

  private begin(): void {
    this.cancelBoot()
    this.phase = 'on'
    this.handlers.start(this.state, this)
  }

  /** Whether the algorithm has words for giving leadership up, and they were enough. */
  resign(successor: NodeId): boolean {
    if (!this.canResign) return false
    this.handlers.resign(this.state, successor, this)
    return !this.leads
  }

  /** `left` is what a crash would leave of the state. */
  end(left: AnyState): void {
    this.cancelBoot()
    this.phase = 'off'
    this.alarms.clearAll()
    this.detector.end()
    this.state = left
  }

  // Its lease.

  get hasLease(): boolean {
    return this.deadlines.length > 0
  }

  /** Until when this member may lead, on the monotonic clock: Infinity where the algorithm has no lease. */
  get deadline(): number {
    let earliest = Infinity
    for (const name of this.deadlines) earliest = Math.min(earliest, this.alarms.dueOf(name))
    return earliest
  }

  overdueAt(now: number): string | undefined {
    if (this.phase !== 'on') return undefined
    for (const name of this.deadlines) if (this.alarms.dueOf(name) <= now) return name
    return undefined
  }

  rang(timer: string): void {
    const { steps } = this
    const lateMs = steps.now - this.alarms.dueOf(timer)
    if (this.phase !== 'on' || !this.alarms.take(timer, steps.now)) return
    if (this.deadlines.includes(timer)) {
      steps.cause = 'deadline'
      steps.lateMs = lateMs
    }
    this.handlers.timeout(this.state, timer, this)
  }

  // What links and detector tell.

  connected(peer: NodeId, evidence: 'connected' | 'restarted'): void {
    if (evidence === 'restarted') this.provenDead(peer)
    if (this.phase !== 'off') this.detector.evidence(peer, evidence)
    this.events.connected(peer)
    if (this.phase === 'silent') this.gather()
  }

  received(from: NodeId, frame: Frame): void {
    if (frame.part === 'about') return this.events.about(from, frame.metadata)
    if (frame.part === 'host') {
      if (frame.message.type === 'leaving') return this.farewell(from)
      return this.events.asked(from, frame.message)
    }
    if (this.phase === 'off') return
    this.detector.alive(from)
    if (frame.part === 'detector') return this.detector.message(from, frame.message)
    if (this.phase === 'silent') {
      if (this.steps.now < this.gathering.takesPartFrom) return
      this.begin() // others have begun
    }
    if (this.leaps.isTooFar(frame.message, this.state.term)) return this.links.refused()
    this.detector.heard(from) // first, as in every host: duty 1 of src/core/host-contract.ts
    this.handlers.message(this.state, from, frame.message, this)
  }

  /** It says itself that it leads and follows no longer: nobody need find out. */
  private farewell(from: NodeId): void {
    this.detector.depart(from)
    if (this.phase !== 'on') return
    this.detector.judge(from, 'down')
    this.handlers.dead(this.state, from, this)
    this.detector.giveUp(from)
  }

  lost(peer: NodeId, evidence: 'refused' | 'closed'): void {
    // The detector first: else the algorithm asks it about a peer that it does not yet know to be gone.
    if (this.phase !== 'off') this.detector.evidence(peer, evidence)
    if (evidence === 'refused') this.provenDead(peer)
  }

  private provenDead(peer: NodeId): void {
    if (this.phase === 'on' && this.config.trustRefusals) {
      this.handlers.dead(this.state, peer, this)
    }
  }

  /** By the detector: the latest request, or a watch. */
  answered(peer: NodeId, verdict: 'up' | 'down'): void {
    if (verdict === 'up') this.handlers.up(this.state, peer, this)
    else this.handlers.down(this.state, peer, this)
  }

  // What the algorithm asks for.

  send(peer: NodeId, message: AnyMessage): void {
    this.links.post(peer, { part: 'election', message })
  }

  set(timer: string, minMs: number, maxMs = minMs): void {
    this.alarms.set(timer, this.steps.now, minMs, maxMs)
  }

  clear(timer: string): void {
    this.alarms.clear(timer)
  }

  request(peer: NodeId): void {
    this.detector.request(peer)
  }

  watch(peer: NodeId): void {
    this.detector.watch(peer)
  }

  unwatch(peer: NodeId): void {
    this.detector.unwatch(peer)
  }

  draw(name: string, n: number): void {
    const k = randomInt(n)
    this.steps.follow(() => {
      if (this.phase === 'on') this.handlers.drawn(this.state, name, k, this)
    })
  }
}
