/**
 * The messages of the handshake of two members: writes and parses introductions, compares them, and explains why a
 * peer is rejected.
 *
 * The dialler sends `hello`. The listener compares and answers `welcome`, or `rejected` with the field that differs.
 * (Under a pre-shared key both prove that they hold it before that: see tcp/security/pre-shared-key.ts.) The dialler may send
 * frames right after the message on which the listener decides: they are read only if it accepts. So an urgent message
 * does not wait for the answer.
 *
 * A visitor, which is no member, sends `visit` instead of `hello`, then one question, and gets one answer.
 */
import { randomBytes } from 'node:crypto'
import type { Json } from '../core/schema.ts'
import { printable } from './printable.ts'
import type { Identity } from './transport.ts'

/** The version of the protocol, and the oldest one that is accepted. From 3 on the configuration of a group can change. */
export const PROTOCOL = 3
const OLDEST_PROTOCOL = 2
export const PROTOCOL_OF_CHANGES = 3
/** How many options of a peer are read, and how many that differ are named. */
const MAX_OPTIONS = 32
const MOST_NAMED = 4
/** Who asks a question without being a member. */
const VISITOR = 'the visitor'

/** The options that all members of a group share, as text. */
export type Options = Readonly<Record<string, string>>

export type SecurityName = 'plain' | 'tls' | 'psk'

export interface Introduction extends Required<Identity> {
  readonly protocol: number
  readonly oldest: number
  readonly security: SecurityName
  /** The process token, drawn at every start: it distinguishes two processes with the same id and incarnation. */
  readonly life: string
  /** The member that the sender dials; its address may lead to another one. */
  readonly to: string
}

/** How a visitor introduces itself. */
export interface Visit extends Pick<
  Introduction,
  'protocol' | 'oldest' | 'cluster' | 'security' | 'to'
> {}

/** Why a peer is rejected: the field that differs, and a sentence. */
export interface Rejection {
  readonly field: string
  readonly detail: string
  /** The later incarnation that the peer has seen, where it is not connected. */
  readonly seen?: number
}

export function newProcessToken(): string {
  return randomBytes(12).toString('base64url')
}

export function introductionOf(
  { id, cluster, configuration, fixed, changed, seat, options, incarnation }: Identity,
  { security, life, to }: Pick<Introduction, 'security' | 'life' | 'to'>,
): Introduction {
  const [protocol, oldest] = [PROTOCOL, OLDEST_PROTOCOL]
  const shared = { configuration, fixed: fixed ?? '', changed: changed ?? false }
  const own = { seat: seat ?? 0, options: options ?? {}, id, incarnation }
  return { protocol, oldest, cluster, ...shared, ...own, security, life, to }
}

/** `to`: the member that is to answer; empty: whichever is there. */
export function visitOf(cluster: string, security: SecurityName, to: string): Visit {
  return { protocol: PROTOCOL, oldest: OLDEST_PROTOCOL, cluster, security, to }
}

/** Undefined where it is malformed. Unknown fields are ignored. */
export function readVisit(json: Json | undefined): Visit | undefined {
  if (!isRecord(json)) return undefined
  const { protocol, oldest, cluster, security, to } = json
  if (!isCount(protocol) || !isCount(oldest)) return undefined
  if (typeof cluster !== 'string' || typeof to !== 'string' || !isSecurity(security))
    return undefined
  return { protocol, oldest, cluster, security, to }
}

/** Undefined where it is malformed. Unknown fields are ignored. */
export function readIntroduction(json: Json | undefined): Introduction | undefined {
  if (!isRecord(json)) return undefined
  const visit = readVisit(json)
  const { configuration, fixed = '', changed, id, incarnation, life } = json
  const { seat = 0 } = json
  if (visit === undefined || !isCount(incarnation) || !isCount(seat)) return undefined
  if (typeof id !== 'string' || typeof life !== 'string') return undefined
  if (typeof configuration !== 'string' || typeof fixed !== 'string') return undefined
  const options = readOptions(json['options'])
  const shared = { configuration, fixed, changed: changed === true, options }
  return { ...visit, ...shared, seat, id, incarnation, life }
}

/** They only explain: what is no text is left out. */
export function readOptions(json: Json | undefined): Options {
  const entries = isRecord(json) ? Object.entries(json).slice(0, MAX_OPTIONS) : []
  return Object.fromEntries(
    entries.flatMap(([name, value]) => (typeof value === 'string' ? [[name, value]] : [])),
  )
}

/**
 * The first difference of two introductions; both sides compare alike. The sentence says which member has which value,
 * so that it reads the same for both.
 */
export function compare(mine: Introduction, theirs: Introduction): Rejection | undefined {
  const difference = compareGroups(mine, theirs)
  if (difference !== undefined) return difference
  if (!canShareConfiguration(mine, theirs)) return compareOptions(mine, theirs)
  if (theirs.to !== mine.id) return wrongAddress(mine.id, theirs.to)
  if (theirs.id === mine.id) {
    const detail = `${quote(mine.id)} is the id of this member too: give every member its own`
    return { field: 'id', detail }
  }
  return undefined
}

