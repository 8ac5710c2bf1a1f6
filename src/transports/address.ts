/**
 * Parses and writes the addresses of members and servers, `host:port` with IPv6 hosts in brackets, and recognises the
 * loopback interface.
 */
import { isIP } from 'node:net'
import { splitAddress } from '../core/address.ts'
import { TransportError } from './errors.ts'

export interface Address {
  readonly host: string
  readonly port: number
}

/** Throws TransportError. */
export function parseAddress(text: string): Address {
  const { host = '', port } = splitAddress(text) ?? {}
  if (port === undefined || (host.includes(':') && isIP(host) !== 6)) {
    throw new TransportError(
      `address ${JSON.stringify(text)}: give host:port, such as 10.0.0.1:7400`,
    )
  }
  return { host, port }
}

export function showAddress({ host, port }: Address): string {
  return host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`
}

/** Whether the host is surely this machine. A name other than `localhost` may lead elsewhere. */
export function isLoopback(host: string): boolean {
  const bare = host.toLowerCase().replace(/^::ffff:(?=\d+\.)/, '')
  if (bare === 'localhost' || bare === '::1') return true
  return isIP(bare) === 4 && bare.startsWith('127.')
}
