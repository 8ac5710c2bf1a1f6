/** An engine of this process, for tests: it can be put out of reach, paused, and emptied. */
import {
  EMPTY,
  EngineError,
  isSame,
  type Claim,
  type Engine,
  type Register,
  type Watcher,
} from './engine.ts'

/** What outlives the engines of single members, as a server does. */
export class MemoryRegisters {
  readonly registers = new Map<string, Register>()
  readonly watchers = new Set<{ readonly group: string; readonly tell: () => void }>()
  /** Nobody reaches it: calls reject at once. */
  down = false
  /** It accepts calls and does not answer them. */
  paused = false

  /** As a server that lost its disk. */
  empty(): void {
    this.registers.clear()
  }

  tell(group: string): void {
    for (const watcher of this.watchers) if (watcher.group === group) watcher.tell()
  }
}

export class MemoryEngine implements Engine {
  readonly name = 'memory'
  /** Only this member cannot reach it. */
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

  async take(
    group: string,
    from: Register,
    claim: Claim,
    signal: AbortSignal,
  ): Promise<Register | null> {
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
    let last: Register | null = null
    const tell = (): void => {
      if (this.cut || this.server.down || this.server.paused) return
      const register = this.server.registers.get(group) ?? EMPTY
      if (isSame(last, register)) return
      last = register
      watcher.changed(register)
    }
    const entry = { group, tell }
    this.server.watchers.add(entry)
    signal.addEventListener('abort', () => this.server.watchers.delete(entry))
    setImmediate(tell)
  }

  async reseed(group: string, above: number, signal: AbortSignal): Promise<Register> {
    await this.reach(signal)
    const { token } = this.server.registers.get(group) ?? EMPTY
    return this.set(group, { ...EMPTY, token: Math.max(token, above) + 1 })
  }

  async close(): Promise<void> {}

  private set(group: string, register: Register): Register {
    this.server.registers.set(group, register)
    setImmediate(() => this.server.tell(group))
    return register
  }

  private async reach(signal: AbortSignal): Promise<void> {
    await new Promise((resolve) => {
      setImmediate(resolve)
    })
    if (this.cut || this.server.down) throw new EngineError('memory: out of reach')
    if (!this.server.paused) return
    await new Promise<void>((resolve) => {
      signal.addEventListener('abort', () => resolve(), { once: true })
    })
    throw new EngineError('memory did not answer in time')
  }
}

export function memory(server?: MemoryRegisters): MemoryEngine {
  return new MemoryEngine(server)
}
