/**
 * The errors of transports: one for a configuration that cannot work, one for received bytes that violate the
 * protocol.
 */

/** The transport cannot start as configured; the message says what the operator can do. */
export class TransportError extends Error {
  override readonly name = 'TransportError'
}

/** The received bytes violate the protocol. Ends the connection, never the process. */
export class WireError extends Error {
  override readonly name = 'WireError'
  /** The name of its counter. */
  readonly counter: string

  constructor(counter: string, message: string) {
    super(message)
    this.counter = counter
  }
}
