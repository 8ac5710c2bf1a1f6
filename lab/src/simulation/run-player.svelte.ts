/** A run on a stage: what is shown, where in it we are, and what the viewer does to it. */
import { showDuration } from '../../../src/core/time.ts'
import { eventTimes, TimeScale, usualFlightUs } from '../../../src/diagram/layout/time-scale.ts'
import { isFaultKind } from '../../../src/sim/faults/fault-catalogue.ts'
import { simulation } from './simulation-client.ts'
import { RunFrames, type Frame } from './frames.ts'
import type { RunStep, Run, Settings, Diagram } from './worker-protocol.ts'
import { countAtMost } from './lookup.ts'

export type Arrow = Diagram['arrows'][number]

export type Selection =
  | { readonly kind: 'member'; readonly label: number }
  | { readonly kind: 'link'; readonly from: number; readonly to: number }
  | { readonly kind: 'message'; readonly arrow: Arrow }

export const SPEEDS = [1 / 512, 1 / 256, 1 / 128, 1 / 64, 1 / 32, 1 / 16, 1 / 4, 1, 4, 16, 64]
/** One virtual millisecond takes 64: a message is seen to travel. */
const USUAL_SPEED = 1 / 64
/** A stretch without news passes in this much real time, however long it is. */
const LONGEST_GAP_MS = 700
/** Real time for a step of a trace that has no clock, at the usual speed. */
const STEP_MS = 1100

export class RunPlayer {
  run = $state.raw<Run | null>(null)
  /** Virtual microseconds, or steps where there is no clock. */
  time = $state(0)
  /** The last step that has happened; −1: none. */
  index = $state(-1)
  playing = $state(false)
  speed = $state(USUAL_SPEED)
  selection = $state.raw<Selection | null>(null)
  /** What was given: what a link carries. Empty for a trace without a clock. */
  settings = $state.raw<Settings>([])
  /** The text of a trace that was opened; a stepped one cannot be told by settings. */
  trace = $state.raw<string | null>(null)
  error = $state('')
  busy = $state(false)
  /** Set where motion is unwelcome: time jumps from step to step. */
  reducedMotion = $state(false)
  /** Time goes on at least until then: another run beside this one takes longer. */
  horizon = $state(0)
  /** Something to say aloud. */
  announcement = $state('')

  private frames: RunFrames | null = null
  private times: readonly number[] = []
  private asked = 0
  private raf = 0

  readonly frame: Frame | null = $derived.by(() => {
    const { run, index } = this
    if (run === null) return null
    if (this.frames?.run !== run) this.frames = new RunFrames(run)
    return this.frames.at(index)
  })

  /** Where moments lie on the paper: quiet stretches are short. */
  readonly scale: TimeScale = $derived.by(() => scaleOf(this.run?.diagram ?? null))

  readonly usualFlight: number = $derived(usualFlightUs(this.run?.diagram.arrows ?? []))

  get end(): number {
    return Math.max(this.run?.diagram.endUs ?? 0, this.horizon)
  }

  get atEnd(): boolean {
    return this.time >= this.end && this.run !== null
  }

  get canInjectFaults(): boolean {
    return this.run?.mode === 'timed'
  }

  /** Runs settings. `at`: where to go on, memoize it has run. */
  async load(settings: Settings, at = 0): Promise<boolean> {
    return this.show(simulation().ask('run', settings), at, () => {
      this.settings = settings
      this.trace = null
    })
  }

  /** Plays a trace and stops where it broke. */
  async open(text: string): Promise<boolean> {
    const done = await this.show(simulation().ask('trace', text), 0, () => {
      const timed = this.run?.mode === 'timed'
      this.settings = timed ? (this.run?.settings ?? []) : []
      this.trace = timed ? null : text
    })
    if (done && this.run !== null && this.run.stop >= 0) this.goTo(this.run.stop)
    return done
  }

  private async show(asked: Promise<Run>, at: number, then: () => void): Promise<boolean> {
    const turn = ++this.asked
    this.busy = true
    try {
      const run = await asked
      if (turn !== this.asked) return false
      this.run = run
      this.error = ''
      if (this.selection?.kind === 'message') this.selection = null
      if (this.selection?.kind === 'member' && this.selection.label > run.members) {
        this.selection = null
      }
      this.times = newsTimes(run)
      then()
      this.seek(at)
      return true
    } catch (error) {
      if (turn === this.asked) this.error = error instanceof Error ? error.message : String(error)
      return false
    } finally {
      if (turn === this.asked) this.busy = false
    }
  }

  // Time.

  seek(time: number): void {
    const { run } = this
    if (run === null) return
    this.time = Math.max(0, Math.min(time, this.end))
    // At the very beginning nothing has happened yet.
    this.index = this.time === 0 ? -1 : countAtMost(run.steps, this.time, ({ at }) => at) - 1
  }

  /** Just after a step. */
  goTo(index: number): void {
    const { run } = this
    if (run === null) return
    const to = Math.max(-1, Math.min(index, run.steps.length - 1))
    this.pause()
    this.index = to
    this.time = run.steps[to]?.at ?? 0
    this.announcement = run.steps[to]?.why ?? 'at the beginning'
  }

