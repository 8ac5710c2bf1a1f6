/**
 * Computes how long to wait before the next dial after failed ones: a random time from half of base · 2ᵏ to all of it,
 * at most a maximum. So members that lost a peer at the same moment do not dial it together again and again, and elect
 * another leader before they dial it again.
 */
export class RedialBackoff {
  maxMs: number
  private failures = 0
  private notBeforeMs = 0
  private readonly baseMs: number
  private readonly random: () => number

  constructor(baseMs: number, maxMs: number, random: () => number = Math.random) {
    this.baseMs = baseMs
    this.maxMs = maxMs
    this.random = random
  }

  /** `leastMs`: the ceiling of the wait is at least this. */
  failed(nowMs: number, leastMs = 0): void {
    const growing = Math.min(this.maxMs, this.baseMs * 2 ** Math.min(this.failures, 30))
    const ceiling = Math.max(leastMs, growing)
    this.failures += 1
    this.notBeforeMs = nowMs + ((1 + this.random()) / 2) * ceiling
  }

  succeeded(): void {
    this.failures = 0
    this.notBeforeMs = 0
  }

  waitMs(nowMs: number): number {
    return Math.max(0, this.notBeforeMs - nowMs)
  }
}
