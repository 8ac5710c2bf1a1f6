/** Loads and plays a run: holds the run, the moment that is shown, the speed, the selection, and the faults that the viewer adds. */
import { say } from '../language/translate.ts'
import { showDuration } from '../../../src/core/time.ts'
import {
  eventTimes,
  showSpan,
  TimeScale,
  usualFlightUs,
} from '../../../src/diagram/layout/time-scale.ts'
import { isFaultKind } from '../../../src/sim/faults/fault-catalogue.ts'
import { simulation, type SimulationClient } from './simulation-client.ts'
import { CancelledError } from './worker-client.ts'
import { RunFrames, type Frame } from './frames.ts'
import { MOST_STEPS, PREVIEW_STEPS } from './run-limits.ts'
import { theme } from '../shell/theme.svelte.ts'
import { tintOf } from '../topology/tints.ts'
import type { RunStep, Run, Settings, Diagram } from './worker-protocol.ts'
import { countAtMost } from '../../../src/core/binary-search.ts'

export type Arrow = Diagram['arrows'][number]

export type Selection =
  | { readonly kind: 'member'; readonly label: number }
  | { readonly kind: 'link'; readonly from: number; readonly to: number }
  | { readonly kind: 'message'; readonly arrow: Arrow }

export const SPEEDS = [1 / 512, 1 / 256, 1 / 128, 1 / 64, 1 / 32, 1 / 16, 1 / 4, 1, 4, 16, 64]
/** One simulated millisecond takes 256 real ones, slow enough to read what happens. */
export const USUAL_SPEED = 1 / 256
/** At the usual speed, a period without events passes in at most this much real time. */
const LONGEST_GAP_MS = 1200
/** Real time for one step of a trace without a clock, at the usual speed. */
const STEP_MS = 1100

export class RunPlayer {
  run = $state.raw<Run | null>(null)
  /** Simulated microseconds, or steps in a trace without a clock. */
  time = $state(0)
  /** The last step that has happened; −1: none. */
  index = $state(-1)
  playing = $state(false)
  speed = $state(USUAL_SPEED)
  selection = $state.raw<Selection | null>(null)
  /** The settings that a link to this run carries. Empty for a trace without a clock. */
  settings = $state.raw<Settings>([])
  /** The text of an opened trace without a clock, which no settings describe. */
  trace = $state.raw<string | null>(null)
  error = $state('')
  /** How many steps the run that is being simulated has so far; null: no run is being simulated. */
  busy = $state<number | null>(null)
  /** Playback continues at least until then, because the run that is compared takes longer. */
  horizon = $state(0)
  /** The run keeps its end when a fault is added; else it then runs until it is quiet. */
  keepsEnd = false
  /** A sentence for screen readers. */
  announcement = $state('')
  /** The names of the members of a real group, weakest first; null: members are numbers. */
  names = $state.raw<readonly string[] | null>(null)
  /** The scale that both runs of a comparison use. */
  sharedScale = $state.raw<TimeScale | null>(null)

  /** The settings that were asked for last: their run may not be there yet. */
  private wanted: Settings = []
  private frames: RunFrames | null = null
  private times: readonly number[] = []
  private asked = 0
  private raf = 0
  private readonly client: () => SimulationClient

  /** `client`: where the runs are simulated. */
  constructor(client: () => SimulationClient = simulation) {
    this.client = client
  }

  readonly frame: Frame | null = $derived.by(() => {
    const { run, index } = this
    if (run === null) return null
    if (this.frames?.run !== run) this.frames = new RunFrames(run)
    return this.frames.at(index)
  })

  readonly scale: TimeScale = $derived.by(
    () => this.sharedScale ?? scaleOf(this.run === null ? [] : [this.run.diagram]),
  )

  readonly usualFlight: number = $derived(usualFlightUs(this.run?.diagram.arrows ?? []))

  get end(): number {
    return Math.max(this.run?.diagram.endUs ?? 0, this.horizon)
  }

  nameOf(label: number): string {
    return this.names?.[label - 1] ?? String(label)
  }

  /** The colour of a member as a leader. */
  tintOf(label: number): string {
    return tintOf((this.run?.members ?? 0) - (this.run?.labels.indexOf(label, 1) ?? 0))
  }

  /** A moment as text: a time, or the number of a step in a trace without a clock. */
  when(at: number): string {
    return this.run?.diagram.clock === true
      ? showSpan(at)
      : say('step {step}', { step: Math.floor(at) + 1 })
  }

