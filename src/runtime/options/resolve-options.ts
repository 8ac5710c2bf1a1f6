/**
 * Completes and checks what `join` was given: names become algorithms and detectors, members are ordered, times must
 * fit each other, shared options are hashed.
 */
import { createHash } from 'node:crypto'
import type { Algorithm, OptionValues } from '../../core/algorithm.ts'
import type { Detector } from '../../core/detector.ts'
import { didYouMean } from '../../core/errors/closest-name.ts'
import { Group, orderByStrength, type Timing } from '../../core/group.ts'
import type { NodeId } from '../../core/node-id.ts'
import { majority } from '../../core/quorum.ts'
import type { Peer } from '../../transports/transport.ts'
import { isFenced, type Fenced } from '../fencing/fenced.ts'
import {
  foundersIn,
  seatingOf,
  type GroupConfiguration,
  type MemberRole,
  type Seating,
} from '../membership/group-configuration.ts'
import { checkOptionTable, durationMs, wrong } from './option-kinds.ts'
import {
  JOIN_OPTIONS,
  TIMING_OPTIONS,
  type CheckedOptions,
  type JoinOptions,
} from './option-table.ts'
import { textsOf } from './shared-options.ts'

type SafetyName = 'advisory' | 'quorum' | 'fenced'

/** The algorithms and detectors that a runtime can run, and their defaults. */
export interface Implementations {
  readonly algorithms: readonly Algorithm[]
  readonly detectors: readonly Detector[]
  readonly byDefault: Readonly<Record<'advisory' | 'quorum' | 'detector', string>>
}

interface Takeover {
  readonly afterMs: number
  readonly stableForMs: number
  readonly maxPerHour: number
}

/** The options that resolution replaces by what they mean. */
const REPLACED = [
  'group',
  'members',
  'seeds',
  'safety',
  'algorithm',
  'detector',
  'preemption',
  'timing',
  'listen',
  'drain',
] as const

/**
 * Options, complete and checked. When the configuration of the group changes, they are replaced in place: they are those
 * of the moment.
 */
export interface ResolvedOptions extends Omit<CheckedOptions, (typeof REPLACED)[number]> {
  readonly groupName: string
  readonly me: NodeId
  readonly names: readonly string[]
  readonly addresses: ReadonlyMap<string, string>
  readonly priorities: readonly number[]
  /** The members of the moment by seat, weakest first. */
  readonly roles: ReadonlyMap<NodeId, MemberRole>
  /** What a member needs to dial and accept the others, and those that were removed. */
  readonly peers: readonly Peer[]
  readonly listen: string
  readonly safety: SafetyName
  readonly fenced: Fenced | null
  /** There is no mesh: the members know each other by the record in the engine alone. */
  readonly engineOnly: boolean
  readonly algorithm: Algorithm
  readonly algorithmOptions: OptionValues
  readonly detector: Detector
  readonly group: Group
  readonly leaseMs: number
  readonly drainMs: number
  readonly takeover: Takeover | null
  /** Of the options that all members share. */
  readonly hash: string
  /** Of those that no change of the configuration changes. */
  readonly fixedHash: string
  /** Null: as the options say, since nothing has changed. */
  readonly configuration: GroupConfiguration | null
  /** The same options as texts. */
  readonly shared: Readonly<Record<string, string>>
}

/** The longest time that a member takes to handle a message. */
const PROCESSING_MS = 1

/**
 * A configuration that the group has agreed on goes before the options that are given. `seat`: this member's, which the
 * configuration may have given up. Throws ConfigurationError, which names the field.
 */
