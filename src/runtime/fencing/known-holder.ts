/** The latest holder of the token that I know of, as peers and the engine tell. */
import { NONE, type NodeId } from '../../core/node-id.ts'
import type { Register } from '../../engines/engine.ts'
import type { EngineAccess } from './engine-access.ts'
import type { FencingConfig, FencingEvents } from './fencing-config.ts'

export class KnownHolder {
  holder: NodeId = NONE
  token = 0
  /** What the watch told last. It may be old: only a read is the truth, and compare-and-set finds out. */
  told: Register | null = null
  private readonly config: FencingConfig
  private readonly events: FencingEvents
  private readonly access: EngineAccess

  constructor(config: FencingConfig, events: FencingEvents, access: EngineAccess) {
    this.config = config
    this.events = events
    this.access = access
  }

  /** A peer says that it holds this token; 0: none any more. Returns whether the token is remembered. */
  heard(peer: NodeId, token: number): boolean {
    if (token === 0) this.letGo(peer)
    if (token === 0 || !this.remember(token)) return false
    if (token >= this.token) this.note(peer, token)
    return true
  }

  /** The engine says so. Returns whether the token is remembered. */
  read(register: Register): boolean {
    this.told = register
    const { token } = register
    if (token === 0 || !this.remember(token)) return false
    const holder = Math.max(NONE, this.config.names.indexOf(register.holder))
    // Not again for a token that its holder has told me to forget.
    if (token > this.token) this.note(holder, token)
    return true
  }

  letGo(holder: NodeId): void {
    if (this.holder === holder) this.note(NONE, this.token)
  }

  note(holder: NodeId, token: number): void {
    if (this.holder === holder && this.token === token) return
    this.holder = holder
    this.token = token
    this.events.learnt()
  }

  private remember(token: number): boolean {
    try {
      this.config.store.see(token)
      return true
    } catch (error) {
      this.access.report(error as Error)
      return false
    }
  }
}
