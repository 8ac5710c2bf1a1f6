/** What `join` takes: validated by hand, since the library has no dependency. An error names the field. */
import { createHash } from 'node:crypto'
import type { Algorithm, OptionValues } from '../../core/algorithm.ts'
import type { Detector } from '../../core/detector.ts'
import { Group, orderByStrength, type Timing } from '../../core/group.ts'
import type { NodeId } from '../../core/node-id.ts'
import { parseDuration } from '../../core/time.ts'
import type { Json } from '../../core/schema.ts'
import type { Store } from '../../stores/store.ts'
import type { Transport } from '../../transports/transport.ts'
import { ConfigurationError } from '../errors.ts'
import { isFenced, type Fenced } from '../fencing/fenced.ts'
import { checkGiven } from './option-fields.ts'
import { metadataOf } from '../metadata.ts'

/** Milliseconds, or a text with its unit: '500ms', '30s'. */
export type Duration = number | string

export type Safety = 'advisory' | 'quorum' | Fenced
type SafetyName = 'advisory' | 'quorum' | 'fenced'

export interface MemberOptions {
  /** `host:port`. */
  readonly address: string
  /** Higher is stronger; ties go to the larger name. */
  readonly priority?: number
}

export interface TimingOptions {
  /** How often periodic work is done. */
  readonly period?: Duration
  /** How long a silent peer is trusted. */
  readonly detection?: Duration
  /** How long a leader leads without hearing from a majority. */
  readonly lease?: Duration
  /** The longest that a message is thought to take. */
  readonly message?: Duration
}

/** A stronger member takes over from a leader that it has followed for `after`. */
export interface TakeoverOptions {
  readonly after: Duration
  /** … while it was itself up without a stall for so long. */
  readonly stableFor?: Duration
  readonly maxPerHour?: number
}
export type Preemption = 'sticky' | 'always' | TakeoverOptions

export interface JoinOptions<S extends Safety = Safety> {
  /** The name of the group: members of another one are refused. */
  readonly group: string
  /** My name among the members. */
  readonly id: string
  readonly members: Readonly<Record<string, string | MemberOptions>>
  readonly safety?: S
  readonly algorithm?: string
  readonly detector?: string
  readonly preemption?: Preemption
  /** A refused dial proves the peer dead. Only where no firewall can forge a refusal. */
  readonly trustRefusals?: boolean
  readonly timing?: TimingOptions
  /** Where I listen, if not at my address. */
  readonly listen?: string
  /** The folder in which I keep what must survive a crash, or a store. */
  readonly state?: string | Store
  readonly transport?: Transport
  /** What others learn about me when I lead: where to send requests, for instance. */
  readonly metadata?: Json
  /** How long work may take to stop. */
  readonly drain?: Duration
  /** Leaves when it is aborted. */
  readonly signal?: AbortSignal
}

/** What a runtime can run, by name. */
export interface Implementations {
  readonly algorithms: readonly Algorithm[]
  readonly detectors: readonly Detector[]
  /** What runs where nothing is named. */
  readonly byDefault: Readonly<Record<'advisory' | 'quorum' | 'detector', string>>
}

interface Takeover {
  readonly afterMs: number
  readonly stableForMs: number
  readonly maxPerHour: number
}

/** Options, complete and checked. */
export interface ResolvedOptions {
  readonly groupName: string
  readonly id: string
  readonly me: NodeId
  readonly names: readonly string[]
  readonly addresses: ReadonlyMap<string, string>
  readonly priorities: readonly number[]
  readonly listen: string
  readonly safety: SafetyName
  readonly fenced: Fenced | null
  readonly algorithm: Algorithm
  readonly algorithmOptions: OptionValues
  readonly detector: Detector
  readonly group: Group
  readonly leaseMs: number
  readonly drainMs: number
  readonly takeover: Takeover | null
  readonly trustRefusals: boolean
  readonly metadata: Json
  /** What all members must have in common. */
  readonly hash: string
}

const DEFAULT = { periodMs: 500, detectionMs: 1500, leaseMs: 2000, drainMs: 10_000 }
/** How long a member takes to handle a message, beside which nothing else is long. */
const PROCESSING_MS = 1
const MOST_MEMBERS = 1000

