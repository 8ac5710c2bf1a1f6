/** Splits the text of an address into host and port: `10.0.0.1:7400`, `db-1:7400`, `[::1]:7400`. */

export interface HostAndPort {
  /** Without the brackets of an IPv6 address. */
  readonly host: string
  /** Undefined where the text has none, as in the Host header of a default port. */
  readonly port: number | undefined
}

export function splitAddress(text: string): HostAndPort | undefined {
  const match = /^(?:\[([\da-f]*:[\da-f:.]*)\]|([^:[\]\s/?#@]+))(?::(\d{1,5}))?$/iu.exec(text)
  if (match === null) return undefined
  const port = match[3] === undefined ? undefined : Number(match[3])
  if (port !== undefined && port > 65_535) return undefined
  return { host: match[1] ?? match[2], port }
}
