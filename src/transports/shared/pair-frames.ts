/**
 * The frames that two processes exchange for all groups that they share: announcements of groups, frames of one group
 * under its number, and beats. Writes and parses them.
 *
 * A group has a number, which the sender of a frame chose when it announced the group. Nothing else names the group.
 */
import type { Json } from '../../core/schema.ts'
import { readIntroduction, readRejection, type Introduction, type Rejection } from '../handshake.ts'

/** As of the option `group`. */
const LONGEST_NAME = 200

export type PairFrame =
  /** The first frame of a connection. Another one means that the sender has begun anew; `true`: since the receiver has. */
  | readonly ['session', boolean]
  /** The sender has a member in this group. `asks`: it wants the same about the receiver's, or `joined` where there is none. */
  | readonly ['open', number, Introduction, boolean]
  /**
   * All groups that the sender has joined so far have been announced, and how many frames it has sent on this connection.
   * In these groups its members run, and have no such peer as the receiver.
   */
  | readonly ['joined', number, readonly string[]]
  /** The sender's member of the group of this number, which is the receiver's, rejects the receiver's. */
  | readonly ['reject', number, Rejection]
  /** The member has left: none of the group runs in the sender's process. */
  | readonly ['close', number]
  /** The leader asks its follower to let beats stand for heartbeats; the follower agrees to this question; one of them ends it. */
  | readonly ['rest?' | 'rest', number, number]
  | readonly ['wake', number]
  /** A beat and its answer: its number, and how many frames the sender has sent on this connection. */
  | readonly ['beat' | 'answer', number, number]
  /** A frame of a group. */
  | readonly [number, Json]

export function asJson(frame: PairFrame): Json {
  return frame as unknown as Json
}

/** Undefined where it is malformed. */
export function readPairFrame(json: Json): PairFrame | undefined {
  if (!Array.isArray(json)) return undefined
  const [kind, first, second, third] = json
  if (isCount(kind)) return json.length === 2 ? [kind, first] : undefined
  if (typeof kind !== 'string') return undefined
  switch (kind) {
    case 'session':
      return typeof first === 'boolean' ? [kind, first] : undefined
    case 'open': {
      const introduction = readIntroduction(second)
      const isWhole =
        isCount(first) && introduction !== undefined && introduction.cluster.length <= LONGEST_NAME
      return isWhole ? [kind, first, introduction, third === true] : undefined
    }
    case 'reject': {
      const rejection = readRejection(second)
      return isCount(first) && rejection !== undefined ? [kind, first, rejection] : undefined
    }
    case 'beat':
    case 'answer':
    case 'rest?':
    case 'rest':
      return isCount(first) && isCount(second) ? [kind, first, second] : undefined
    case 'joined':
      return isCount(first) && isNames(second) ? [kind, first, second] : undefined
    case 'close':
    case 'wake':
      return isCount(first) ? [kind, first] : undefined
    default:
      return undefined
  }
}

function isNames(json: Json | undefined): json is string[] {
  return Array.isArray(json) && json.every((name) => typeof name === 'string')
}

function isCount(json: Json | undefined): json is number {
  return typeof json === 'number' && Number.isSafeInteger(json) && json >= 0
}
