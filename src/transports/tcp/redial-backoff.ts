/**
 * When to dial again after a dial failed: at once the first time it is wanted, then after a wait drawn
 * from 0 to base · 2ᵏ, at most a maximum ("full jitter"), so that members that lost one peer at one
 * moment do not knock at its door together for ever after.
 */
export class Redial {
  private failures = 0
  private notBeforeMs = 0
  private readonly baseMs: number
  private readonly maxMs: number
  private readonly random: () => number

  constructor(baseMs: number, maxMs: number, random: () => number = Math.random) {
    this.baseMs = baseMs
    this.maxMs = maxMs
    this.random = random
  }

  failed(nowMs: number): void {
    const ceiling = Math.min(this.maxMs, this.baseMs * 2 ** Math.min(this.failures, 30))
    this.failures += 1
    this.notBeforeMs = nowMs + this.random() * ceiling
  }

  succeeded(): void {
    this.failures = 0
    this.notBeforeMs = 0
  }

  /** How long a dial that is wanted now has to wait. */
  waitMs(nowMs: number): number {
    return Math.max(0, this.notBeforeMs - nowMs)
  }
}