export function resolveOptions(given: JoinOptions, registry: Implementations): ResolvedOptions {
  checkGiven(given)
  const groupName = text(given.group, 'group')
  const { names, addresses, priorities } = membersOf(given)
  const id = text(given.id, 'id')
  const me = names.indexOf(id)
  if (me < 1) wrong('id', `"${id}" is not among the members (${names.slice(1).join(', ')})`)
  const fenced = isFenced(given.safety) ? given.safety : null
  const safety = safetyOf(given.safety)
  const algorithm = algorithmOf(given, safety, registry)
  const detector = named(
    given.detector ?? registry.byDefault.detector,
    registry.detectors,
    'detector',
  )
  const { timing, leaseMs } = timingOf(given, names.length - 1, detector, safety)
  const { options, takeover } = preemptionOf(given, safety, algorithm)
  const trustRefusals = flag(given.trustRefusals ?? false, 'trustRefusals')
  const leased =
    'leasePeriods' in algorithm.options ? { leasePeriods: leaseMs / timing.periodMs } : {}
  const shared = {
    group: groupName,
    members: names.slice(1).map((name, i) => [name, priorities[i + 1]]),
    algorithm: algorithm.name,
    detector: detector.name,
    timing: { ...timing, leaseMs },
    options,
    takeover: takeover && { ...takeover },
    trustRefusals,
    ...(fenced && { engine: fenced.engine.name, vouch: fenced.vouch }),
  }
  return {
    groupName,
    id,
    me,
    names,
    addresses,
    priorities,
    listen: given.listen === undefined ? addresses.get(id)! : address(given.listen, 'listen'),
    safety,
    fenced,
    algorithm,
    algorithmOptions: { ...options, ...leased },
    detector,
    group: new Group(names.length - 1, timing),
    leaseMs,
    drainMs: given.drain === undefined ? DEFAULT.drainMs : durationMs(given.drain, 'drain'),
    takeover,
    trustRefusals,
    metadata: metadataOf(given.metadata),
    hash: createHash('sha256').update(JSON.stringify(shared)).digest('hex').slice(0, 16),
  }
}

function safetyOf(given: Safety = 'quorum'): SafetyName {
  if (isFenced(given)) return 'fenced'
  if (given === 'advisory' || given === 'quorum') return given
  return wrong('safety', "must be 'advisory', 'quorum' or fenced(engine)")
}

function membersOf({ members }: JoinOptions) {
  if (typeof members !== 'object' || members === null || Array.isArray(members)) {
    wrong('members', "must map each name to its address, as in { a: '10.0.0.1:7400' }")
  }
  const entries = Object.entries(members).map(([name, given]) => {
    const path = `members.${name}`
    if (name === '' || name.length > 100) wrong(path, 'a name has 1 to 100 characters')
    const member = typeof given === 'string' ? { address: given } : given
    if (typeof member !== 'object' || member === null) wrong(path, 'must be an address')
    const priority = number(member.priority ?? 0, `${path}.priority`, -1e9, 1e9)
    return { name, priority, address: address(member.address, `${path}.address`) }
  })
  if (entries.length < 1 || entries.length > MOST_MEMBERS) {
    wrong('members', `must be 1 to ${MOST_MEMBERS}`)
  }
  for (const [i, { name, address }] of entries.entries()) {
    const other = entries.slice(0, i).find((one) => one.address === address)
    if (other !== undefined) wrong(`members.${name}.address`, `is that of ${other.name} already`)
  }
  const names = ['', ...orderByStrength(entries)]
  const byName = new Map(entries.map((entry) => [entry.name, entry]))
  return {
    names,
    addresses: new Map(entries.map(({ name, address }) => [name, address])),
    priorities: names.map((name) => byName.get(name)?.priority ?? 0),
  }
}

/** Only algorithms that promise one leader per term and keep a lease are safe without synchrony. */
function algorithmOf(
  given: JoinOptions,
  safety: SafetyName,
  { algorithms, byDefault }: Implementations,
): Algorithm {
  const fit = algorithms.filter((algorithm) => !algorithm.specimen)
  // The engine arbitrates: the election need not be safe in a partition, only quick.
  const usual = byDefault[safety === 'quorum' ? 'quorum' : 'advisory']
  const algorithm = named(given.algorithm ?? usual, fit, 'algorithm')
  if (safety === 'quorum' && !(algorithm.promises.oneLeaderPerTerm && keepsLease(algorithm))) {
    const able = fit.filter((one) => one.promises.oneLeaderPerTerm && keepsLease(one))
    wrong(
      'algorithm',
      `${algorithm.name} cannot give safety quorum; possible: ${able.map(({ name }) => name).join(', ')}`,
    )
  }
  return algorithm
}

function keepsLease({ timers }: Algorithm): boolean {
  return Object.values(timers).some((timer) => timer.kind === 'period' && timer.deadline === true)
}

