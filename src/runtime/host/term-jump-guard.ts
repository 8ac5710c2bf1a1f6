/**
 * Rejects messages whose term no group can have reached. Terms rise by small steps and are durable: one that
 * jumped to the end of the numbers, by a fault or on purpose, would leave no term for another election.
 */
import type { AnyMessage } from '../../core/algorithm.ts'
import type { UnionSchema } from '../../core/schema.ts'

/** One election in each millisecond for more than a hundred years. */
const LONGEST_JUMP = 2 ** 42

export class TermJumpGuard {
  /** The fields of each message type that hold terms. */
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

  /** Whether the message names a term that cannot have been reached since `term`. */
  isTooFar(message: AnyMessage, term: number): boolean {
    return this.counters.get(message.type)!.some((name) => {
      const value = message[name]
      return typeof value === 'number' && value > term + LONGEST_JUMP
    })
  }
}
