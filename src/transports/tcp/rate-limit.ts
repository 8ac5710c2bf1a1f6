/** A token bucket: `burst` at once, `perSecond` for long. The caller brings the time. */
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

  /** Whether one more is allowed at `nowMs`, which never falls. */
  allows(nowMs: number): boolean {
    const refill = (nowMs - this.lastMs) * this.perMs
    this.tokens = Math.min(this.burst, this.tokens + refill)
    this.lastMs = nowMs
    if (this.tokens < 1) return false
    this.tokens -= 1
    return true
  }
}
