/**
 * What hosts say to each other: each frame says whether it belongs to the election, to the detector or to
 * the hosts themselves. Malformed frames stop here.
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
import { receivedMetadata } from '../metadata.ts'

const hostMessages = union({
  /** My life ends, or I take no part for a while: do not wait for my silence. */
  leaving: { successor: node },
  /** I am stronger than you, and fit: hand over when it suits you. */
  takeover: { strength: int(1, Number.MAX_SAFE_INTEGER) },
  /** Why a wish was not granted. */
  declined: { reason: oneOf('not-leader', 'too-soon', 'busy') },
  /** I hold this token of the engine; 0: I hold none any more. */
  fence: { token: int(0, Number.MAX_SAFE_INTEGER) },
  /** The engine is out of my reach: do you still follow me, in this token? */
  'vouch?': { token: int(1, Number.MAX_SAFE_INTEGER), round: int(1, Number.MAX_SAFE_INTEGER) },
  vouch: { round: int(1, Number.MAX_SAFE_INTEGER) },
  /** I am elected, and the engine is out of my reach: is it within yours? */
  'reach?': {},
  reach: {},
})
export type HostMessage = Infer<typeof hostMessages>

export type Frame =
  | { readonly part: 'election' | 'detector'; readonly message: AnyMessage }
  | { readonly part: 'host'; readonly message: HostMessage }
  | { readonly part: 'about'; readonly metadata: Json }

const LETTERS = { election: 'e', detector: 'd', host: 'h', about: 'a' } as const
const PARTS = { e: 'election', d: 'detector', h: 'host' } as const

export class Wire {
  private readonly members: MemberCodec
  private readonly schemas: Readonly<Record<keyof typeof PARTS, UnionSchema>>
  private last: { readonly message: object; readonly p: string; readonly json: Json } | undefined
  private received: { readonly payload: Json; readonly frame: Frame } | undefined

  constructor(members: number, election: UnionSchema, detector: UnionSchema) {
    this.members = numberedMembers(members)
    this.schemas = { e: election, d: detector, h: hostMessages }
  }

  /** One message for many peers is encoded once: who sends to all sends one object, which never changes. */
  encode(frame: Frame): Json {
    if (frame.part === 'about') return { p: LETTERS.about, m: frame.metadata }
    const p = LETTERS[frame.part]
    if (frame.message === this.last?.message && p === this.last.p) return this.last.json
    const json = { p, m: this.schemas[p].toJson(frame.message, this.members) }
    this.last = { message: frame.message, p, json }
    return json
  }

  /** Throws CodecError, which names the field. What is received as one object again and again is read once. */
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
    if (p === 'a') return { part: 'about', metadata: receivedMetadata(m ?? null) }
    if (typeof p !== 'string' || !Object.hasOwn(PARTS, p)) {
      throw new CodecError('frame.p', 'must be e, d, h or a')
    }
    const letter = p as keyof typeof PARTS
    const message = this.schemas[letter].fromJson(m, this.members) as never
    return { part: PARTS[letter], message }
  }
}