export function resolveOptions(
  given: JoinOptions,
  implementations: Implementations,
  configuration: GroupConfiguration | null = null,
  seat?: NodeId,
): ResolvedOptions {
  const stated =
    configuration === null
      ? given
      : { ...given, ...configuration.options, ...engineIn(given, configuration) }
  const checked = checkOptionTable(JOIN_OPTIONS, stated)
  const { group: groupName, id } = checked
  const engineOnly = isEngineOnly(checked, configuration)
  if (engineOnly) refuseMeshOptions(given)
  const seating =
    configuration === null ? firstSeating(checked, engineOnly) : seatingOf(configuration)
  const { names, priorities, roles } = seating
  const addresses = new Map(seating.addresses)
  if (checked.address !== undefined && addresses.has(id)) addresses.set(id, checked.address)
  const me = seat ?? names.lastIndexOf(id)
  if (me < 1) wrong('id', `"${id}" is not among the members (${names.slice(1).join(', ')})`)
  const fenced = isFenced(checked.safety) ? checked.safety : null
  const safety = isFenced(checked.safety) ? 'fenced' : checked.safety
  const algorithm = algorithmOf(checked, safety, implementations)
  refuseWitnesses(seating, algorithm)
  const { detectors, byDefault } = implementations
  const detector = named(checked.detector ?? byDefault.detector, detectors, 'detector')
  const { timing, leaseMs } = timingOf(checked, roles.size, detector, engineOnly ? null : safety)
  const { options, takeover } = preemptionOf(checked, safety, algorithm)
  const leased =
    'leasePeriods' in algorithm.options ? { leasePeriods: leaseMs / timing.periodMs } : {}
  // An engine arbitrates between members that forgot their votes.
  const founding = fenced === null ? checked.founding : 'given'
  const founded = 'founding' in algorithm.options ? { founding } : {}
  const others = {
    ...unchangedShared(checked),
    ...(fenced && { engine: fenced.engine.name, vouch: fenced.vouch }),
  }
  const founders = configuration?.founders ?? foundersIn(seating)
  const fixed = {
    group: groupName,
    members: founders,
    algorithm: algorithm.name,
    detector: detector.name,
    timing: {},
    options,
    takeover,
    ...others,
  }
  return {
    ...checked,
    groupName,
    me,
    names,
    addresses,
    priorities,
    roles,
    peers: peersOf(seating, configuration, id),
    configuration,
    listen: checked.listen ?? addresses.get(id) ?? configuration?.former[me]?.[1] ?? '',
    safety,
    fenced,
    engineOnly,
    algorithm,
    algorithmOptions: { ...options, ...leased, ...founded },
    detector,
    group: new Group(names.length - 1, timing, null, {
      strength: seating.strength,
      witnesses: seatsAs('witness', seating),
      voters: founders.length < names.length - 1 ? founders.map((_, i) => i + 1) : null,
    }),
    leaseMs,
    drainMs: checked.drain,
    takeover,
    hash: hashOf(configuration ?? { ...fixed, timing: { ...timing, leaseMs } }),
    fixedHash: hashOf(fixed),
    shared: textsOf({
      names: ['', ...[...roles.keys()].map((member) => names[member])],
      priorities: [0, ...[...roles.keys()].map((member) => priorities[member])],
      roles: ['voter', ...roles.values()],
      algorithm: algorithm.name,
      detector: detector.name,
      timing,
      leaseMs,
      others: { preemption: takeover ?? options['preempt'] ?? 'always', ...others },
    }),
  }
}

/** The shared options that resolution leaves as they are. */
function unchangedShared(checked: CheckedOptions): object {
  const isUnchanged = (name: string): boolean =>
    JOIN_OPTIONS[name as keyof JoinOptions].shared === true && !REPLACED.includes(name as never)
  return Object.fromEntries(Object.entries(checked).filter(([name]) => isUnchanged(name)))
}

function hashOf(shared: object): string {
  return createHash('sha256').update(JSON.stringify(shared)).digest('hex').slice(0, 16)
}

/** A configuration says that an engine arbitrates; which one is said by each member's own options. */
function engineIn(
  { safety }: JoinOptions,
  { options }: GroupConfiguration,
): Pick<JoinOptions, 'safety'> {
  if (options['safety'] !== 'fenced') return {}
  if (!isFenced(safety)) wrong('safety', 'the group is fenced: give its engine')
  return { safety }
}

