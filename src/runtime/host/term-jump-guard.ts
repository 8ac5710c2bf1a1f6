/**
 * Rejects messages whose term no group can have reached. Terms rise by small steps and are durable: one that
 * jumped to the end of the numbers, by a fault or on purpose, would leave no term for another election.
 *
 * How far terms can have risen depends on the time, not on the number of messages: a group holds at most so many
 * elections a second, since a fixed day. All members compute about the same limit, so they believe one another
 * whatever a malicious member told one of them, and a member that is far behind catches up at once.
 *
 * A member whose wall clock is wrong, or whose group was driven up under an earlier version, finds its peers beyond
 * that limit: a term that a majority names is believed as well. No term is believed that leaves less than half of
 * the numbers for elections.
 */
import type { AnyMessage, AnyState } from '../../core/algorithm.ts'
import type { NodeId } from '../../core/node-id.ts'
import { majority } from '../../core/quorum.ts'
import type { RecordSchema, UnionSchema } from '../../core/schema.ts'

/** More than any group holds on average. At this rate terms last for more than a thousand years. */
const ELECTIONS_PER_MS = 0.1
const FIRST_DAY_MS = Date.UTC(2026, 0, 1)
/** Believed whatever the wall clock says: one election in three seconds for a century. */
const LEAST = 2 ** 30
/** How many elections a group that is beyond the limit may hold at once: what it may otherwise hold in ten seconds. */
const STEP = 1000
/** In the unit of terms. */
const LAST_TERM = 2 ** 52

interface Counter {
  readonly name: string
  /** How much an election adds. */
  readonly stride: number
}

export class TermJumpGuard {
  /** The fields of each message type that hold terms. */
  private readonly counters: ReadonlyMap<string, readonly Counter[]>
  private quorum = 0
  private readonly wallMs: () => number
  /** The largest number of elections that each member has named beyond the limit. */
  private readonly claims = new Map<NodeId, number>()
  /** What a majority named, or this member had stored. */
  private attested: { readonly elections: number; readonly atMs: number }

  constructor({ variants }: UnionSchema, members: number, wallMs = Date.now) {
    this.counters = new Map([...variants].map(([type, schema]) => [type, countersOf(schema)]))
    this.countMembers(members)
    this.wallMs = wallMs
    this.attested = { elections: 0, atMs: wallMs() }
  }

  countMembers(members: number): void {
    this.quorum = majority(members)
  }

  /** This member starts with this state, which it or its peers have believed before. */
  begin(state: AnyState, schema: RecordSchema): void {
    this.believe(electionsIn(state, countersOf(schema)))
  }

  /** Whether peers without a majority that attests it would not believe this state. */
  isBeyond(state: AnyState, schema: RecordSchema): boolean {
    return electionsIn(state, countersOf(schema)) > this.limit
  }

  /** Whether the message names a term that cannot have been reached. */
  isTooFar(from: NodeId, message: AnyMessage): boolean {
    const counters = this.counters.get(message.type)!
    if (counters.some(({ name }) => (message[name] as number) > LAST_TERM)) return true
    const elections = electionsIn(message, counters)
    if (elections <= this.limit) return false
    this.claims.set(from, elections)
    const claims = [...this.claims.values()].toSorted((a, b) => b - a)
    if (claims.length >= this.quorum) this.believe(claims[this.quorum - 1])
    return elections > this.limit
  }

  private get limit(): number {
    const { elections, atMs } = this.attested
    const nowMs = this.wallMs()
    const sinceMs = Math.max(0, nowMs - atMs)
    return Math.max(
      LEAST,
      (nowMs - FIRST_DAY_MS) * ELECTIONS_PER_MS,
      elections + STEP + sinceMs * ELECTIONS_PER_MS,
    )
  }

  private believe(elections: number): void {
    if (elections > this.limit) this.attested = { elections, atMs: this.wallMs() }
  }
}

function countersOf({ entries }: RecordSchema): readonly Counter[] {
  return entries
    .filter(({ field: { role } }) => role === 'counter' || role === 'observer')
    .map(({ name, field: { stride } }) => ({ name, stride }))
}

function electionsIn(record: object, counters: readonly Counter[]): number {
  let most = 0
  for (const { name, stride } of counters) {
    most = Math.max(most, (record as Record<string, number>)[name] / stride)
  }
  return most
}
