/**
 * Runs a candidate of a group without a mesh, which knows the others by the record in the engine alone: watches the
 * record, takes it when its holder has given it up or has stopped renewing it (holder-lease.ts), holds and renews it,
 * and gives it up so that a successor need not wait.
 *
 * One loop makes all calls but those of the watch, so a record is never given up while it is being taken.
 */
import { randomUUID } from 'node:crypto'
import { sleepOn } from '../../clock/sleep.ts'
import type { Json } from '../../core/schema.ts'
import type { Register } from '../../engines/engine.ts'
import { EngineAccess } from './engine-access.ts'
import type { Arbiter, FencingConfig, FencingContext, FencingEvents } from './fencing-config.ts'
import { HeldToken } from './held-token.ts'
import { HolderLease, isFree, readClaim, writeClaim } from './holder-lease.ts'

interface Holder {
  readonly name: string
  readonly metadata: Json
}

const FREE: Holder = { name: '', metadata: null }

export class Candidate implements Arbiter {
  private readonly context: FencingContext
  private readonly lease: HolderLease
  private readonly held: HeldToken
  private readonly closed = new AbortController()
  /** Of calls that `close` does not end: what was sent may be carried out. */
  private readonly unending = new AbortController().signal
  /** Ends the pause between two looks at the record. */
  private pause = new AbortController()
  /** While the member stands. */
  private candidacy: AbortController | null = null
  /** Whether the record is to be given up, which this member held when it left. */
  private givesUp = false
  /** A record without a holder that the watch has reported. */
  private reported: Register | null = null
  /** Names this process in the record: it may have taken a token without knowing it, and another process may have its name. */
  private readonly process = randomUUID()
  private readAt = -Infinity
  private known: Holder | null = null
  private running: Promise<void> = Promise.resolve()

  constructor(config: FencingConfig, events: FencingEvents) {
    const { leaseMs, metadata, names, me } = config
    const claim = writeClaim({ leaseMs, process: this.process, metadata })
    const claimed = { ...config, metadata: claim }
    this.context = { ...claimed, events, access: new EngineAccess(claimed, events) }
    this.lease = new HolderLease(leaseMs)
    const known = {
      set: () => this.know({ name: names[me], metadata }),
      clear: () => this.know(FREE),
    }
    this.held = new HeldToken(this.context, { known })
  }

  get token(): number {
    return this.context.store.largest
  }

  get deadline(): number {
    return this.held.deadline
  }

  get trouble(): Error | null {
    return this.context.access.trouble
  }

  get holder(): string {
    return this.known?.name ?? ''
  }

  /** What the holder gave to `join`. */
  get metadata(): Json {
    return this.known?.metadata ?? null
  }

  /** Whether the engine has answered lately: otherwise nobody knows who holds the record. */
  get isInformed(): boolean {
    return this.known !== null
  }

  open(): void {
    const { engine, group } = this.context
    engine.watch(group, { changed: (register) => this.changed(register) }, this.closed.signal)
    this.running = this.run()
  }

  /** Resolves when the record is given up, or its lease must end by itself because the engine is out of reach. */
  async close(): Promise<void> {
    this.leave()
    this.closed.abort()
    await this.running
    await this.context.engine.close()
  }

  stand(): void {
    if (this.candidacy !== null || this.closed.signal.aborted) return
    this.candidacy = new AbortController()
    this.pause.abort()
  }

  leave(): void {
    if (this.candidacy === null) return
    this.held.check()
    this.givesUp = this.held.token !== null
    this.held.release()
    this.candidacy.abort()
    this.candidacy = null
  }

  check(): void {
    this.held.check()
  }

  /** There are no peers. */
  received(): boolean {
    return false
  }

  connected(): void {}

  /** The watch reports another token. */
  private changed(register: Register): void {
    const { store, access, clock } = this.context
    if (register.token < store.largest) return // an old copy, or a reset, which the next read finds
    try {
      store.see(register.token)
    } catch (error) {
      return access.report(error as Error)
    }
    this.held.yieldTo(register.token)
    if (register.token > this.lease.token) {
      this.lease.observe(register, clock.now())
      this.know(holderOf(register))
    }
    if (!isFree(register)) return
    this.reported = register
    this.pause.abort()
  }

  private async run(): Promise<void> {
    const { signal } = this.closed
    while (!signal.aborted) {
      this.pause = new AbortController()
      try {
        await this.look()
      } catch (error) {
        if (signal.aborted) return
        this.failed(error as Error)
      }
      await sleepOn(this.context.clock, this.pauseMs, AbortSignal.any([signal, this.pause.signal]))
    }
  }

  /** Until the record changes, as far as the watch reports it; a candidate that failed comes back at another moment. */
  private get pauseMs(): number {
    const { clock, leaseMs, periodMs } = this.context
    const pollMs = Math.min(periodMs, leaseMs / 4)
    if (this.trouble !== null) return pollMs * (0.5 + Math.random())
    const leftMs = this.lease.overAt - clock.now()
    return leftMs > 0 ? Math.min(pollMs, leftMs) : pollMs * Math.random()
  }

  private failed(error: Error): void {
    const { access, clock, leaseMs } = this.context
    access.report(error)
    if (clock.now() > Math.max(this.readAt + leaseMs, this.lease.overAt)) this.know(null)
  }

  /** Looks at the record, and takes and holds it where that is right. */
  private async look(): Promise<void> {
    const { clock } = this.context
    const askedAt = clock.now()
    const register = this.takeReported() ?? (await this.read())
    const isOver = isFree(register) || this.lease.isOver(askedAt)
    this.know(isOver ? FREE : holderOf(register))
    const isOwn = readClaim(register.metadata).process === this.process
    if (this.candidacy !== null && (isOver || isOwn)) await this.take(register)
  }

  /** A record that was given up is taken without a look at it: the engine compares. */
  private takeReported(): Register | null {
    const { reported } = this
    this.reported = null
    return reported !== null && reported.token >= this.token ? reported : null
  }

  private async read(): Promise<Register> {
    const { access, clock, store } = this.context
    const register = await access.read(this.closed.signal)
    store.see(register.token)
    this.readAt = clock.now()
    access.trouble = null
    this.lease.observe(register, this.readAt)
    return register
  }

  private async take(from: Register): Promise<void> {
    const { access, clock, store } = this.context
    const sentAt = clock.now()
    const register = await access.take(from, this.unending)
    if (register === null) return
    store.see(register.token) // durable before anything depends on it
    access.trouble = null
    this.lease.observe(register, clock.now())
    if (this.candidacy === null) this.givesUp = true
    else await this.held.hold({ register, sentAt }, this.candidacy.signal)
    if (this.givesUp) await this.giveUp(register)
    else this.pause.abort() // it was lost, and may be free
  }

  private async giveUp(register: Register): Promise<void> {
    this.givesUp = false
    await this.context.access.giveUp(register, this.unending)
  }

  private know(holder: Holder | null): void {
    const isSame = JSON.stringify(holder) === JSON.stringify(this.known)
    this.known = holder
    if (!isSame) this.context.events.holderChanged()
  }
}

function holderOf({ holder: name, metadata }: Register): Holder {
  return { name, metadata: readClaim(metadata).metadata }
}