  /** To the next or previous step that is news. */
  step(by: 1 | -1): void {
    const steps = this.run?.steps ?? []
    let to = this.index + by
    while (to >= 0 && to < steps.length && !isNews(steps[to])) to += by
    if (to >= steps.length) {
      this.pause()
      this.seek(this.end)
    } else this.goTo(to)
  }

  /** To the next or previous change of leadership: lost, or agreed. */
  jumpToElection(by: 1 | -1): void {
    const { run, time } = this
    if (run === null) return
    const moments = run.diagram.leaderless.flatMap(({ from, to }) => [from, to])
    const inside = by > 0 ? moments.find((at) => at > time) : moments.findLast((at) => at < time)
    this.pause()
    this.seek(inside ?? (by > 0 ? run.diagram.endUs : 0))
    this.announcement = this.frame?.step?.why ?? ''
  }

  toViolation(): void {
    if (this.run !== null && this.run.stop >= 0) this.goTo(this.run.stop)
  }

  play(): void {
    if (this.playing || this.run === null) return
    if (this.atEnd) this.seek(0)
    this.playing = true
    let last = performance.now()
    const tick = (now: number): void => {
      if (!this.playing) return
      // A page that was hidden goes on where it was.
      this.advance(Math.min(now - last, 100))
      last = now
      this.raf = requestAnimationFrame(tick)
    }
    this.raf = requestAnimationFrame(tick)
  }

  pause(): void {
    this.playing = false
    cancelAnimationFrame(this.raf)
  }

  toggle(): void {
    if (this.playing) this.pause()
    else this.play()
  }

  faster(by: 1 | -1): void {
    const place = SPEEDS.indexOf(this.speed) + by
    if (place >= 0 && place < SPEEDS.length) this.speed = SPEEDS[place]
  }

  private since = 0

  /** Real milliseconds pass. */
  advance(ms: number): void {
    const { run, time } = this
    if (run === null) return
    if (this.reducedMotion) {
      this.since += ms
      if (this.since < STEP_MS) return
      this.since = 0
      this.hop()
      return
    }
    const perMs = run.mode === 'timed' ? 1000 * this.speed : (64 * this.speed) / STEP_MS
    const place = countAtMost(this.times, time, (at) => at)
    const [from, to] = [this.times[place - 1] ?? 0, this.times[place] ?? this.end]
    const rate = Math.max(perMs, (to - from) / LONGEST_GAP_MS)
    const next = time + rate * ms
    // The pace of a gap ends with the gap.
    this.pass(rate > perMs ? Math.min(next, to) : next)
  }

  private pass(time: number): void {
    const { run } = this
    if (run === null) return
    const { stop } = run
    if (stop >= 0 && this.index < stop && time >= run.steps[stop].at) return this.goTo(stop)
    const before = this.index
    this.seek(time)
    // Several steps of one moment were gone through one by one before: never fall behind them.
    if (this.index < before) this.index = before
    if (time >= this.end) this.pause()
  }

  private hop(): void {
    const playing = this.playing
    this.step(1)
    if (playing && !this.atEnd && this.index !== this.run?.stop) this.playing = true
  }

  // Faults.

  /** A fault now: the run is computed anew with it, and goes on. What is past stays as it was. */
  async injectFault(key: string, what: string, say: string): Promise<void> {
    if (!this.canInjectFaults) return
    const at = Math.floor(this.time) + 1
    const kept = this.settings.filter(([name, value]) => {
      return name !== 'until' || value === 'quiet'
    })
    const done = await this.load([...kept, [key, `${what}@${showDuration(at)}`]], this.time)
    if (!done) return
    this.announcement = say
    this.seek(at)
    this.playing = false
    this.play()
  }

  /** Takes a fault out of the script. */
  async removeFault(place: number): Promise<void> {
    await this.load(this.settings.toSpliced(place, 1), this.time)
  }

  get faults(): readonly { key: string; value: string; place: number }[] {
    return this.settings.flatMap(([key, value], place) =>
      isFaultKind(key) ? [{ key, value, place }] : [],
    )
  }
}

/** Whether a step is worth stopping at: not a heartbeat of which nothing came. */
function isNews({ kind, changes, sendings, violations }: RunStep): boolean {
  if (changes.length > 0 || violations.length > 0 || kind === 'fault') return true
  return sendings.some(({ purpose }) => purpose === 'election' || purpose === 'repair')
}

function newsTimes({ mode, diagram, steps }: Run): number[] {
  if (mode === 'stepped') return steps.map(({ at }) => at)
  const times = eventTimes(diagram, diagram.arrows, diagram.marks)
  return times.at(-1) === diagram.endUs ? times : [...times, diagram.endUs]
}

/** On paper a usual flight is this long (px), and a gap at most so long. */
const FLIGHT_PX = 64
const GAP = { longest: 170, broken: 46 }

function scaleOf(diagram: Diagram | null): TimeScale {
  if (diagram === null) return new TimeScale([0, 1], { perUs: 1, ...GAP })
  if (!diagram.clock) {
    return new TimeScale([0, diagram.endUs], { perUs: 34, longest: Infinity, broken: 0 })
  }
  const times = eventTimes(diagram, diagram.arrows, diagram.marks)
  if (times.at(-1) !== diagram.endUs) times.push(diagram.endUs)
  return new TimeScale(times, { perUs: FLIGHT_PX / usualFlightUs(diagram.arrows), ...GAP })
}
