/**
 * Stores and numbers the distinct local states of members, without the values of ids and counters: plain fields, whether
 * the member is up, armed timers and their ticks, open requests, watches, pending draws and proofs of death; with the
 * functions that read and set their flags.
 */
import type { Algorithm } from '../../core/algorithm.ts'
import type { NodeId } from '../../core/node-id.ts'
import type { NodeSet } from '../../core/node-set.ts'
import { WordTable } from '../tables/word-table.ts'
import { RecordLayout, type FieldValues } from './record-layout.ts'

/** Up to DOWN a member is down. STARTING: it has recovered and has not processed `start` yet. */
export const Mode = { UNRECOVERABLE: 0, DOWN: 1, STARTING: 2, UP: 3 } as const

/** Flags of an open request: what the peer has been since, which is what the detector may answer. */
export const SEEN_UP = 1
export const SEEN_DOWN = 2
/** Flags of a watch: it is set; it is set and the peer has been down. */
export const WATCHED = 1
export const WATCHED_DOWN = 3

interface PendingDraw {
  readonly name: string
  readonly n: number
}

/** A local state, unpacked for a handler to change. */
export interface LocalState {
  record: FieldValues
  mode: number
  /** Bit t: timer t is armed. */
  timers: number
  /** Two bits for each member: SEEN_UP, SEEN_DOWN; WATCHED, WATCHED_DOWN. */
  requests: number
  watches: number
  draws: readonly PendingDraw[]
  /** With clocks: the ticks that each timed timer has left (`ticksOf`). */
  ticks: number
  /** With clocks, bit j: an incarnation of member j has ended, and no proof of it has arrived. */
  proofs: number
}

/** What the search reads of a local state on its hot path. */
export interface LocalStateSummary extends Readonly<Omit<LocalState, 'record' | 'draws'>> {
  readonly status: string
  /** NONE unless the member is up: a member that is down follows no leader, whatever its store holds. */
  readonly leader: NodeId
  /** The number of outcomes of the pending draw; 0: none is pending. */
  readonly draw: number
  /** Of the configuration that the member has adopted, bit j: seat j. Both are 0 in the first one. */
  readonly voters: number
  readonly observers: number
  readonly configVersion: number
  readonly committed: boolean
}

/** The ticks that the timed timer with this place has left: at most 3. */
export function ticksOf(ticks: number, place: number): number {
  return (ticks >>> (2 * place)) & 3
}

export function withTicks(ticks: number, place: number, left: number): number {
  return (ticks & ~(3 << (2 * place))) | (left << (2 * place))
}

export function flagsOf(flags: number, peer: NodeId): number {
  return (flags >>> (2 * (peer - 1))) & 3
}

export function withFlags(flags: number, peer: NodeId, value: number): number {
  const shift = 2 * (peer - 1)
  return (flags & ~(3 << shift)) | (value << shift)
}

/** Records a change of a peer for what the detector may later report of it. */
export function notePeer(
  local: LocalState,
  peer: NodeId,
  kind: 'peerDown' | 'peerUp' | 'peerStarted',
): void {
  const request = flagsOf(local.requests, peer)
  const watch = flagsOf(local.watches, peer)
  if (kind === 'peerDown') {
    if (request !== 0) local.requests = withFlags(local.requests, peer, request | SEEN_DOWN)
    if (watch !== 0) local.watches = withFlags(local.watches, peer, WATCHED_DOWN)
  } else if (kind === 'peerUp') {
    if (request !== 0) local.requests = withFlags(local.requests, peer, request | SEEN_UP)
  } else if (watch !== 0) local.watches = withFlags(local.watches, peer, WATCHED)
}

const HEADER = 4
const MAX_DRAWS = 64

export class LocalStates {
  readonly layout: RecordLayout
  readonly timerNames: readonly string[]
  readonly all: LocalStateSummary[] = []
  readonly table = new WordTable((number) => this.include(number))
  /** The names of draws, as the codes of their letters. */
  readonly drawNames = new WordTable()
  private readonly words: Int32Array

  constructor(algorithm: Algorithm, members: number, exactIds: boolean) {
    this.layout = new RecordLayout(algorithm.state, members, exactIds)
    this.timerNames = Object.keys(algorithm.timers)
    this.words = new Int32Array(HEADER + this.layout.plain.words + MAX_DRAWS)
  }

  /** Whether any member has asked for a draw so far. */
  get draws(): boolean {
    return this.drawNames.size > 0
  }

  number(state: LocalState): number {
    const { words, layout } = this
    const { record, mode, timers, requests, watches, draws, ticks, proofs } = state
    const drawsAt = HEADER + layout.plain.words
    words[0] = mode | (timers << 2)
    words[1] = requests
    words[2] = watches
    words[3] = proofs | (ticks << 8)
    layout.plain.encode(record, words, HEADER)
    draws.forEach(({ name, n }, i) => (words[drawsAt + i] = this.drawNumber(name) | (n << 8)))
    return this.table.add(words, drawsAt + draws.length)
  }

  /** The local state of this number. Its ids and counters are 0, its sources `source`. */
  get(number: number, source = 0): LocalState {
    const words = this.table.get(number)
    const draws = words.subarray(HEADER + this.layout.plain.words)
    return {
      mode: words[0] & 3,
      timers: words[0] >>> 2,
      requests: words[1],
      watches: words[2],
      ticks: words[3] >>> 8,
      proofs: words[3] & 0xff,
      record: this.layout.unpackPlain(words, HEADER, source),
      draws: Array.from(draws, (word) => ({ name: this.drawName(word & 0xff), n: word >>> 8 })),
    }
  }

  withoutRequest(number: number, peer: NodeId): number {
    const state = this.get(number)
    state.requests = withFlags(state.requests, peer, 0)
    return this.number(state)
  }

  private include(number: number): void {
    const { record, draws, ...local } = this.get(number)
    const draw = draws.length === 0 ? 0 : draws[0].n
    const leader = local.mode === Mode.UP ? (record['leader'] as NodeId) : 0
    const bits = (name: string): number => (record[name] as NodeSet | undefined)?.bits ?? 0
    this.all.push({
      ...local,
      draw,
      leader,
      status: record['status'] as string,
      voters: bits('voters'),
      observers: bits('observers'),
      configVersion: (record['configVersion'] as number | undefined) ?? 0,
      committed: record['committed'] === true,
    })
  }

  private drawNumber(name: string): number {
    const codes = Int32Array.from(name, (letter) => letter.codePointAt(0)!)
    return this.drawNames.add(codes, codes.length)
  }

  private drawName(number: number): string {
    return String.fromCodePoint(...this.drawNames.get(number))
  }
}
