/**
 * Defines the frames between hosts, encodes them as JSON, and decodes and validates them; each names the part that it
 * belongs to: the election, the detector or the hosts themselves.
 */
import type { AnyMessage } from '../../core/algorithm.ts'
import {
  CodecError,
  int,
  node,
  numberedMembers,
  oneOf,
  union,
  type Infer,
  type Json,
  type MemberCodec,
  type UnionSchema,
} from '../../core/schema.ts'
import { MOST_SEATS } from '../membership/group-configuration.ts'
import { receivedMetadata } from '../metadata.ts'

const count = (min: number) => int(min, Number.MAX_SAFE_INTEGER)

export const hostMessages = union({
  /** This incarnation of the sender takes no part from now on: its peers need not wait for its silence. */
  leaving: { successor: node, incarnation: count(1) },
  /** The sender is stronger than the leader and asks it to hand over. */
  takeover: { strength: count(1) },
  /** Why the leader does not hand over. */
  declined: { reason: oneOf('not-leader', 'too-soon', 'busy') },
  /** The sender holds this token of the engine; 0: it no longer holds one. */
  fence: { token: count(0) },
  /** The leader cannot reach the engine: does the receiver still follow it, in this token? */
  'vouch?': { token: count(1), round: count(1) },
  vouch: { round: count(1) },
  /** The sender is elected and cannot reach the engine: can the receiver? */
  'reach?': {},
  reach: {},
})
export type HostMessage = Infer<typeof hostMessages>

/** A frame that is for the layer above the member. */
export type HostFrame =
  | { readonly part: 'host'; readonly message: HostMessage }
  | { readonly part: 'metadata'; readonly metadata: Json }

export type Frame =
  { readonly part: 'election' | 'detector'; readonly message: AnyMessage } | HostFrame

const LETTERS = { election: 'e', detector: 'd', host: 'h' } as const
const PARTS = { e: 'election', d: 'detector', h: 'host' } as const

export class Wire {
  private readonly members: MemberCodec
  private readonly schemas: Readonly<Record<keyof typeof PARTS, UnionSchema>>
  private last: { readonly message: object; readonly p: string; readonly json: Json } | undefined
  private received: { readonly payload: Json; readonly frame: Frame } | undefined

  constructor(election: UnionSchema, detector: UnionSchema) {
    this.members = numberedMembers(MOST_SEATS)
    this.schemas = { e: election, d: detector, h: hostMessages }
  }

  /** A message to many peers is one object that never changes: it is encoded once. */
  encode(frame: Frame): Json {
    if (frame.part === 'metadata') return { p: 'a', m: frame.metadata }
    const p = LETTERS[frame.part]
    if (frame.message === this.last?.message && p === this.last.p) return this.last.json
    const json = { p, m: this.schemas[p].toJson(frame.message, this.members) }
    this.last = { message: frame.message, p, json }
    return json
  }

  /** Throws CodecError, which names the field. A payload that arrives as the same object again is decoded once. */
  decode(payload: Json): Frame {
    if (payload === this.received?.payload) return this.received.frame
    const frame = this.read(payload)
    this.received = { payload, frame }
    return frame
  }

  private read(payload: Json): Frame {
    if (typeof payload !== 'object' || payload === null || Array.isArray(payload)) {
      throw new CodecError('frame', 'must be an object')
    }
    const { p, m } = payload
    if (p === 'a') return { part: 'metadata', metadata: receivedMetadata(m ?? null) }
    if (typeof p !== 'string' || !Object.hasOwn(PARTS, p)) {
      throw new CodecError('frame.p', 'must be e, d, h or a')
    }
    const letter = p as keyof typeof PARTS
    const message = this.schemas[letter].fromJson(m, this.members) as never
    return { part: PARTS[letter], message }
  }
}
