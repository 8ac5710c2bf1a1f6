/**
 * Decides, without reading a clock, when the record of a holder in the engine may be taken by a candidate that knows the
 * holder by that record alone.
 *
 * The holder's lease runs from the moment at which it sent the last renewal that the engine confirmed to it before its
 * lease was over. A candidate counts from the moment at which it first saw the record as it is, which is later, for the
 * holder's lease and a part more, as clocks drift; and it then asks the engine once more. So the holder's term has ended
 * before another candidate takes the record, and no clocks are compared. A record without a holder is free at once.
 */
import type { Json } from '../../core/schema.ts'
import type { Claim, Register } from '../../engines/engine.ts'

/** How much longer a candidate waits than the lease: clocks may drift apart by 10 %. */
const DRIFT = 1.1

export class HolderLease {
  private record: Pick<Register, 'token' | 'beat'> = { token: -1, beat: 0 }
  private seenAt = -Infinity
  private leaseMs: number
  private readonly ownLeaseMs: number

  /** `ownLeaseMs`: for a holder whose record does not say how long its lease is. */
  constructor(ownLeaseMs: number) {
    this.ownLeaseMs = ownLeaseMs
    this.leaseMs = ownLeaseMs
  }

  get token(): number {
    return this.record.token
  }

  /** The record as an answer had it that arrived at this moment. The time counts from the first of equal answers. */
  observe({ token, beat, metadata }: Register, now: number): void {
    if (this.record.token === token && this.record.beat === beat) return
    this.record = { token, beat }
    this.seenAt = now
    this.leaseMs = readClaim(metadata).leaseMs ?? this.ownLeaseMs
  }

  /** From when on a candidate asks the engine once more. */
  get overAt(): number {
    return this.seenAt + DRIFT * this.leaseMs
  }

  /** Whether the observed record, for which the engine was asked at `askedAt`, shows that the holder's lease is over. */
  isOver(askedAt: number): boolean {
    return askedAt >= this.overAt
  }
}

/** Whether a holder has given the record up, or there was none. */
export function isFree({ token, holder }: Register): boolean {
  return token === 0 || holder === ''
}

/** What a holder gives up the record with. */
export const NOBODY: Claim = { holder: '', metadata: null }

/** The metadata of a record. */
interface HolderClaim {
  /** How long the lease of its holder is. */
  readonly leaseMs?: number
  /** Which process holds it: another one may have the same name. */
  readonly process?: string
  /** What the user gave. */
  readonly metadata: Json
}

export function writeClaim({ leaseMs, process, metadata }: Required<HolderClaim>): Json {
  return { leaseMs, process, metadata }
}

/** A member of a group with a mesh writes the metadata that the user gave, and nothing else. */
export function readClaim(metadata: Json): HolderClaim {
  if (typeof metadata !== 'object' || metadata === null || Array.isArray(metadata)) {
    return { metadata }
  }
  const {
    leaseMs,
    process = '',
    metadata: given = null,
  } = metadata as Readonly<Record<string, Json>>
  const isClaim = typeof leaseMs === 'number' && leaseMs > 0 && typeof process === 'string'
  return isClaim ? { leaseMs, process, metadata: given } : { metadata }
}
