/**
 * A host that carries out the duties of src/core/host-contract.ts literally, in any order that a test asks for.
 *
 * It shows that the conformance suite of hosts can fail: with two duties swapped, the contract probe must
 * notice. Events are drawn from a seed. Between any two duties the process may crash, and a timer that counts
 * may fire.
 */
import {
  handlersOf,
  type AnyHandlers,
  type AnyMessage,
  type AnyState,
  type Out,
} from '../../src/core/algorithm.ts'
import { detectorHandlersOf } from '../../src/core/detector.ts'
import { Group } from '../../src/core/group.ts'
import type { StepDuty } from '../../src/core/host-contract.ts'
import type { NodeId } from '../../src/core/node-id.ts'
import { Random } from '../../src/core/random.ts'
import { type ContractProbe, LEASE_MS } from '../support/contract-probe.ts'

const TIMING = { messageMs: 5, processingMs: 0, detectionMs: 20, watchMs: 20, periodMs: 100 }

interface Event {
  readonly kind: string
  readonly message?: AnyMessage
  run(handlers: AnyHandlers, state: AnyState, out: Out<AnyMessage>): void
}

interface Process {
  readonly me: NodeId
  state: AnyState
  /** What the disk holds. */
  disk: AnyState
  isUp: boolean
  hasStarted: boolean
  readonly timers: Map<string, number>
  readonly inbox: AnyMessage[]
  /** Verdicts and draws that the host owes. */
  readonly answers: Event[]
}

export class ReferenceHost {
  private readonly probe: ContractProbe
  private readonly order: readonly StepDuty[]
  private readonly random: Random
  private readonly isHasty: boolean
  private readonly handlers: AnyHandlers
  private readonly processes: Process[]
  private now = 0

  /** `isHasty`: expired deadlines do not come first. */
  constructor(probe: ContractProbe, order: readonly StepDuty[], seed: number, isHasty = false) {
    this.probe = probe
    this.isHasty = isHasty
    this.order = order
    this.random = new Random(seed)
    const group = new Group(2, TIMING)
    this.handlers = handlersOf(probe.algorithm, group)
    this.processes = [1, 2].map((me) => this.processOf(me))
    probe.now = () => this.now
    probe.notifiesDetector = true
  }

  run(events: number): void {
    for (let left = events; left > 0; left--) {
      const process = this.processes[this.random.below(2)]
      // Most pauses are short; a few are longer than a lease.
      this.now += this.chance(20) ? LEASE_MS + 5 : this.random.below(3)
      if (!process.isUp) this.recover(process)
      else if (!process.hasStarted) this.start(process)
      else {
        const event = this.nextEvent(process)
        if (event !== undefined) this.step(process, event)
      }
    }
  }

  private processOf(me: NodeId): Process {
    const init = (): AnyState => this.probe.algorithm.state.init() as AnyState
    return {
      me,
      state: init(),
      disk: init(),
      isUp: true,
      hasStarted: false,
      timers: new Map(),
      inbox: [],
      answers: [],
    }
  }

  private chance(oneIn: number): boolean {
    return this.random.below(oneIn) === 0
  }

  private start(process: Process): void {
    process.hasStarted = true
    this.step(process, { kind: 'start', run: (h, s, out) => h.start(s, out) })
  }

  private recover(process: Process): void {
    const { state } = this.probe.algorithm
    process.state = state.copy(process.disk) as AnyState
    process.isUp = true
    process.hasStarted = false
  }

  private crash(process: Process): void {
    process.isUp = false
    process.disk = this.probe.algorithm.state.afterCrash(process.disk) as AnyState
    process.timers.clear()
    process.inbox.length = 0
    process.answers.length = 0
    this.probe.crashed(process.me)
  }

  private nextEvent(process: Process): Event | undefined {
    const choice = this.random.below(3)
    if (choice === 0) return this.dueTimer(process)
    if (choice === 1) return process.answers.shift()
    const message = process.inbox.shift()
    if (message === undefined) return undefined
    const from = 3 - process.me
    return { kind: 'message', message, run: (h, s, out) => h.message(s, from, message, out) }
  }

  private dueTimer(process: Process, onlyLease = false): Event | undefined {
    for (const [timer, due] of process.timers) {
      if (due > this.now || (onlyLease && timer !== 'lease')) continue
      process.timers.delete(timer)
      return { kind: timer, run: (h, s, out) => h.timeout(s, timer, out) }
    }
    return undefined
  }

  /** The duties, one after the other, in the order under test. */
  private step(process: Process, event: Event): void {
    const expired =
      this.isHasty || event.kind === 'lease' ? undefined : this.dueTimer(process, true)
    if (expired !== undefined) this.step(process, expired)
    if (!process.isUp) return
    const begunAt = this.now
    const sends: AnyMessage[] = []
    const settings: (() => void)[] = []
    const out = this.outOf(process, sends, settings, begunAt)
    const duties: Record<StepDuty, () => void> = {
      'notify the detector': () => {
        if (event.message === undefined) return
        const { detector } = this.probe
        const handlers = detectorHandlersOf(detector, new Group(2, TIMING))
        handlers.heard(detector.state.init(), 3 - process.me, out as never)
      },
      'run the handler': () => event.run(this.handlers, process.state, out),
      'persist stable fields': () => {
        process.disk = this.probe.algorithm.state.copy(process.state) as AnyState
      },
      'send messages': () => {
        const peer = this.processes[2 - process.me]
        for (const message of sends.splice(0))
          if (peer.isUp && peer.hasStarted) peer.inbox.push(message)
      },
      'start timers': () => {
        for (const apply of settings.splice(0)) apply()
      },
      'publish the state': () => {
        if (process.state.term > process.disk.term) {
          this.probe.breach('publish the state', 'a term was visible before it was durable')
        }
        if (process.state['leased'] === true && !process.timers.has('lease')) {
          this.probe.breach('publish the state', 'a deadline was visible before it counted')
        }
      },
    }
    for (const duty of this.order) {
      duties[duty]()
      if (this.chance(40)) this.crash(process)
      else if (duty === 'start timers' && this.chance(3)) this.fireOverdue(process)
      if (!process.isUp) return
    }
  }

  /** Time passes inside a step: a timer that already counts may fire. */
  private fireOverdue(process: Process): void {
    this.now += 2
    const due = this.dueTimer(process)
    if (due !== undefined) this.step(process, due)
  }

  private outOf(
    process: Process,
    sends: AnyMessage[],
    settings: (() => void)[],
    begunAt: number,
  ): Out<AnyMessage> {
    return {
      me: process.me,
      incarnation: 1 + (process.disk['incarnation'] as number),
      send: (_peer, message) => void sends.push(message),
      set: (timer, ms) => void settings.push(() => process.timers.set(timer, begunAt + ms)),
      clear: (timer) => void settings.push(() => process.timers.delete(timer)),
      request: (peer) =>
        void process.answers.push({ kind: 'up', run: (h, s, out) => h.up(s, peer, out) }),
      watch: () => undefined,
      unwatch: () => undefined,
      draw: (name, n) => {
        const k = this.random.below(n)
        process.answers.push({ kind: 'drawn', run: (h, s, out) => h.drawn(s, name, k, out) })
      },
    }
  }
}
