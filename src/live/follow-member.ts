/**
 * Follows one member over HTTP, in Node.js or in a browser: reads its event stream, polls its status, and reports both
 * as records. Retries while the member does not answer.
 */
import { sleep } from '../clock/sleep.ts'
import { sampleOf, type EntryRecord, type LiveRecord, type MemberStatus } from './live-record.ts'

export interface FollowOptions {
  readonly node: string
  /** `http://127.0.0.1:7401` */
  readonly base: string
  /** Milliseconds of this machine's monotonic clock. */
  readonly now: () => number
  readonly onRecord: (record: LiveRecord) => void
  readonly signal: AbortSignal
  /** Whether the member shares this machine's clock: then the times of its events are used. */
  readonly sameClock: boolean
}

const POLL_MS = 500
const TIMEOUT_MS = 2000

export function followMember(options: FollowOptions): void {
  const { base, node, now, onRecord, signal } = options
  let reached: boolean | null = null
  const poll = async (): Promise<void> => {
    const status = await statusOf(base, signal)
    if (signal.aborted) return
    const condition = status === null ? 'unreachable' : 'running'
    const changed = reached !== (status !== null)
    if (changed) onRecord({ kind: 'condition', at: now(), node, condition })
    reached = status !== null
    if (status !== null) onRecord(sampleOf(status, now(), node))
  }
  void repeat(poll, signal)
  // Polls as soon as the stream ends, because that is the first sign of a crash.
  void repeat(async () => readEvents(options).then(poll), signal)
}

async function repeat(action: () => Promise<void>, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    await action()
    await sleep(POLL_MS, signal)
  }
}

async function readEvents(options: FollowOptions): Promise<void> {
  try {
    const response = await fetch(`${options.base}/events`, { signal: options.signal })
    if (response.ok && response.body !== null) await readStream(response.body, options)
  } catch {
    // The member is down, or has not started yet.
  }
}

export async function statusOf(base: string, signal: AbortSignal): Promise<MemberStatus | null> {
  try {
    const limit = AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)])
    const response = await fetch(`${base}/status`, { signal: limit })
    const body = (await response.json()) as MemberStatus
    return response.ok && typeof body.id === 'string' && Array.isArray(body.peers) ? body : null
  } catch {
    return null
  }
}

async function readStream(body: ReadableStream<Uint8Array>, options: FollowOptions): Promise<void> {
  const decoder = new TextDecoder()
  const reader = body.getReader()
  let text = ''
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return
    text += decoder.decode(value, { stream: true })
    const blocks = text.split('\n\n')
    text = blocks.pop() ?? ''
    for (const block of blocks) handleEvent(block, options)
  }
}

function handleEvent(block: string, options: FollowOptions): void {
  const event = /^event: (.*)$/mu.exec(block)?.[1]
  const data = /^data: (.*)$/mu.exec(block)?.[1]
  if (event === undefined || data === undefined) return
  const body = JSON.parse(data) as MemberStatus & EntryRecord & { at: string }
  if (event === 'status') reportStatus(body, options)
  else options.onRecord(entryFrom({ ...body, event }, options))
}

/** The first event of a stream is the status: reports the leader that the member already follows. */
function reportStatus(
  { pid, leader, term, termText, since, id }: MemberStatus,
  options: FollowOptions,
): void {
  const { node, now, onRecord } = options
  const ago = Math.max(0, Date.now() - Date.parse(since))
  const at = now() - (Number.isFinite(ago) ? ago : 0)
  const shown = termText === undefined ? {} : { termText }
  const entry = { kind: 'entry', at, node, pid, leader, term, ...shown, reason: null } as const
  onRecord({ ...entry, event: 'leader' })
  if (leader === id) onRecord({ ...entry, event: 'elected' })
}

function entryFrom(
  body: Omit<EntryRecord, 'at' | 'kind'> & { at: string },
  { node, now, sameClock }: FollowOptions,
): EntryRecord {
  const { pid, event, leader, term, termText, reason, peer } = body
  const at = sameClock ? msOf(body.at) : now()
  return {
    kind: 'entry',
    at,
    node,
    pid,
    event,
    leader,
    term,
    reason,
    ...(termText === undefined ? {} : { termText }),
    ...(peer === undefined ? {} : { peer }),
  }
}

/** Milliseconds from nanoseconds in decimal digits. */
export function msOf(nanoseconds: string): number {
  return Number(nanoseconds.slice(0, -3)) / 1000
}
