/** The transport cannot start as it was asked to; the sentence says what the operator can do. */
export class TransportError extends Error {
  override readonly name = 'TransportError'
}

/** What arrived is not what was agreed on. Ends its connection, never the process. */
export class WireError extends Error {
  override readonly name = 'WireError'
  /** The counter that it is counted under. */
  readonly counter: string

  constructor(counter: string, message: string) {
    super(message)
    this.counter = counter
  }
}
