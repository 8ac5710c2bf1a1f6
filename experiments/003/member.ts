/** The program of one of the five member processes: joins, reports its leader and its mean time of a draw to its parent, and ends with it. */
import { join, type Safety } from 'bellwether'

/** What the parent passes on the command line. */
export interface MeasuredMember {
  readonly id: string
  readonly members: Readonly<Record<string, string>>
  readonly algorithm: string
  readonly safety: Safety
  readonly state: string
  readonly timing: Readonly<Record<'message' | 'period' | 'detection' | 'lease', number>>
}

/** The leader that the member follows, since when (nanoseconds of CLOCK_MONOTONIC). */
export interface LeaderReport {
  readonly at: string
  readonly leader: string | null
  /** The mean time of a draw in this election; null where it was too short to measure. */
  readonly drawMs: number | null
}

/** How long after the loss of the leader draws are counted, and until when an election must go on for that. */
const COUNT = { fromMs: 10, toMs: 60, overMs: 110 }
/** A draw is two steps of the host: the time-out, and the number. */
const STEPS = 2

const options = JSON.parse(process.argv[2]) as MeasuredMember
const election = await join({ ...options, group: 'wheel', trustRefusals: true })
const counted: { readonly ms: number; readonly steps: number }[] = []
let lostAtMs = 0
let followed: string | null = null

election.on('leader', (view) => {
  const nowMs = performance.now()
  const leader = view.kind === 'leader' ? view.leader : null
  const report: LeaderReport = {
    at: process.hrtime.bigint().toString(),
    leader,
    drawMs: drawMs(nowMs),
  }
  const lost = leader === null && followed !== null
  followed = leader
  if (lost) {
    lostAtMs = nowMs
    counted.length = 0
    for (const afterMs of [COUNT.fromMs, COUNT.toMs]) setTimeout(() => count(nowMs), afterMs)
  }
  // After the step, so that the report delays no message of the election.
  setImmediate(() => process.connected && process.send!(report))
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
