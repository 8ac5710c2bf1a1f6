/** Writes a run as a link, parses links, and packs and unpacks a trace for a link. A link has the same keys as the command line and a trace. */
import { queryOf } from '../../../src/sim/settings/settings-link.ts'
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
const OTHERS = new Set([
  'v',
  'at',
  'with',
  'trace',
  'theme',
  'lang',
  'preset',
  'speed',
  'select',
  'challenge',
  'embed',
  'names',
  'live',
])

/** `slow` without a time is the speed in links of earlier versions. */
function isSpeed(key: string, value: string): boolean {
  return key === 'slow' && !value.includes('@')
}

export function settingsOf(query: URLSearchParams): Settings {
  return [...query].filter(([key, value]) => !OTHERS.has(key) && !isSpeed(key, value))
}

/** The speed of the animation that a link asks for: `speed=1/64`; undefined: none. */
export function speedOf(query: URLSearchParams): number | undefined {
  const earlier = query.getAll('slow').find((value) => isSpeed('slow', value))
  const [above, below = '1'] = (query.get('speed') ?? (earlier ? `1/${earlier}` : '')).split('/')
  const speed = Number(above || NaN) / Number(below)
  return speed > 0 && Number.isFinite(speed) ? speed : undefined
}

export function showSpeed(speed: number): string {
  return speed < 1 ? `1/${Math.round(1 / speed)}` : String(speed)
}

export function linkOf(settings: Settings, more: Settings = []): string {
  const version: Settings = [['v', LAB_VERSION]]
  return `#/lab?${queryOf([...version, ...settings, ...more])}`
}

/** Whether two lists of settings describe the same run. */
export function sameSettings(a: Settings, b: Settings): boolean {
  return queryOf(a) === queryOf(b)
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