  get atEnd(): boolean {
    return this.time >= this.end && this.run !== null
  }

  get canInjectFaults(): boolean {
    return this.run?.mode === 'timed'
  }

  /** Runs settings and shows the moment `at`: first the beginning of a long run, then all of it. */
  async load(settings: Settings, at = 0): Promise<boolean> {
    this.wanted = settings
    const then = (): void => {
      this.settings = settings
      this.trace = null
    }
    const begun = await this.show(this.ask(settings, PREVIEW_STEPS), at, then)
    if (!begun || this.run?.truncated !== true) return begun
    void this.complete(settings, at)
    return true
  }

  private async complete(settings: Settings, at: number): Promise<void> {
    const shown = this.time
    await this.show(
      this.ask(settings, MOST_STEPS),
      at,
      () => undefined,
      () => (this.time === shown ? at : this.time),
    )
  }

  private ask(settings: Settings, mostSteps: number): Promise<Run> {
    return this.client().ask('run', { settings, mostSteps }, (steps) => (this.busy = steps))
  }

  /** Stops a simulation that takes too long; the page keeps what it shows. */
  cancel(): void {
    this.client().cancel()
  }

  /** Opens a trace and shows the step that broke a promise. */
  async open(text: string): Promise<boolean> {
    const done = await this.show(this.client().ask('trace', text), 0, () => {
      const timed = this.run?.mode === 'timed'
      this.settings = timed ? (this.run?.settings ?? []) : []
      this.wanted = this.settings
      this.trace = timed ? null : text
    })
    if (done) this.toViolation()
    return done
  }

  private async show(
    asked: Promise<Run>,
    at: number,
    then: () => void,
    momentOf = () => at,
  ): Promise<boolean> {
    const turn = ++this.asked
    this.busy = 0
    try {
      const run = await asked
      if (turn !== this.asked) return false
      this.run = run
      this.error = ''
      if (this.selection?.kind === 'message') this.selection = null
      if (this.selection?.kind === 'member' && this.selection.label > run.members) {
        this.selection = null
      }
      this.times = notableTimes(run)
      then()
      this.seek(momentOf())
      return true
    } catch (error) {
      if (turn !== this.asked) return false
      this.wanted = this.settings
      if (!(error instanceof CancelledError))
        this.error = error instanceof Error ? error.message : String(error)
      return false
    } finally {
      if (turn === this.asked) this.busy = null
    }
  }

  // Time.

  seek(time: number): void {
    const { run } = this
    if (run === null) return
    this.time = Math.max(0, Math.min(time, this.end))
    // Steps at time 0 have not happened yet at the beginning.
    this.index = this.time === 0 ? -1 : countAtMost(run.steps, this.time, ({ at }) => at) - 1
  }

  /** Shows the moment just after a step. */
  goTo(index: number): void {
    const { run } = this
    if (run === null) return
    const to = Math.max(-1, Math.min(index, run.steps.length - 1))
    this.pause()
    this.index = to
    this.time = run.steps[to]?.at ?? 0
    this.announcement = run.steps[to]?.why ?? say('before the first step')
  }

  /** Goes to the next or previous step that is worth stopping at. */
  step(by: 1 | -1): void {
    const to = this.notable(by)
    if (to >= (this.run?.steps.length ?? 0)) this.pauseAt(this.end)
    else this.goTo(to)
  }

  /** The step that `step(1)` goes to; null: there is none. */
  get upcoming(): RunStep | null {
    return this.run?.steps[this.notable(1)] ?? null
  }

  private notable(by: 1 | -1): number {
    const steps = this.run?.steps ?? []
    let to = this.index + by
    while (to >= 0 && to < steps.length && !isNotable(steps[to])) to += by
    return to
  }

