/** Calls to the engine, bounded by time; and what is wrong with it. */
import type { Register } from '../../engines/engine.ts'
import { EngineResetError } from '../errors.ts'
import type { FencingConfig, FencingEvents } from './fencing-config.ts'

/** An answer that takes longer than this part of the lease is given up. */
const CALL_PART = 0.5

export class EngineAccess {
  /** What keeps the engine from being used, for the operator. */
  trouble: Error | null = null
  private readonly config: FencingConfig
  private readonly events: FencingEvents

  constructor(config: FencingConfig, events: FencingEvents) {
    this.config = config
    this.events = events
  }

  /** The register, whatever it says. */
  async peek(signal: AbortSignal): Promise<Register> {
    const { engine, group } = this.config
    return this.ask(signal, async (soon) => engine.read(group, soon))
  }

  /** Throws EngineResetError where the register is below what was seen before it was asked. */
  async read(signal: AbortSignal): Promise<Register> {
    const { engine, group, store } = this.config
    const seen = store.largest
    const register = await this.peek(signal)
    if (register.token >= seen) return register
    throw new EngineResetError(engine.name, group, register.token, seen)
  }

  /** The next token for me; null if it is another's. */
  async take(from: Register, signal: AbortSignal): Promise<Register | null> {
    const { engine, group, names, me, metadata } = this.config
    const claim = { holder: names[me], metadata }
    return this.ask(signal, async (soon) => engine.take(group, from, claim, soon))
  }

  async renew(held: Register, signal: AbortSignal): Promise<boolean> {
    const { engine, group } = this.config
    return this.ask(signal, async (soon) => engine.renew(group, held, soon))
  }

  /** Each trouble once. */
  report(error: Error): void {
    const { trouble } = this
    this.trouble = error
    if (trouble === null || trouble.name !== error.name) this.events.failed(error)
  }

  /** A call to the engine, bounded by time and by the signal; nothing of it stays behind. */
  private async ask<T>(signal: AbortSignal, call: (soon: AbortSignal) => Promise<T>): Promise<T> {
    const { clock, leaseMs } = this.config
    const limit = new AbortController()
    const end = (): void => limit.abort()
    const cancel = clock.after(leaseMs * CALL_PART, end)
    signal.addEventListener('abort', end)
    try {
      if (signal.aborted) end()
      return await call(limit.signal)
    } finally {
      cancel()
      signal.removeEventListener('abort', end)
    }
  }
}
