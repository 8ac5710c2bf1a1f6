/** A token bucket that limits the frames of a peer: `burst` at once, `perSecond` on average. */
export class RateLimit {
  private readonly perMs: number
  private readonly burst: number
  private tokens: number
  private lastMs = 0

  constructor(perSecond: number, burst: number) {
    this.perMs = perSecond / 1000
    this.burst = burst
    this.tokens = burst
  }

  /** Whether one more of this cost is allowed at `nowMs`, which must not decrease. */
  allows(nowMs: number, cost = 1): boolean {
    const refill = (nowMs - this.lastMs) * this.perMs
    this.tokens = Math.min(this.burst, this.tokens + refill)
    this.lastMs = nowMs
    if (this.tokens < 1) return false
    this.tokens -= cost
    return true
  }
}