/** Where an engine arbitrates and no peers are named. */
function isEngineOnly(
  { safety, members, seeds }: CheckedOptions,
  configuration: GroupConfiguration | null,
): boolean {
  return configuration === null && isFenced(safety) && members === undefined && seeds === undefined
}

/** What means nothing without peers would suggest that there are some. */
const MESH_OPTIONS = [
  'algorithm',
  'detector',
  'preemption',
  'trustRefusals',
  'founding',
  'address',
  'listen',
] as const

function refuseMeshOptions(given: JoinOptions): void {
  const why = 'goes with members: without them the engine alone decides who leads'
  const { safety } = given
  if (isFenced(safety) && safety.vouch !== 'nobody') wrong('safety.vouch', why)
  for (const name of MESH_OPTIONS) if (given[name] !== undefined) wrong(name, why)
}

function firstSeating({ id, members }: CheckedOptions, engineOnly: boolean): Seating {
  if (engineOnly) return alone(id)
  if (members === undefined) {
    return wrong(
      'members',
      'is missing: give all members, or seeds of a running group, or safety fenced(engine), which needs neither',
    )
  }
  const names = ['', ...orderByStrength(members)]
  const byName = new Map(members.map((member) => [member.name, member]))
  return {
    names,
    addresses: new Map(members.map(({ name, address }) => [name, address])),
    priorities: names.map((name) => byName.get(name)?.priority ?? 0),
    roles: new Map(
      names.slice(1).map((name, i) => [i + 1, byName.get(name)!.lead ? 'voter' : 'witness']),
    ),
    strength: null,
  }
}

function seatsAs(wanted: MemberRole, { roles }: Pick<Seating, 'roles'>): NodeId[] {
  return [...roles].flatMap(([seat, role]) => (role === wanted ? [seat] : []))
}

/** Of each majority one member may lead, and the algorithm knows voters that never stand. */
function refuseWitnesses(seating: Seating, algorithm: Algorithm): void {
  const witnesses = seatsAs('witness', seating)
  if (witnesses.length === 0) return
  const field = `members.${seating.names[witnesses[0]]}.lead`
  if (!('preempt' in algorithm.options)) {
    wrong(field, `${algorithm.name} lets every member lead: witnesses need bully-fd-quorum`)
  }
  const voters = witnesses.length + seatsAs('voter', seating).length
  if (witnesses.length < majority(voters)) return
  wrong(field, `${witnesses.length} of ${voters} voters would be a majority that cannot lead`)
}

/** The one member of its mesh. */
function alone(id: string): Seating {
  return {
    names: ['', id],
    addresses: new Map([[id, '']]),
    priorities: [0, 0],
    roles: new Map([[1, 'voter']]),
    strength: null,
  }
}

/** Who was removed may still have to learn it, unless another member has the name now. */
function peersOf(
  { names, addresses }: Seating,
  configuration: GroupConfiguration | null,
  id: string,
): Peer[] {
  return names.flatMap((name, seat) => {
    const isLatest = names.lastIndexOf(name) === seat
    const address = addresses.get(name) ?? configuration?.former[seat]?.[1]
    if (seat === 0 || name === id || !isLatest || address === undefined) return []
    return [{ id: name, address, seat }]
  })
}

