/** Writes a run as a link or a command, parses links, and packs and unpacks a trace for a link. A link has the same keys as the command line and a trace. */
import type { Settings } from '../simulation/worker-protocol.ts'

export interface Route {
  readonly page: string
  /** What follows the page's name: `bully` in `#/learn/bully`. */
  readonly rest: string
  readonly query: URLSearchParams
}

export function parseRoute(hash: string): Route {
  const [path, ...query] = hash.replace(/^#\/?/u, '').split('?')
  const [page = '', ...rest] = path.split('/')
  return { page: page || 'lab', rest: rest.join('/'), query: new URLSearchParams(query.join('?')) }
}

/** Keys of a link that are not settings of a run. */
const OTHERS = new Set(['v', 'at', 'with', 'trace', 'theme', 'preset', 'slow'])

export function settingsOf(query: URLSearchParams): Settings {
  return [...query].filter(([key]) => !OTHERS.has(key))
}

/** Escapes only the characters that would break a link. */
function queryOf(pairs: Iterable<readonly [string, string]>): string {
  return [...pairs].map(([key, value]) => `${key}=${escape(value)}`).join('&')
}

function escape(text: string): string {
  return encodeURIComponent(text).replaceAll(/%(?:40|2C|3A|3E|2F|7C)/gu, (code) =>
    code === '%7C' || code === '%3E' ? code : decodeURIComponent(code),
  )
}

export function linkOf(settings: Settings, more: Settings = []): string {
  const version: Settings = [['v', LAB_VERSION]]
  return `#/lab?${queryOf([...version, ...settings, ...more])}`
}

/** The command that simulates the same run. */
export function commandOf(settings: Settings): string {
  const quoted = (value: string): string => (/^[\w.,:@%+=-]+$/u.test(value) ? value : `'${value}'`)
  const options = settings.map(([key, value]) => `--${key} ${quoted(value)}`)
  return ['bellwether simulate', ...options].join(' ')
}

/** Compresses a text so that it fits into a link. */
export async function pack(text: string): Promise<string> {
  const bytes = await through(new TextEncoder().encode(text), new CompressionStream('deflate-raw'))
  let binary = ''
  for (const byte of bytes) binary += String.fromCharCode(byte)
  return btoa(binary).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')
}

export async function unpack(packed: string): Promise<string> {
  const binary = atob(packed.replaceAll('-', '+').replaceAll('_', '/'))
  const bytes = Uint8Array.from(binary, (character) => character.charCodeAt(0))
  return new TextDecoder().decode(await through(bytes, new DecompressionStream('deflate-raw')))
}

async function through(
  bytes: Uint8Array<ArrayBuffer>,
  stream: CompressionStream | DecompressionStream,
): Promise<Uint8Array> {
  const piped = new Blob([bytes]).stream().pipeThrough(stream)
  return new Uint8Array(await new Response(piped).arrayBuffer())
}
