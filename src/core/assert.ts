/**
 * Assertions, which stay on in production, and the error that a failed one throws. A failed one is a defect in
 * bellwether, never an operating failure.
 */
export class InvariantError extends Error {
  override readonly name = 'InvariantError'
}

export function assert(condition: unknown, message: string): asserts condition {
  if (!condition) throw new InvariantError(message)
}
