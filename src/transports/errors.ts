/**
 * Defines the errors of transports: a configuration or connection that cannot work, an address that cannot be used, and
 * received bytes that violate the protocol.
 */
import { BellwetherError } from '../core/errors/bellwether-error.ts'
import type { ErrorCode } from '../core/errors/error-code.ts'

/** The transport cannot start as configured, or a visit got no answer that can be used; the message says why. */
export class TransportError extends BellwetherError {
  override readonly name: string = 'TransportError'
  readonly code: ErrorCode = 'transport'
}

/** The address cannot be used: another process listens there, or this machine does not have it. */
export class ListenError extends TransportError {
  override readonly name = 'ListenError'
  override readonly code = 'listen'
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
