/**
 * Calls the engine within time limits, detects that the engine has lost its state, and reports errors to the operator,
 * once for each kind.
 */
import type { Register } from '../../engines/engine.ts'
import { EngineResetError } from '../errors.ts'
import type { FencingConfig, FencingEvents } from './fencing-config.ts'
import { NOBODY } from './holder-lease.ts'

/** A call that takes longer than this part of the lease is aborted. */
const CALL_PART = 0.5

export class EngineAccess {
  /** Why the engine cannot be used, for the operator. */
  trouble: Error | null = null
  private readonly config: FencingConfig
  private readonly events: FencingEvents

  constructor(config: FencingConfig, events: FencingEvents) {
    this.config = config
    this.events = events
  }

  /** The register, even if its token is below one that was seen. */
  async readUnchecked(signal: AbortSignal): Promise<Register> {
    const { engine, group } = this.config
    return this.call(signal, async (limit) => engine.read(group, limit))
  }

  /** Throws EngineResetError where the token is below one that was seen before the call. */
  async read(signal: AbortSignal): Promise<Register> {
    const { engine, group, store } = this.config
    const seen = store.largest
    const register = await this.readUnchecked(signal)
    if (register.token >= seen) return register
    throw new EngineResetError(engine.name, group, register.token, seen)
  }

  /** Takes the next token; null if another member took it. */
  async take(from: Register, signal: AbortSignal): Promise<Register | null> {
    const { engine, group, names, me, metadata } = this.config
    const claim = { holder: names[me], metadata }
    return this.call(signal, async (limit) => engine.take(group, from, claim, limit))
  }

  /** Leaves the register without a holder, and wakes those who watch it; null if another member took it. */
  async giveUp(held: Register, signal: AbortSignal): Promise<Register | null> {
    const { engine, group } = this.config
    return this.call(signal, async (limit) => engine.take(group, held, NOBODY, limit))
  }

  async renew(held: Register, signal: AbortSignal): Promise<boolean> {
    const { engine, group } = this.config
    return this.call(signal, async (limit) => engine.renew(group, held, limit))
  }

  /** Reports an error once for each kind. */
  report(error: Error): void {
    const { trouble } = this
    this.trouble = error
    if (trouble === null || trouble.name !== error.name) this.events.failed(error)
  }

  private async call<T>(
    signal: AbortSignal,
    request: (limit: AbortSignal) => Promise<T>,
  ): Promise<T> {
    const { clock, leaseMs } = this.config
    const limit = new AbortController()
    const end = (): void => limit.abort()
    const cancel = clock.after(leaseMs * CALL_PART, end)
    signal.addEventListener('abort', end)
    try {
      if (signal.aborted) end()
      return await request(limit.signal)
    } finally {
      cancel()
      signal.removeEventListener('abort', end)
    }
  }
}
