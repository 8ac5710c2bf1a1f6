/** `host:port`, with IPv6 hosts in brackets: `10.0.0.1:7400`, `db-1:7400`, `[::1]:7400`. */
import { isIP } from 'node:net'
import { TransportError } from './errors.ts'

export interface Address {
  readonly host: string
  readonly port: number
}

export function parseAddress(text: string): Address {
  const match = /^(?:\[([^\]]+)\]|([^:[\]\s]+)):(\d{1,5})$/.exec(text)
  const port = Number(match?.[3])
  if (match === null || port > 65_535 || (match[1] !== undefined && isIP(match[1]) !== 6)) {
    throw new TransportError(
      `address ${JSON.stringify(text)}: give host:port, such as 10.0.0.1:7400`,
    )
  }
  return { host: match[1] ?? match[2], port }
}

export function showAddress({ host, port }: Address): string {
  return host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`
}

/** Whether nobody outside this machine can reach it. A name other than `localhost` proves nothing. */
export function isLoopback(host: string): boolean {
  const bare = host.toLowerCase().replace(/^::ffff:(?=\d+\.)/, '')
  if (bare === 'localhost' || bare === '::1') return true
  return isIP(bare) === 4 && bare.startsWith('127.')
}
