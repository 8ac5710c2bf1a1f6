/**
 * A run as frames: what every member is, knows and waits for after any step. Frames are computed forward
 * from the nearest checkpoint, so that any moment of a long run is near.
 */
import type { RunStep, Run, Waits } from './worker-protocol.ts'

/** What a member is to the eye. */
export type Role = 'leader' | 'follower' | 'candidate' | 'waiting' | 'starting' | 'crashed'

export interface MemberFrame {
  readonly label: number
  readonly role: Role
  readonly up: boolean
  readonly paused: boolean
  readonly slow: boolean
  /** The algorithm's own word. */
  readonly status: string
  /** Whom it follows; 0: nobody. */
  readonly leader: number
  readonly term: number
  readonly fields: Readonly<Record<string, string>>
  readonly waits: Waits
  /** Of whom its detector last said `down`. */
  readonly suspects: readonly number[]
}

export type Purpose = 'election' | 'heartbeat' | 'detector' | 'repair'

export interface Frame {
  /** The last step that has happened; −1: none. */
  readonly index: number
  readonly step: RunStep | null
  readonly members: readonly MemberFrame[]
  /** `from>to` for each link that is cut. */
  readonly cuts: ReadonlySet<string>
  /** Messages sent so far, by what they are for. */
  readonly sent: Readonly<Record<Purpose, number>>
  readonly violations: number
}

interface Seat {
  readonly label: number
  up: boolean
  started: boolean
  paused: boolean
  slow: boolean
  fields: Readonly<Record<string, string>>
  waits: Waits
  suspects: readonly number[]
}

interface Checkpoint {
  readonly index: number
  readonly seats: readonly Seat[]
  readonly cuts: readonly string[]
  readonly sent: Readonly<Record<Purpose, number>>
  readonly violations: number
}

const NOTHING: Waits = { timers: [], asks: [] }
const SPACING = 256
const IDLE = /wait|idle|reorg|basic|^non/iu

export class RunFrames {
  readonly run: Run
  private readonly checkpoints: Checkpoint[] = []
  private index = -1
  private seats: Seat[]
  private cuts = new Set<string>()
  private sent: Record<Purpose, number> = { election: 0, heartbeat: 0, detector: 0, repair: 0 }
  private violations = 0

  constructor(run: Run) {
    this.run = run
    this.seats = run.initial.map((fields, i) => ({
      label: i + 1,
      up: !run.down.includes(i + 1),
      started: !run.boots,
      paused: false,
      slow: false,
      fields,
      waits: NOTHING,
      suspects: [],
    }))
    this.checkpoints.push(this.save())
  }

  /** The frame after a step; −1: before the first. */
  at(index: number): Frame {
    const to = Math.max(-1, Math.min(index, this.run.steps.length - 1))
    if (to < this.index || to > this.index + SPACING) this.restore(to)
    while (this.index < to) {
      this.index += 1
      this.apply(this.run.steps[this.index])
      const next = this.checkpoints.length * SPACING - 1
      if (this.index === next) this.checkpoints.push(this.save())
    }
    return this.frame()
  }

  private frame(): Frame {
    return {
      index: this.index,
      step: this.run.steps[this.index] ?? null,
      members: this.seats.map(viewOf),
      cuts: new Set(this.cuts),
      sent: { ...this.sent },
      violations: this.violations,
    }
  }

  private apply(step: RunStep): void {
    const { kind, node, changes, waits, sendings } = step
    const seat = this.seats[node - 1] as Seat | undefined
    if (seat !== undefined) {
      if (changes.length > 0) {
        const fields = { ...seat.fields }
        for (const { field, after } of changes) fields[field] = after
        seat.fields = fields
      }
      if (waits !== null) seat.waits = waits
      if (kind === 'start') seat.started = true
      this.hear(seat, step)
    }
    if (step.fault !== null) this.applyFault(step.fault)
    for (const { purpose } of sendings) this.sent[purpose] += 1
    this.violations += step.violations.length
  }

  /** What a member learns about its peers. */
  private hear(seat: Seat, { kind, peer }: RunStep): void {
    const known = seat.suspects.includes(peer)
    if (kind === 'down' && !known) seat.suspects = [...seat.suspects, peer].sort((a, b) => a - b)
    if ((kind === 'up' || kind === 'deliver') && known) {
      seat.suspects = seat.suspects.filter((label) => label !== peer)
    }
  }

  private applyFault([key, value]: readonly [string, string]): void {
    const what = value.slice(0, value.lastIndexOf('@'))
    const seat = this.seats[Number.parseInt(what, 10) - 1] as Seat | undefined
    const links = what.split('>').map((side) => side.split(','))
    if (key === 'cut') {
      for (const a of links[0]) for (const b of links[1]) if (a !== b) this.cuts.add(`${a}>${b}`)
    } else if (key === 'heal') {
      if (what === '') this.cuts.clear()
      else for (const a of links[0]) for (const b of links[1]) this.cuts.delete(`${a}>${b}`)
    } else if (seat !== undefined) applyMemberFault(seat, key, what)
  }

  private save(): Checkpoint {
    return {
      index: this.index,
      seats: this.seats.map((seat) => ({ ...seat })),
      cuts: [...this.cuts],
      sent: { ...this.sent },
      violations: this.violations,
    }
  }

  /** Loads the last checkpoint that is not behind the step, unless we are between the two. */
  private restore(to: number): void {
    const last = this.checkpoints.findLast(({ index }) => index <= to) ?? this.checkpoints[0]
    if (this.index <= to && this.index >= last.index) return
    this.index = last.index
    this.seats = last.seats.map((seat) => ({ ...seat }))
    this.cuts = new Set(last.cuts)
    this.sent = { ...last.sent }
    this.violations = last.violations
  }
}

function applyMemberFault(seat: Seat, key: string, what: string): void {
  if (key === 'crash' && seat.up) {
    Object.assign(seat, { up: false, started: false, paused: false, suspects: [], waits: NOTHING })
  } else if (key === 'recover') seat.up = true
  else if (key === 'pause' && seat.up) seat.paused = true
  else if (key === 'resume') seat.paused = false
  else if (key === 'slow') seat.slow = !what.endsWith('+0ms')
}

function viewOf(seat: Seat): MemberFrame {
  const { label, up, paused, slow, fields, waits, suspects } = seat
  const leader = fields['leader'] === '-' ? 0 : Number(fields['leader'])
  const status = fields['status']
  return {
    label,
    role: roleOf(seat, leader, status),
    up,
    paused,
    slow,
    status,
    leader,
    term: Number(fields['term']),
    fields,
    waits,
    suspects,
  }
}

function roleOf({ up, started, label }: Seat, leader: number, status: string): Role {
  if (!up) return 'crashed'
  if (!started) return 'starting'
  if (leader === label) return 'leader'
  if (leader !== 0) return 'follower'
  return IDLE.test(status) ? 'waiting' : 'candidate'
}

/** In words, for those who do not see the shape. */
export function describeMember(node: MemberFrame): string {
  const { label, role, up, paused, term, leader, suspects } = node
  if (!up) return `node ${label}, crashed`
  const parts = [`node ${label}`, paused ? `${role}, paused` : role, `term ${term}`]
  parts.push(leader === 0 ? 'believes nobody' : `believes ${leader}`)
  if (suspects.length > 0) parts.push(`suspects ${suspects.join(' and ')}`)
  return parts.join(', ')
}