/** Where the configuration of one has changed, the messages of the election decide which of the two is the newer one. */
function canShareConfiguration(mine: Introduction, theirs: Introduction): boolean {
  if (mine.configuration === theirs.configuration) return true
  return mine.fixed !== '' && mine.fixed === theirs.fixed && (mine.changed || theirs.changed)
}

/** A member of this name that was removed has another seat than the one that has the name now. */
export function compareSeats(expected: number, theirs: Introduction): Rejection | undefined {
  const { seat, id } = theirs
  if (expected === 0 || seat === 0 || seat === expected) return undefined
  const detail = `${quote(id)} has seat ${expected} in this group, not ${seat}: the member of that seat was removed`
  return { field: 'seat', detail }
}

/** Why the member does not answer the visitor, if it does not. */
export function compareVisit(mine: Introduction, theirs: Visit): Rejection | undefined {
  const difference = compareGroups(mine, theirs)
  if (difference !== undefined || theirs.to === '' || theirs.to === mine.id) return difference
  return wrongAddress(mine.id, theirs.to)
}

function compareGroups(
  mine: Visit & Partial<Introduction>,
  theirs: Visit & Partial<Introduction>,
): Rejection | undefined {
  const [me, them] = [mine.id ?? VISITOR, theirs.id ?? VISITOR]
  if (theirs.protocol < mine.oldest || mine.protocol < theirs.oldest) {
    const [my, their] = [mine, theirs].map(({ oldest, protocol }) => `${oldest} to ${protocol}`)
    return { field: 'protocol', detail: differs('protocol', [me, my], [them, their]) }
  }
  for (const field of ['cluster', 'security'] as const) {
    if (theirs[field] === mine[field]) continue
    return { field, detail: differs(field, [me, mine[field]], [them, theirs[field]]) }
  }
  return undefined
}

/** Names a few of the options that differ; a peer that gives none of them has a hash. */
function compareOptions(mine: Introduction, theirs: Introduction): Rejection {
  const field = 'configuration'
  const details = optionsThatDiffer(mine.options, theirs.options)
    .slice(0, MOST_NAMED)
    .map(([name, my, their]) => differs(printable(name, 64), [mine.id, my], [theirs.id, their]))
  if (details.length > 0 && Object.keys(theirs.options).length > 0) {
    return { field, detail: details.join('; ') }
  }
  const hashes = [mine, theirs].map(({ id, configuration }) => [id, configuration] as const)
  return { field, detail: differs(field, hashes[0], hashes[1]) }
}

/** The name of each option that differs, and both values. A peer chooses its names: `toString` is one too. */
export function optionsThatDiffer(
  mine: Options,
  theirs: Options,
): (readonly [name: string, mine: string, theirs: string])[] {
  const names = [...new Set([...Object.keys(mine), ...Object.keys(theirs)])]
  const valueOf = (options: Options, name: string): string =>
    Object.hasOwn(options, name) ? rounded(options[name]) : 'not set'
  return names
    .map((name) => [name, valueOf(mine, name), valueOf(theirs, name)] as const)
    .filter(([, my, their]) => my !== their)
}

/** `133.33333333333334 ms` is `133.333 ms`. */
function rounded(text: string): string {
  return text.replaceAll(/\d+\.\d{4,}/gu, (number) =>
    String(Math.round(Number(number) * 1000) / 1000),
  )
}

function wrongAddress(mine: string, dialled: string): Rejection {
  return { field: 'to', detail: `${quote(dialled)} was dialled, and ${quote(mine)} answered` }
}

/** Says who has which value, in the order of the names: so it reads the same on both sides. */
function differs(
  name: string,
  ...values: readonly [readonly [string, string], readonly [string, string]]
): string {
  const sorted = values.toSorted(([a], [b]) => (a < b ? -1 : 1))
  const shown = sorted.map(([id, value]) => `${quote(value)} at ${printable(id, 64)}`)
  return `${name} is ${shown.join(' and ')}`
}

/** Quotes a peer's text for a message, and cuts it where it is long. */
export function quote(text: string): string {
  return `"${printable(text, 64)}"`
}

/** The content of a handshake frame of this kind: `{ kind: content }`. */
export function contentOf(json: Json, kind: string): Json | undefined {
  return isRecord(json) && Object.hasOwn(json, kind) ? json[kind] : undefined
}

export function readRejection(json: Json | undefined): Rejection | undefined {
  if (!isRecord(json)) return undefined
  const { field, detail, seen } = json
  if (typeof field !== 'string' || typeof detail !== 'string') return undefined
  const rejection = { field: field.slice(0, 64), detail: detail.slice(0, 512) }
  return typeof seen === 'number' && Number.isSafeInteger(seen) ? { ...rejection, seen } : rejection
}

export function isRecord(json: Json | undefined): json is { [key: string]: Json } {
  return typeof json === 'object' && json !== null && !Array.isArray(json)
}

function isSecurity(json: Json | undefined): json is SecurityName {
  return json === 'plain' || json === 'tls' || json === 'psk'
}

function isCount(json: Json | undefined): json is number {
  return typeof json === 'number' && Number.isSafeInteger(json) && json >= 0
}