/** Only algorithms that promise one leader per term and keep a lease are safe without synchrony. */
function algorithmOf(
  { algorithm: name, preemption = 'always' }: CheckedOptions,
  safety: SafetyName,
  { algorithms, byDefault }: Implementations,
): Algorithm {
  // Elections on rings without faults lose the messages to members that are not up yet.
  const fit = algorithms.filter(({ specimen, assumes }) => !specimen && assumes.crashes)
  // The engine arbitrates: the election need not be safe in a partition, only quick. But the quick one is not sticky.
  const isSticky = safety === 'fenced' && preemption !== 'always'
  const defaultName = byDefault[safety === 'quorum' || isSticky ? 'quorum' : 'advisory']
  const algorithm = named(name ?? defaultName, fit, 'algorithm')
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

function timingOf(
  { timing: given }: CheckedOptions,
  members: number,
  detector: Detector,
  /** Null: there are no messages to wait for. */
  safety: SafetyName | null,
) {
  const usualMs = (name: 'period' | 'detection' | 'lease'): number =>
    durationMs(TIMING_OPTIONS[name].defaultText, name)
  const detectionMs = given.detection ?? usualMs('detection')
  const scale = detectionMs / usualMs('detection')
  const periodMs = given.period ?? usualMs('period') * scale
  const leaseMs = given.lease ?? usualMs('lease') * scale
  const messageMs = given.message ?? detectionMs / 10
  const processingMs = Math.min(PROCESSING_MS, messageMs / 10)
  const bounds = { messageMs, processingMs, detectionMs, watchMs: detectionMs, periodMs }
  const watchMs = Math.max(detectionMs, detector.watchMs(new Group(members, bounds)))
  const timing: Timing = { ...bounds, watchMs }
  if (safety !== null) relateToMessages(timing, members, detector)
  if (safety !== 'advisory') relate('timing.lease', leaseMs, '≥', 2 * periodMs, 'two periods')
  return { timing, leaseMs }
}

function relateToMessages(timing: Timing, members: number, detector: Detector): void {
  const { periodMs, detectionMs, messageMs, processingMs } = timing
  const roundMs = 2 * messageMs + (members + 1) * processingMs
  const answerMs = detector.answerMs(new Group(members, timing))
  relate('timing.period', periodMs, '≥', roundMs, 'a round trip to all members (2 × message)')
  relate('timing.detection', detectionMs, '≥', 1.5 * periodMs, 'a period and a half')
  relate('timing.detection', detectionMs, '≥', answerMs, `what ${detector.name} takes to answer`)
}

function relate(field: string, ms: number, _is: '≥', bound: number, why: string): void {
  if (ms < bound)
    wrong(
      field,
      `${round(ms)} ms is shorter than ${why}, which is ${round(bound)} ms${adviceOf(field)}`,
    )
}

function adviceOf(field: string): string {
  if (field === 'timing.lease') return ': give a longer timing.lease or a shorter timing.period'
  return field === 'timing.period'
    ? ': give a longer timing.period or a shorter timing.message'
    : ': give shorter timing.period and timing.message with it, or a longer timing.detection'
}

function preemptionOf(checked: CheckedOptions, safety: SafetyName, algorithm: Algorithm) {
  const optional = 'preempt' in algorithm.options
  const { preemption = optional ? 'sticky' : 'always' } = checked
  if (preemption === 'always')
    return { options: optional ? { preempt: 'yes' } : {}, takeover: null }
  if (!optional && algorithm.promises.leader === 'highest') {
    const how = `${algorithm.name} (safety ${safety}) always elects the strongest member`
    const instead = safety === 'fenced' ? 'leave out the algorithm' : 'use safety quorum or fenced'
    wrong('preemption', `${how}: leave it out, or ${instead}`)
  }
  const options: OptionValues = optional ? { preempt: 'sticky' } : {}
  if (preemption === 'sticky') return { options, takeover: null }
  const { after, stableFor, maxPerHour } = preemption
  return { options, takeover: { afterMs: after, stableForMs: stableFor, maxPerHour } }
}

function named<T extends { name: string }>(name: string, all: readonly T[], field: string): T {
  const found = all.find((one) => one.name === name)
  const names = all.map((one) => one.name)
  const meant = didYouMean(name, names)
  const possible = names.join(', ')
  return found ?? wrong(field, `there is no ${JSON.stringify(name)}${meant}; possible: ${possible}`)
}

function round(ms: number): number {
  return Math.round(ms * 1000) / 1000
}
