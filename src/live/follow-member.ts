/**
 * Follows one member over HTTP: its stream of events, and how it is, asked now and then. Runs in Node and
 * in a browser. A member that does not answer is asked again.
 */
import { sleep } from '../clock/sleep.ts'
import { sampleOf, type EntryRecord, type LiveRecord, type MemberStatus } from './live-record.ts'

export interface FollowOptions {
  readonly node: string
  /** `http://127.0.0.1:7401` */
  readonly base: string
  /** Milliseconds of this machine's monotonic clock. */
  readonly now: () => number
  readonly tell: (record: LiveRecord) => void
  readonly signal: AbortSignal
  readonly everyMs?: number
  /** Whether the member's clock is ours: then its own times are used. */
  readonly sameClock: boolean
}

const EVERY_MS = 500
const AGAIN_MS = 500
const PATIENCE_MS = 2000

export function followMember(options: FollowOptions): void {
  const follower = new Follower(options)
  void follower.keepListening()
  void follower.keepAsking()
}

class Follower {
  private readonly options: FollowOptions
  private reached: boolean | null = null

  constructor(options: FollowOptions) {
    this.options = options
  }

  async keepAsking(): Promise<void> {
    const { signal, everyMs = EVERY_MS } = this.options
    while (!signal.aborted) {
      await this.ask()
      await sleep(everyMs, signal)
    }
  }

  /** A stream that ends is the first sign that a member has gone. */
  async keepListening(): Promise<void> {
    const { base, signal } = this.options
    while (!signal.aborted) {
      try {
        const response = await fetch(`${base}/events`, { signal })
        if (response.ok && response.body !== null) await listen(response.body, this.options)
      } catch {
        // Gone, or not there yet.
      }
      await this.ask()
      await sleep(AGAIN_MS, signal)
    }
  }

  private async ask(): Promise<void> {
    const { base, node, now, tell, signal } = this.options
    const status = await statusOf(base, signal)
    if (signal.aborted) return
    const is = status !== null
    if (is !== this.reached) {
      tell({ kind: 'condition', at: now(), node, condition: is ? 'running' : 'unreachable' })
    }
    this.reached = is
    if (status !== null) tell(sampleOf(status, now(), node))
  }
}

export async function statusOf(base: string, signal: AbortSignal): Promise<MemberStatus | null> {
  try {
    const limit = AbortSignal.any([signal, AbortSignal.timeout(PATIENCE_MS)])
    const response = await fetch(`${base}/status`, { signal: limit })
    const body = (await response.json()) as MemberStatus
    return response.ok && typeof body.id === 'string' && Array.isArray(body.peers) ? body : null
  } catch {
    return null
  }
}

async function listen(body: ReadableStream<Uint8Array>, options: FollowOptions): Promise<void> {
  const decoder = new TextDecoder()
  const reader = body.getReader()
  let text = ''
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return
    text += decoder.decode(value, { stream: true })
    const blocks = text.split('\n\n')
    text = blocks.pop() ?? ''
    for (const block of blocks) hear(block, options)
  }
}

function hear(block: string, options: FollowOptions): void {
  const event = /^event: (.*)$/mu.exec(block)?.[1]
  const data = /^data: (.*)$/mu.exec(block)?.[1]
  if (event === undefined || data === undefined) return
  const said = JSON.parse(data) as MemberStatus & EntryRecord & { at: string }
  if (event === 'status') greet(said, options)
  else options.tell(entryFrom({ ...said, event }, options))
}

/** What a member says first: whom it follows already. */
function greet({ pid, leader, term, since, id }: MemberStatus, options: FollowOptions): void {
  const { node, now, tell } = options
  const ago = Math.max(0, Date.now() - Date.parse(since))
  const at = now() - (Number.isFinite(ago) ? ago : 0)
  const entry = { kind: 'entry', at, node, pid, leader, term, reason: null } as const
  tell({ ...entry, event: 'leader' })
  if (leader === id) tell({ ...entry, event: 'elected' })
}

function entryFrom(
  said: Omit<EntryRecord, 'at' | 'kind'> & { at: string },
  { node, now, sameClock }: FollowOptions,
): EntryRecord {
  const { pid, event, leader, term, reason, peer } = said
  const at = sameClock ? msOf(said.at) : now()
  const entry = { kind: 'entry', at, node, pid, event, leader, term, reason } as const
  return peer === undefined ? entry : { ...entry, peer }
}

/** Nanoseconds in decimal, as milliseconds. */
export function msOf(nanoseconds: string): number {
  return Number(nanoseconds.slice(0, -3)) / 1000
}
