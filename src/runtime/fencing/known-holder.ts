/**
 * Remembers the latest holder of the token that this member knows of, and stores the largest token that the engine has
 * confirmed. A larger token that a peer announces is neither kept nor believed: the engine is asked.
 */
import { NONE, type NodeId } from '../../core/node-id.ts'
import type { Register } from '../../engines/engine.ts'
import type { FencingContext } from './fencing-config.ts'

export class KnownHolder {
  holder: NodeId = NONE
  token = 0
  /** The register as the watch last reported it. It may be old: compare-and-set finds out. */
  watched: Register | null = null
  private readonly context: FencingContext
  /** Whether the engine, or this member's own grant, names the holder; a peer may have named itself. */
  private isConfirmed = false

  constructor(context: FencingContext) {
    this.context = context
  }

  /** A peer announces that it holds this token; 0: none any more. Returns whether the engine must be asked. */
  announced(peer: NodeId, token: number): boolean {
    if (token === 0) this.clear(peer)
    const { largest } = this.context.store
    // While the engine is out of reach, a member that has restarted finds the holder of the token that it has stored.
    if (token === largest && token > this.token) this.change(peer, token, false)
    return token > largest
  }

  /** The engine reports this register. Returns whether its token is durable. */
  read(register: Register): boolean {
    this.watched = register
    const { token } = register
    // Below what was seen, the register is an old copy: its holder holds nothing.
    if (token === 0 || token < this.context.store.largest || !this.makeDurable(token)) return false
    const holder = Math.max(NONE, this.context.names.lastIndexOf(register.holder))
    // An equal token may be one that its holder has given up.
    if (token > this.token || (token === this.token && !this.isConfirmed)) this.set(holder, token)
    return true
  }

  clear(holder: NodeId): void {
    if (this.holder === holder) this.change(NONE, this.token, this.isConfirmed)
  }

  set(holder: NodeId, token: number): void {
    this.change(holder, token, true)
  }

  private change(holder: NodeId, token: number, isConfirmed: boolean): void {
    this.isConfirmed = isConfirmed
    if (this.holder === holder && this.token === token) return
    this.holder = holder
    this.token = token
    this.context.events.holderChanged()
  }

  private makeDurable(token: number): boolean {
    try {
      this.context.store.see(token)
      return true
    } catch (error) {
      this.context.access.report(error as Error)
      return false
    }
  }
}
