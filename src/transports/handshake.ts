/**
 * What two members say to each other before the first frame, and what they refuse each other for.
 *
 * The dialler sends `hello`. The listener compares and answers `welcome`, or `rejected` with the field
 * that differs. (A pre-shared key puts a challenge and a proof in between: see psk.ts.) The dialler may
 * send frames right behind the message that lets the listener decide: they are read only if it agrees,
 * and a link that is opened for an urgent message carries it without waiting for the answer.
 */
import { randomBytes } from 'node:crypto'
import type { Json } from '../core/schema.ts'
import type { Identity } from './transport.ts'

/** The wire version that we speak, and the oldest that we still understand. */
const PROTOCOL = 1
const OLDEST_PROTOCOL = 1

export type SecurityName = 'plain' | 'tls' | 'psk'

export interface Introduction extends Identity {
  readonly protocol: number
  readonly oldest: number
  readonly security: SecurityName
  /** Drawn at every start: two processes that claim one id and one incarnation are told apart. */
  readonly life: string
  /** Whom I believe to be talking to; an address may lead to somebody else. */
  readonly to: string
}

/** Why a peer is turned away: the field that differs, and a sentence. */
export interface Rejection {
  readonly field: string
  readonly detail: string
}

export function newProcessToken(): string {
  return randomBytes(12).toString('base64url')
}

export function introduce(
  { id, cluster, configuration, incarnation }: Identity,
  {
    security,
    life,
    to,
  }: { readonly security: SecurityName; readonly life: string; readonly to: string },
): Introduction {
  const [protocol, oldest] = [PROTOCOL, OLDEST_PROTOCOL]
  return { protocol, oldest, cluster, configuration, id, incarnation, security, life, to }
}

/** Reads a peer's introduction; undefined where it is none. Fields that we do not know are ignored. */
export function readIntroduction(json: Json | undefined): Introduction | undefined {
  if (!isRecord(json)) return undefined
  const { protocol, oldest, cluster, configuration, id, incarnation, security, life, to } = json
  if (!isCount(protocol) || !isCount(oldest) || !isCount(incarnation)) return undefined
  if (typeof cluster !== 'string' || typeof configuration !== 'string') return undefined
  if (typeof id !== 'string' || typeof life !== 'string' || typeof to !== 'string') return undefined
  if (security !== 'plain' && security !== 'tls' && security !== 'psk') return undefined
  return { protocol, oldest, cluster, configuration, id, incarnation, security, life, to }
}

/** Compares two introductions, both sides alike; the first difference is named. */
export function compare(mine: Introduction, theirs: Introduction): Rejection | undefined {
  if (theirs.protocol < mine.oldest || mine.protocol < theirs.oldest) {
    const range = `${theirs.oldest} to ${theirs.protocol}`
    return differs('protocol', `${mine.oldest} to ${mine.protocol}`, range)
  }
  for (const field of ['cluster', 'security', 'configuration'] as const) {
    if (theirs[field] !== mine[field]) return differs(field, mine[field], theirs[field])
  }
  if (theirs.to !== mine.id) return differs('to', mine.id, theirs.to)
  if (theirs.id === mine.id) {
    return { field: 'id', detail: `${show(mine.id)} is my own id: give every member its own` }
  }
  return undefined
}

function differs(field: string, mine: string, theirs: string): Rejection {
  return { field, detail: `${field} is ${show(mine)} here and ${show(theirs)} there` }
}

/** A peer's text in a sentence: quoted, and cut where it is long. */
export function show(text: string): string {
  return JSON.stringify(text.length > 64 ? `${text.slice(0, 64)}…` : text)
}

/** The one message of its kind in a handshake frame: `{ kind: content }`. */
export function partOf(json: Json, kind: string): Json | undefined {
  return isRecord(json) && Object.hasOwn(json, kind) ? json[kind] : undefined
}

export function readRejection(json: Json | undefined): Rejection | undefined {
  if (!isRecord(json)) return undefined
  const { field, detail } = json
  if (typeof field !== 'string' || typeof detail !== 'string') return undefined
  return { field: field.slice(0, 64), detail: detail.slice(0, 512) }
}

export function isRecord(json: Json | undefined): json is { [key: string]: Json } {
  return typeof json === 'object' && json !== null && !Array.isArray(json)
}

function isCount(json: Json | undefined): json is number {
  return typeof json === 'number' && Number.isSafeInteger(json) && json >= 0
}
