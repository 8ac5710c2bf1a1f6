/**
 * Computes frames of a run: every member's state, the cuts and the message counts after any step. A frame is computed
 * forward from the nearest checkpoint, so that every moment of a long run is cheap to show.
 */
import { termText } from '../../../src/core/algorithm.ts'
import { memoize } from './memoize.ts'
import { configurationOf, newestOf, seatIn } from './configurations.ts'
import type { ArrowPurpose } from '../../../src/diagram/model.ts'
import type { GroupConfiguration, Run, RunStep, Waits } from './worker-protocol.ts'

/** What a member is, as the page shows it by shape and colour. */
export type Role =
  'leader' | 'follower' | 'candidate' | 'waiting' | 'starting' | 'outside' | 'crashed'

/** What a member is in the newest configuration that a member that is up has adopted. */
export type Seat = 'voter' | 'observer' | 'outside'

interface MemberState {
  readonly label: number
  readonly up: boolean
  readonly paused: boolean
  readonly slow: boolean
  /** The state's fields, as text. */
  readonly fields: Readonly<Record<string, string>>
  readonly waits: Waits
  /** The peers that its detector last reported as down. */
  readonly suspects: readonly number[]
}

export interface MemberFrame extends MemberState {
  readonly role: Role
  readonly seat: Seat
  /** Its seat says something: its group has changed, or not all members vote. */
  readonly isSeated: boolean
  /** The configuration that it has adopted; null: the members of this group never change. */
  readonly configuration: GroupConfiguration | null
  /** The field `status` of the algorithm's state. */
  readonly status: string
  /** The leader that it follows; 0: none. */
  readonly leader: number
  readonly term: number
  /** The term as people see it. */
  readonly termText: string
}

export interface Frame {
  /** The last step that has happened; −1: none. */
  readonly index: number
  readonly step: RunStep | null
  readonly members: readonly MemberFrame[]
  /** The newest configuration; null: the members of this group never change, or none is up. */
  readonly configuration: GroupConfiguration | null
  /** `from>to` for each link that is cut. */
  readonly cuts: ReadonlySet<string>
  /** How many messages of each purpose have been sent. */
  readonly sent: Readonly<Record<ArrowPurpose, number>>
  readonly violations: number
}

/** It never changes: a step replaces it, so that what is computed from it can be kept. */
type KnownMember = MemberState & { readonly started: boolean }

/** What steps change. A checkpoint is a copy of it. */
interface Progress {
  index: number
  members: KnownMember[]
  cuts: Set<string>
  sent: Record<ArrowPurpose, number>
  violations: number
}

const NOTHING: Waits = { timers: [], requests: [] }
/** Steps from one checkpoint to the next. */
const SPACING = 256
const IDLE = /wait|idle|reorg|basic|^non/iu

export class RunFrames {
  readonly run: Run
  private readonly checkpoints: Progress[]
  private now: Progress

  constructor(run: Run) {
    this.run = run
    this.now = {
      index: -1,
      members: run.initial.map((fields, i) => ({
        label: i + 1,
        up: !run.down.includes(i + 1),
        started: !run.boots,
        paused: false,
        slow: false,
        fields,
        waits: NOTHING,
        suspects: [],
      })),
      cuts: new Set(),
      sent: { election: 0, heartbeat: 0, detector: 0, repair: 0 },
      violations: 0,
    }
    this.checkpoints = [copy(this.now)]
  }

  /** The frame after a step; −1: before the first. */
  at(index: number): Frame {
    const to = Math.max(-1, Math.min(index, this.run.steps.length - 1))
    if (to < this.now.index || to > this.now.index + SPACING) this.restore(to)
    while (this.now.index < to) {
      this.now.index += 1
      apply(this.now, this.run.steps[this.now.index])
      const next = this.checkpoints.length * SPACING - 1
      if (this.now.index === next) this.checkpoints.push(copy(this.now))
    }
    const { members, ...rest } = copy(this.now)
    const step = this.run.steps[rest.index] ?? null
    if (this.run.configuration === null) {
      return { ...rest, step, members: members.map(this.unseated), configuration: null }
    }
    const known = members.map((member) => {
      return { ...member, configuration: configurationOf(member.fields, this.run) }
    })
    const configuration = newestOf(known)
    const seats = known.map(({ label }) => seatIn(configuration, label))
    const isFirst = configuration === null || configuration.term === 0
    const isSeated = !isFirst || seats.some((seat) => seat !== 'voter')
    const framed = known.map((member, i) => {
      return { ...frameOf(member, seats[i], this.run), isSeated }
    })
    return { ...rest, step, members: framed, configuration }
  }

