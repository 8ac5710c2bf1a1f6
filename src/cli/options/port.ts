/** A port that somebody gives. */
import { InvalidArgumentError } from 'commander'

export function parsePort(text: string): number {
  const port = /^\d+$/u.test(text) ? Number(text) : NaN
  if (port >= 0 && port <= 65_535) return port
  throw new InvalidArgumentError('must be a port from 0 to 65535.')
}