  /** Goes to the next or previous moment at which agreement on a leader begins or ends. */
  jumpToElection(by: 1 | -1): void {
    const { run, time } = this
    if (run === null) return
    const moments = run.diagram.leaderless.flatMap(({ from, to }) => [from, to])
    const inside = by > 0 ? moments.find((at) => at > time) : moments.findLast((at) => at < time)
    this.pauseAt(inside ?? (by > 0 ? run.diagram.endUs : 0))
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
      // A hidden page gets no frames; playback continues where it was.
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

  pauseAt(time: number): void {
    this.pause()
    this.seek(time)
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

  /** Advances playback by real milliseconds. */
  advance(ms: number): void {
    const { run, time } = this
    if (run === null) return
    // Time jumps from step to step.
    if (theme.reducedMotion) {
      this.since += ms
      if (this.since < STEP_MS * (USUAL_SPEED / this.speed)) return
      this.since = 0
      this.hop()
      return
    }
    const faster = this.speed / USUAL_SPEED
    const perMs = run.mode === 'timed' ? 1000 * this.speed : faster / STEP_MS
    const place = countAtMost(this.times, time, (at) => at)
    const [from, to] = [this.times[place - 1] ?? 0, this.times[place] ?? this.end]
    const rate = Math.max(perMs, (to - from) * (faster / LONGEST_GAP_MS))
    const next = time + rate * ms
    // The higher speed of a gap ends with the gap.
    this.pass(rate > perMs ? Math.min(next, to) : next)
  }

  private pass(time: number): void {
    const { run } = this
    if (run === null) return
    const { stop } = run
    if (stop >= 0 && this.index < stop && time >= run.steps[stop].at) return this.goTo(stop)
    const before = this.index
    this.seek(time)
    // `step` may have shown only some of the steps of this moment: do not go back before them.
    if (this.index < before) this.index = before
    if (time >= this.end && this.busy === null) this.pause()
  }

  private hop(): void {
    const playing = this.playing
    this.step(1)
    if (playing && !this.atEnd && this.index !== this.run?.stop) this.playing = true
  }

  // Faults.

  /** Adds a fault at this moment: runs again with the same seed, so the past does not change, and plays on. */
  async injectFault(
    key: string,
    value: string,
    announcement: string,
    from: (settings: Settings) => Settings = (same) => same,
  ): Promise<void> {
    if (!this.canInjectFaults) return
    const at = Math.floor(this.time) + 1
    const kept = this.keepsEnd
      ? this.wanted
      : this.wanted.filter(([name, until]) => name !== 'until' || until === 'quiet')
    const done = await this.load([...from(kept), [key, `${value}@${showDuration(at)}`]], this.time)
    if (!done) return
    this.announcement = announcement
    this.seek(Math.max(at, this.time))
    this.playing = false
    this.play()
  }

  /** Adds a fault as it is written in settings, at any moment: `crash 5@100ms`. */
  async writeFault(text: string): Promise<boolean> {
    const [key, value = ''] = text.trim().split(/[\s=]+/u)
    return this.load([...this.wanted, [key, value]], this.time)
  }

  async removeFault(place: number): Promise<void> {
    await this.load(this.wanted.toSpliced(place, 1), this.time)
  }

  async removeAllFaults(): Promise<void> {
    await this.load(this.wanted.filter(([key]) => !isFaultKind(key)))
  }

  get faults(): readonly { key: string; value: string; place: number }[] {
    return this.settings.flatMap(([key, value], place) =>
      isFaultKind(key) ? [{ key, value, place }] : [],
    )
  }
}

/** Whether a step is worth stopping at. A heartbeat that changes nothing is not. */
function isNotable({ kind, changes, sent, violations }: RunStep): boolean {
  if (changes.length > 0 || violations.length > 0 || kind === 'fault') return true
  return sent.some((purpose) => purpose === 'election' || purpose === 'repair')
}

function notableTimes({ mode, diagram, steps }: Run): number[] {
  if (mode === 'stepped') return steps.map(({ at }) => at)
  return timesUntilEnd(diagram)
}

function timesUntilEnd(diagram: Diagram): number[] {
  const times = eventTimes(diagram, diagram.arrows, diagram.marks)
  return times.at(-1) === diagram.endUs ? times : [...times, diagram.endUs]
}

/** In the diagram the usual flight is this long (px). A longer gap than `longest` is shown broken. */
const FLIGHT_PX = 64
const GAP = { longest: 170, broken: 46 }

/** One scale for all diagrams of a comparison. */
export function scaleOf(diagrams: readonly Diagram[]): TimeScale {
  if (diagrams.length === 0) return new TimeScale([0, 1], { perUs: 1, ...GAP })
  const [first] = diagrams
  if (!first.clock) {
    return new TimeScale([0, first.endUs], { perUs: 34, longest: Infinity, broken: 0 })
  }
  const times = [...new Set(diagrams.flatMap(timesUntilEnd))].sort((a, b) => a - b)
  const flightUs = Math.min(...diagrams.map(({ arrows }) => usualFlightUs(arrows)))
  return new TimeScale(times, { perUs: FLIGHT_PX / flightUs, ...GAP })
}