  /** A member of a group that never changes: computed once for each of its states. */
  private readonly unseated = memoize((member: KnownMember): MemberFrame => {
    const known = { ...member, configuration: null }
    return { ...frameOf(known, 'voter', this.run), isSeated: false }
  })

  /** Loads the last checkpoint before the step, unless the current progress is closer. */
  private restore(to: number): void {
    const last = this.checkpoints.findLast(({ index }) => index <= to) ?? this.checkpoints[0]
    if (this.now.index <= to && this.now.index >= last.index) return
    this.now = copy(last)
  }
}

function copy({ members, cuts, sent, ...rest }: Progress): Progress {
  return {
    ...rest,
    members: [...members],
    cuts: new Set(cuts),
    sent: { ...sent },
  }
}

function apply(now: Progress, step: RunStep): void {
  const { kind, node, changes, waits, sent } = step
  const member = now.members[node - 1] as KnownMember | undefined
  if (member !== undefined) {
    const changed = changes.map(({ field, after }) => [field, after] as const)
    now.members[node - 1] = {
      ...member,
      fields:
        changed.length > 0 ? { ...member.fields, ...Object.fromEntries(changed) } : member.fields,
      waits: waits ?? member.waits,
      started: member.started || kind === 'start',
      suspects: suspectsAfter(member, step),
    }
  }
  if (step.fault !== null) applyFault(now, step.fault)
  for (const purpose of sent) now.sent[purpose] += 1
  now.violations += step.violations.length
}

function suspectsAfter({ suspects }: KnownMember, { kind, peer }: RunStep): readonly number[] {
  const isSuspect = suspects.includes(peer)
  if (kind === 'down' && !isSuspect) return [...suspects, peer].sort((a, b) => a - b)
  if ((kind === 'up' || kind === 'deliver') && isSuspect) {
    return suspects.filter((label) => label !== peer)
  }
  return suspects
}

function applyFault({ members, cuts }: Progress, [key, text]: readonly [string, string]): void {
  const value = text.slice(0, text.lastIndexOf('@'))
  const place = Number.parseInt(value, 10) - 1
  const member = members[place] as KnownMember | undefined
  if (key === 'cut' || key === 'heal') {
    if (value === '') cuts.clear()
    const [from, to = []] = value.split('>').map((side) => side.split(','))
    for (const a of from) {
      for (const b of to) {
        if (key === 'heal') cuts.delete(`${a}>${b}`)
        else if (a !== b) cuts.add(`${a}>${b}`)
      }
    }
  } else if (member !== undefined) {
    members[place] = { ...member, ...changeBy(member, key, value) }
  }
}

/** What a fault changes of a member. */
function changeBy({ up }: KnownMember, key: string, value: string): Partial<KnownMember> {
  if ((key === 'crash' || key === 'leave') && up) {
    return { up: false, started: false, paused: false, suspects: [], waits: NOTHING }
  }
  if (key === 'recover') return { up: true }
  if (key === 'pause' && up) return { paused: true }
  if (key === 'resume') return { paused: false }
  return key === 'slow' ? { slow: !value.endsWith('+0ms') } : {}
}

type Known = KnownMember & Pick<MemberFrame, 'configuration'>

function frameOf(
  { started, ...member }: Known,
  seat: Seat,
  run: Run,
): Omit<MemberFrame, 'isSeated'> {
  const { status, leader: shown } = member.fields
  const leader = shown === '-' ? 0 : Number(shown)
  const role = roleOf({ ...member, started, seat }, leader, status)
  const term = Number(member.fields['term'])
  const text = termText(term, run.termStride, (id) => run.labels[id])
  return { ...member, seat, role, status, leader, term, termText: text }
}

function roleOf(
  { up, started, label, seat }: Pick<Known, 'up' | 'started' | 'label'> & { seat: Seat },
  leader: number,
  status: string,
): Role {
  if (!up) return 'crashed'
  if (seat === 'outside' && leader === 0) return 'outside'
  if (!started) return 'starting'
  if (leader === label) return 'leader'
  if (leader !== 0) return 'follower'
  return IDLE.test(status) ? 'waiting' : 'candidate'
}
