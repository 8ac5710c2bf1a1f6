/**
 * Remembers the latest holder of the token that this member knows of, from its peers and from the engine, and stores
 * the largest token.
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

  constructor(context: FencingContext) {
    this.context = context
  }

  /** A peer announces that it holds this token; 0: none any more. Returns whether the token is durable. */
  announced(peer: NodeId, token: number): boolean {
    if (token === 0) this.clear(peer)
    if (token === 0 || !this.makeDurable(token)) return false
    if (token >= this.token) this.set(peer, token)
    return true
  }

  /** The engine reports this register. Returns whether its token is durable. */
  read(register: Register): boolean {
    this.watched = register
    const { token } = register
    if (token === 0 || !this.makeDurable(token)) return false
    const holder = Math.max(NONE, this.context.names.indexOf(register.holder))
    // An equal token may be one that its holder has given up.
    if (token > this.token) this.set(holder, token)
    return true
  }

  clear(holder: NodeId): void {
    if (this.holder === holder) this.set(NONE, this.token)
  }

  set(holder: NodeId, token: number): void {
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
