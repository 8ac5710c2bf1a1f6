/**
 * What a member is, apart from the values of its ids and counters: its plain fields, its armed timers,
 * what it asked the detector, what it draws. Each distinct one is numbered; a global state holds the
 * numbers.
 */
import type { Algorithm } from '../../core/algorithm.ts'
import type { NodeId } from '../../core/node-id.ts'
import { RecordLayout, type FieldValues } from './record-layout.ts'
import { WordTable } from '../tables/word-table.ts'

/** BURIED: down for good. SILENT: recovered, announced, and not yet started. Up to DOWN a member is down. */
export const Mode = { UNRECOVERABLE: 0, DOWN: 1, STARTING: 2, UP: 3 } as const

/** What the detector may answer to an open request: what the peer was since. */
export const SEEN_UP = 1
export const SEEN_DOWN = 2
/** A watch: on; on, and the peer has been down. */
export const WATCHED = 1
export const WATCHED_DOWN = 3

interface PendingDraw {
  readonly name: string
  readonly n: number
}

/** A local configuration that a step works on. */
export interface LocalState {
  record: FieldValues
  mode: number
  /** Bit t: timer t is armed. */
  timers: number
  /** Two bits for each member: SEEN_UP, SEEN_DOWN; WATCHED, WATCHED_DOWN. */
  requests: number
  watches: number
  draws: readonly PendingDraw[]
}

/** The same, numbered: what the search reads on its hot path. */
export interface LocalStateSummary {
  readonly mode: number
  readonly status: string
  readonly leader: NodeId
  readonly timers: number
  readonly requests: number
  readonly watches: number
  /** How many values the pending draw has; 0: none is pending. */
  readonly draw: number
}

export function flagsOf(flags: number, peer: NodeId): number {
  return (flags >>> (2 * (peer - 1))) & 3
}

export function withFlags(flags: number, peer: NodeId, value: number): number {
  const shift = 2 * (peer - 1)
  return (flags & ~(3 << shift)) | (value << shift)
}

const HEADER = 3

export class LocalStates {
  readonly layout: RecordLayout
  readonly timerNames: readonly string[]
  readonly all: LocalStateSummary[] = []
  private readonly table = new WordTable()
  private readonly words: Int32Array
  private readonly drawNames: string[] = []
  private readonly withoutRequestCache = new Map<number, number>()

  constructor(algorithm: Algorithm, members: number, exact: boolean) {
    this.layout = new RecordLayout(algorithm.state, members, exact)
    this.timerNames = Object.keys(algorithm.timers)
    this.words = new Int32Array(HEADER + this.layout.plain.words + 64)
  }

  get size(): number {
    return this.all.length
  }

  /** Whether anybody was ever seen to draw. */
  get draws(): boolean {
    return this.drawNames.length > 0
  }

  number(local: LocalState): number {
    const { words, layout } = this
    const plain = layout.plain.words
    const length = HEADER + plain + local.draws.length
    words[0] = length | (local.mode << 8) | (local.timers << 10)
    words[1] = local.requests
    words[2] = local.watches
    layout.packPlain(local.record, words, HEADER)
    local.draws.forEach(({ name, n }, i) => {
      words[HEADER + plain + i] = this.drawNumber(name) | (n << 8)
    })
    const number = this.table.add(words, length)
    if (this.table.added) this.all.push(numbered(local))
    return number
  }

  /** The configuration behind a number; its sources are `fresh`, its ids and counters 0. */
  get(number: number, fresh: number): LocalState {
    const { words, layout } = this
    this.table.read(number, words, 1)
    const length = words[0] & 0xff
    this.table.read(number, words, length)
    const draws: PendingDraw[] = []
    for (let i = HEADER + layout.plain.words; i < length; i++) {
      draws.push({ name: this.drawNames[words[i] & 0xff], n: words[i] >>> 8 })
    }
    return {
      mode: (words[0] >>> 8) & 3,
      timers: words[0] >>> 10,
      requests: words[1],
      watches: words[2],
      record: layout.unpackPlain(words, HEADER, fresh),
      draws,
    }
  }

  /** The same configuration with its question about a peer closed. */
  withoutRequest(number: number, peer: NodeId): number {
    const key = number * 8 + peer
    const known = this.withoutRequestCache.get(key)
    if (known !== undefined) return known
    const local = this.get(number, 0)
    local.requests = withFlags(local.requests, peer, 0)
    const closed = this.number(local)
    this.withoutRequestCache.set(key, closed)
    return closed
  }

  /** The name of the draw that a configuration waits for. */
  drawName(number: number): string {
    return this.get(number, 0).draws[0].name
  }

  private drawNumber(name: string): number {
    const known = this.drawNames.indexOf(name)
    return known >= 0 ? known : this.drawNames.push(name) - 1
  }
}

function numbered({
  record,
  mode,
  timers,
  requests,
  watches,
  draws,
}: LocalState): LocalStateSummary {
  const draw = draws.length === 0 ? 0 : draws[0].n
  const status = record['status'] as string
  // A member that is down or silent follows nobody, whatever it keeps on its disk.
  const leader = mode === Mode.UP ? (record['leader'] as NodeId) : 0
  return { mode, status, leader, timers, requests, watches, draw }
}
