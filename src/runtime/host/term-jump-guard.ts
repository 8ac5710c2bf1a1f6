/**
 * Terms rise by little steps. One that leaps to the end of the numbers, by a fault or on purpose, would leave
 * none to elect anybody in, on every member that believed it, and for good: it is durable.
 */
import type { AnyMessage } from '../../core/algorithm.ts'
import type { UnionSchema } from '../../core/schema.ts'

/** Whoever was away while its group held an election every millisecond for a month is still within it. */
const FARTHEST = 2 ** 42

export class TermJumpGuard {
  /** The fields of each message that count terms. */
  private readonly counters: ReadonlyMap<string, readonly string[]>

  constructor({ variants }: UnionSchema) {
    this.counters = new Map(
      [...variants].map(([type, { entries }]) => [
        type,
        entries
          .filter(({ field: { role } }) => role === 'counter' || role === 'observer')
          .map(({ name }) => name),
      ]),
    )
  }

  /** Whether the message speaks of a term that cannot have been reached since `term`. */
  isTooFar(message: AnyMessage, term: number): boolean {
    for (const name of this.counters.get(message.type)!) {
      const value = (message as unknown as Readonly<Record<string, unknown>>)[name]
      if (typeof value === 'number' && value > term + FARTHEST) return true
    }
    return false
  }
}
