/** An engine that keeps its registers in memory, for tests: it can be cut off, paused and emptied. */
import { setImmediate as nextTurn } from 'node:timers/promises'
import { setImmediate } from '../clock/native-timers.ts'
import {
  changesTo,
  checkSeed,
  EMPTY,
  EngineError,
  type Claim,
  type Engine,
  type Register,
  type Watcher,
} from './engine.ts'
import { aborted } from './connections.ts'

/** The registers that the engines of several members share, as a server holds them. */
export class MemoryRegisters {
  readonly registers = new Map<string, Register>()
  readonly watchers = new Set<{ readonly group: string; readonly notify: () => void }>()
  /** No member reaches it: calls reject at once. */
  down = false
  /** It accepts calls and does not answer. */
  paused = false

  empty(): void {
    this.registers.clear()
  }

  notify(group: string): void {
    for (const watcher of this.watchers) if (watcher.group === group) watcher.notify()
  }
}

export class MemoryEngine implements Engine {
  readonly name = 'memory'
  /** This member alone cannot reach it. */
  cut = false
  private readonly server: MemoryRegisters

  constructor(server: MemoryRegisters = new MemoryRegisters()) {
    this.server = server
  }

  async load(): Promise<void> {}

  async read(group: string, signal: AbortSignal): Promise<Register> {
    await this.reach(signal)
    return this.server.registers.get(group) ?? EMPTY
  }

  async take(group: string, from: Register, claim: Claim, signal: AbortSignal) {
    await this.reach(signal)
    const { token } = this.server.registers.get(group) ?? EMPTY
    if (token !== from.token) return null
    return this.set(group, { ...EMPTY, ...claim, token: token + 1 })
  }

  async renew(group: string, held: Register, signal: AbortSignal): Promise<boolean> {
    await this.reach(signal)
    const register = this.server.registers.get(group) ?? EMPTY
    if (register.token !== held.token) return false
    this.server.registers.set(group, { ...register, beat: register.beat + 1 })
    return true
  }

  watch(group: string, watcher: Watcher, signal: AbortSignal): void {
    const report = changesTo(watcher, signal)
    const notify = (): void => {
      if (this.cut || this.server.down || this.server.paused) return
      report(this.server.registers.get(group) ?? EMPTY)
    }
    const entry = { group, notify }
    this.server.watchers.add(entry)
    signal.addEventListener('abort', () => this.server.watchers.delete(entry))
    setImmediate(notify)
  }

  async reseed(group: string, above: number, signal: AbortSignal): Promise<Register> {
    checkSeed(this.name, above)
    await this.reach(signal)
    const { token } = this.server.registers.get(group) ?? EMPTY
    return this.set(group, { ...EMPTY, token: Math.max(token, above) + 1 })
  }

  async close(): Promise<void> {}

  private set(group: string, register: Register): Register {
    this.server.registers.set(group, register)
    setImmediate(() => this.server.notify(group))
    return register
  }

  private async reach(signal: AbortSignal): Promise<void> {
    await nextTurn()
    if (this.cut || this.server.down) throw new EngineError('memory: out of reach')
    if (!this.server.paused) return
    await aborted(signal)
    throw new EngineError('memory did not answer in time')
  }
}

export function memory(server?: MemoryRegisters): MemoryEngine {
  return new MemoryEngine(server)
}
