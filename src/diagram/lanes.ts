/** Builds the lanes of a diagram: the intervals in which each member was down, followed or led. */
import type { Difference } from '../core/schema.ts'
import { termWriter } from '../core/algorithm.ts'
import type { FaultKind } from '../sim/faults/fault-catalogue.ts'
import type { Step } from '../sim/record/step.ts'
import { Seats } from './seats.ts'
import type { Interval, Lane, LaneState, DiagramSource } from './model.ts'

/** The appearance of a lane at a moment; a change closes one interval and opens the next. */
type Look = Omit<Interval, 'from' | 'to'>

class LaneWriter {
  readonly label: number
  readonly intervals: Interval[] = []
  private since = 0
  private look: Look
  private readonly showTerm: (term: number) => string

  constructor(label: number, look: Look, showTerm: (term: number) => string) {
    this.label = label
    this.look = look
    this.showTerm = showTerm
  }

  get state(): LaneState {
    return this.look.state
  }

  change(at: number, change: Partial<Look>): void {
    const next = this.stated({ ...this.look, ...change })
    const { look } = this
    if ((Object.keys(next) as (keyof Look)[]).every((key) => next[key] === look[key])) return
    this.close(at)
    this.look = next
  }

  changed(at: number, changes: readonly Difference[]): void {
    const change: { -readonly [K in keyof Look]?: Look[K] } = {}
    for (const { field, before, after } of changes) {
      if (field === 'leader') change.leader = after === '-' ? 0 : Number(after)
      else if (field === 'status') change.status = after
      else if (field === 'term') {
        change.term = this.showTerm(Number(after))
        this.setEarlierTerm(this.showTerm(Number(before)))
      }
    }
    this.change(at, change)
  }

  close(at: number): void {
    if (at > this.since) this.intervals.push({ from: this.since, to: at, ...this.look })
    this.since = at
  }

  /** The leader decides the state of a member that has started. */
  private stated(look: Look): Look {
    if (look.state === 'down' || look.state === 'starting') return look
    if (look.leader === 0) return { ...look, state: look.inside ? 'seeking' : 'outside' }
    return { ...look, state: look.leader === this.label ? 'leading' : 'following' }
  }

  private setEarlierTerm(term: string): void {
    if (this.look.term !== null) return
    this.look = { ...this.look, term }
    this.intervals.forEach((interval, i) => (this.intervals[i] = { ...interval, term }))
  }
}

export function lanesOf(source: DiagramSource, endUs: number): Lane[] {
  const { config, recording } = source
  const { members, labels, algorithm } = config
  const settled = config.initiators !== undefined && config.initiators !== null
  const status = (algorithm.state.init() as { status: string }).status
  const showTerm = termWriter(algorithm, (id) => labels.of(id))
  const seats = new Seats(source)
  const writers = Array.from({ length: members }, (_, i) => {
    const label = i + 1
    const down = config.down?.includes(labels.of(label)) ?? false
    const leader = settled && !down && algorithm.topology !== 'ring' ? labels.of(members) : 0
    const state: LaneState = down ? 'down' : settled ? 'seeking' : 'starting'
    const inside = seats.inside[i]
    const look = { state, leader: inside ? leader : 0, term: null, status, paused: false, inside }
    const writer = new LaneWriter(label, look, showTerm)
    writer.change(0, {})
    return writer
  })
  for (const { at, step, changes } of recording.entries) {
    const writer = writers[labels.of(step.node) - 1]
    if (writer === undefined) continue
    const turn = turnOf(step, writer.state)
    if (turn !== null) writer.change(at, turn)
    else if (step.kind === 'settled') writer.change(at, { leader: labels.of(step.leader) })
    if (changes.length === 0) continue
    writer.changed(at, changes)
    if (!seats.changed(writer.label, changes)) continue
    writers.forEach((one, i) => one.change(at, { inside: seats.inside[i] }))
  }
  for (const writer of writers) writer.close(endUs)
  return writers.map(({ label, intervals }) => ({ label, intervals }))
}

const LANE_FAULTS: Partial<Record<FaultKind, Partial<Look>>> = {
  crash: { state: 'down', leader: 0, paused: false },
  leave: { state: 'down', leader: 0, paused: false },
  recover: { state: 'starting' },
  pause: { paused: true },
  resume: { paused: false },
}

/** The change of a lane that the step itself causes, apart from the changes of the member's state. */
function turnOf(step: Step, state: LaneState): Partial<Look> | null {
  if (step.kind === 'start') return { state: 'seeking' }
  if (step.kind !== 'fault') return null
  // A fault that has no effect is recorded too.
  if ((state === 'down') !== (step.fault.kind === 'recover')) return null
  return LANE_FAULTS[step.fault.kind] ?? null
}
