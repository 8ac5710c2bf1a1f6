/** A token bucket that limits the frames of a peer. */

interface Rate {
  /** On average. */
  readonly perSecond: number
  /** At once. */
  readonly burst: number
}

export class RateLimit {
  private readonly rate: () => Rate
  private tokens = Infinity
  private lastMs = 0

  /** The rate may change. */
  constructor(rate: () => Rate) {
    this.rate = rate
  }

  /** Whether one more of this cost is allowed at `nowMs`, which must not decrease. */
  allows(nowMs: number, cost = 1): boolean {
    const { perSecond, burst } = this.rate()
    const refill = ((nowMs - this.lastMs) * perSecond) / 1000
    this.tokens = Math.min(burst, this.tokens + refill)
    this.lastMs = nowMs
    if (this.tokens < 1) return false
    this.tokens -= cost
    return true
  }
}
