/** Remembers the first messages of recent handshakes, so that a recorded one is refused when it is sent again. */
import { createHash } from 'node:crypto'

const MOST = 4096

export class RecentHellos {
  private readonly seen = new Set<string>()

  /** Whether this one is new. The oldest are forgotten: a recording then fails at its first frame. */
  firstUse(hello: Buffer): boolean {
    const digest = createHash('sha256').update(hello).digest('base64')
    if (this.seen.has(digest)) return false
    this.seen.add(digest)
    if (this.seen.size > MOST) for (const oldest of this.seen) return this.seen.delete(oldest)
    return true
  }
}