function timingOf(given: JoinOptions, members: number, detector: Detector, safety: SafetyName) {
  const { period, detection, lease, message } = given.timing ?? {}
  const or = (value: Duration | undefined, byDefault: number, field: string): number =>
    value === undefined ? byDefault : durationMs(value, `timing.${field}`, 1)
  const detectionMs = or(detection, DEFAULT.detectionMs, 'detection')
  const scale = detectionMs / DEFAULT.detectionMs
  const periodMs = or(period, DEFAULT.periodMs * scale, 'period')
  const leaseMs = or(lease, DEFAULT.leaseMs * scale, 'lease')
  const messageMs = or(message, detectionMs / 10, 'message')
  const processingMs = Math.min(PROCESSING_MS, messageMs / 10)
  const bounds = { messageMs, processingMs, detectionMs, watchMs: detectionMs, periodMs }
  const watchMs = Math.max(detectionMs, detector.watchMs(new Group(members, bounds)))
  const timing: Timing = { ...bounds, watchMs }
  const roundMs = 2 * messageMs + (members + 1) * processingMs
  const answerMs = detector.answerMs(new Group(members, timing))
  relate('timing.period', periodMs, '≥', roundMs, 'a round trip to all members (2 × message)')
  relate('timing.detection', detectionMs, '≥', 1.5 * periodMs, 'a period and a half')
  relate('timing.detection', detectionMs, '≥', answerMs, `what ${detector.name} takes to answer`)
  if (safety !== 'advisory') relate('timing.lease', leaseMs, '≥', 2 * periodMs, 'two periods')
  return { timing, leaseMs }
}

function relate(field: string, ms: number, _is: '≥', bound: number, why: string): void {
  if (ms < bound)
    wrong(field, `${round(ms)} ms is shorter than ${why}, which is ${round(bound)} ms`)
}

function preemptionOf(given: JoinOptions, safety: SafetyName, algorithm: Algorithm) {
  const optional = 'preempt' in algorithm.options
  const { preemption = optional ? 'sticky' : 'always' } = given
  if (preemption === 'always')
    return { options: optional ? { preempt: 'yes' } : {}, takeover: null }
  if (!optional && algorithm.promises.leader === 'highest') {
    const how = `${algorithm.name} (safety ${safety}) always elects the strongest member`
    wrong('preemption', `${how}: leave it out, or use safety quorum`)
  }
  const options: OptionValues = optional ? { preempt: 'sticky' } : {}
  if (preemption === 'sticky') return { options, takeover: null }
  if (typeof preemption !== 'object' || preemption === null) {
    wrong('preemption', "must be 'sticky', 'always' or { after, stableFor, maxPerHour }")
  }
  const { after, stableFor = '10s', maxPerHour = 4 } = preemption
  const takeover = {
    afterMs: durationMs(after, 'preemption.after'),
    stableForMs: durationMs(stableFor, 'preemption.stableFor'),
    maxPerHour: number(maxPerHour, 'preemption.maxPerHour', 1, 3600),
  }
  return { options, takeover }
}

// Fields.

function wrong(field: string, problem: string): never {
  throw new ConfigurationError(field, problem)
}

export function durationMs(given: unknown, field: string, min = 0): number {
  const us = typeof given === 'string' ? parseDuration(given) : undefined
  const ms = us === undefined ? given : us / 1000
  if (typeof ms !== 'number' || !Number.isFinite(ms)) {
    wrong(field, "must be milliseconds, or a text such as '500ms' or '30s'")
  }
  if (ms < min || ms > 86_400_000) wrong(field, `must be ${min} ms to a day, not ${round(ms)} ms`)
  return ms
}

function address(given: unknown, field: string): string {
  const match = typeof given === 'string' ? /^(?:\[.+\]|[^:\s]+):(\d{1,5})$/u.exec(given) : null
  if (match === null || Number(match[1]) > 65_535) {
    wrong(field, `must be host:port, not ${JSON.stringify(given)}`)
  }
  return given as string
}

function text(given: unknown, field: string): string {
  if (typeof given !== 'string' || given === '' || given.length > 200) {
    wrong(field, 'must be a text of 1 to 200 characters')
  }
  return given
}

function flag(given: unknown, field: string): boolean {
  if (typeof given !== 'boolean') wrong(field, 'must be true or false')
  return given
}

function number(given: unknown, field: string, min: number, max: number): number {
  if (typeof given !== 'number' || !(given >= min && given <= max)) {
    wrong(field, `must be a number from ${min} to ${max}`)
  }
  return given
}

function named<T extends { name: string }>(name: string, all: readonly T[], field: string): T {
  const found = all.find((one) => one.name === name)
  const possible = all.map((one) => one.name).join(', ')
  return found ?? wrong(field, `there is no ${JSON.stringify(name)}; possible: ${possible}`)
}

function round(ms: number): number {
  return Math.round(ms * 1000) / 1000
}
