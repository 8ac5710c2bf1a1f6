/**
 * The latest incarnation of a peer that was seen, and which ones are rejected after it: earlier ones, and those that no
 * number of restarts can have reached. What was seen long ago rejects nothing. So a wrong number, by a fault or by a
 * holder of the key that claims another's name, does not exclude the member for good.
 */
import type { Rejection } from './handshake.ts'

/** The number of a process, times the restarts within it, must be exact (runtime/host/member.ts). */
const LAST_INCARNATION = 2 ** 32
/** How far an incarnation may be ahead of the last one that was seen, and how much further for each second since. */
const LEAP = 1000
const STARTS_PER_SECOND = 20

export class SeenIncarnation {
  /** -1: none. */
  latest = -1
  /** When this incarnation connected, or was last connected. */
  private atMs = 0

  note(incarnation: number, now: number): void {
    this.latest = incarnation
    this.atMs = now
  }

  /** Its connection has ended. */
  disconnected(now: number): void {
    this.atMs = now
  }

  /** `rememberedMs`: for how long one that is not connected rejects earlier ones. */
  rejectionOf(
    incarnation: number,
    isConnected: boolean,
    rememberedMs: number,
    now: number,
  ): Rejection | undefined {
    const { latest: seen } = this
    const sinceMs = now - this.atMs
    if (incarnation < seen && (isConnected || sinceMs < rememberedMs)) {
      const running = `${seen} is connected: another process with this id has started since: stop one of the two`
      const detail = `incarnation ${incarnation} is over: ${isConnected ? running : `${seen} has been seen`}`
      return { field: 'incarnation', detail, ...(!isConnected && { seen }) }
    }
    const furthest = seen + LEAP + (STARTS_PER_SECOND * sinceMs) / 1000
    if (incarnation <= LAST_INCARNATION && (seen < 0 || incarnation <= furthest)) return undefined
    const detail = `incarnation ${incarnation} cannot follow ${Math.max(0, seen)} so soon`
    return { field: 'incarnation', detail }
  }
}
