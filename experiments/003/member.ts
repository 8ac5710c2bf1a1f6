/** One of the five processes: joins, tells its parent whom it follows, and ends with it. */
import { join, type Safety } from 'bellwether'

/** What the parent gives on the command line. */
export interface Outset {
  readonly id: string
  readonly members: Readonly<Record<string, string>>
  readonly algorithm: string
  readonly safety: Safety
  readonly state: string
  readonly timing: Readonly<Record<'message' | 'period' | 'detection' | 'lease', number>>
}

/** What the parent hears: whom I follow since when (nanoseconds of CLOCK_MONOTONIC). */
export interface News {
  readonly at: string
  readonly leader: string | null
  /** How long a draw took me in this election; null where it was too short to tell. */
  readonly drawMs: number | null
}

/** How long after the loss of the leader draws are counted, and until when an election must go on for that. */
const COUNT = { fromMs: 10, toMs: 60, overMs: 110 }
/** A draw is two steps of the host: the time-out, and the number. */
const STEPS = 2

const outset = JSON.parse(process.argv[2]) as Outset
const election = await join({ ...outset, group: 'wheel', trustRefusals: true })
const counted: { readonly ms: number; readonly steps: number }[] = []
let lostAtMs = 0
let followed: string | null = null

election.on('leader', (view) => {
  const nowMs = performance.now()
  const leader = view.kind === 'leader' ? view.leader : null
  const news: News = { at: process.hrtime.bigint().toString(), leader, drawMs: drawMs(nowMs) }
  const lost = leader === null && followed !== null
  followed = leader
  if (lost) {
    lostAtMs = nowMs
    counted.length = 0
    for (const afterMs of [COUNT.fromMs, COUNT.toMs]) setTimeout(() => count(nowMs), afterMs)
  }
  // After the step, so that telling the parent delays no message.
  setImmediate(() => process.connected && process.send!(news))
})
process.on('disconnect', () => process.exit())

function count(lossMs: number): void {
  if (lossMs !== lostAtMs || election.view.kind === 'leader') return
  counted.push({ ms: performance.now(), steps: election.counters['steps'] })
}

function drawMs(nowMs: number): number | null {
  if (counted.length < 2 || nowMs - lostAtMs < COUNT.overMs) return null
  const [first, second] = counted
  return (STEPS * (second.ms - first.ms)) / (second.steps - first.steps)
}
