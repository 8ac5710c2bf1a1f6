/** Draws run k of a hunt from its seed: algorithm, options, network, clocks, detector and faults, as a draft that can be shrunk. */
import { promisesLease } from '../../core/algorithm.ts'
import type { Algorithm, OptionValues } from '../../core/algorithm.ts'
import type { Detector } from '../../core/detector.ts'
import { Hasher } from '../../core/hash.ts'
import { nodesTo } from '../../core/node-id.ts'
import { Random } from '../../core/random.ts'
import {
  configure,
  DEFAULT_NETWORK,
  hasRegister,
  leadersResign,
  type NetworkConfig,
  type SimConfig,
  type SimOptions,
} from '../config.ts'
import type { Fault } from '../faults/fault-catalogue.ts'
import type { Latency } from '../network/latency.ts'
import { drawChanges, drawDisturbances, endOf, pick, type Family } from './disturbances.ts'
import { withBursts } from './bursts.ts'

/** What a hunt runs. The same plan and the same number give the same run. */
export interface HuntPlan {
  readonly seed: number
  readonly algorithms: readonly Algorithm[]
  readonly detectors: readonly Detector[]
  /** The families of faults that may happen, of those that an algorithm tolerates. */
  readonly families: readonly Family[]
}

export interface Draft extends Omit<SimOptions, 'faults' | 'untilUs' | 'network'> {
  readonly seed: number
  readonly network: NetworkConfig
  readonly options: OptionValues
  readonly faults: readonly Fault[]
  /** Whether a minority of the members may be down in the end. */
  readonly stayDown: boolean
  /** µs: the run ends there. Null: the faults end, and the run when it is quiet, so that its end is judged. */
  readonly untilUs: number | null
}

export function configurationOf(draft: Draft): SimConfig {
  const { stayDown, ...options } = draft
  if (draft.untilUs !== null) return configure(options)
  return configure({
    ...options,
    faults: [...draft.faults, ...endOf(draft.faults, draft.members, stayDown)],
  })
}

/** The faults under which all that the algorithm promises is judged. */
export function toleratedBy(algorithm: Algorithm, families: readonly Family[]): Family[] {
  const { crashes, recoveries, loss, admittedField } = algorithm.assumes
  const tolerated = (family: Family): boolean => {
    if (family === 'resign') return leadersResign(algorithm)
    if (family === 'change') return hasRegister(algorithm)
    if (family === 'crash') return crashes && recoveries
    if (family === 'drop') return loss
    if (family === 'forget') return admittedField !== undefined
    // A lease holds whatever the network, the clocks and the disks do.
    return promisesLease(algorithm, {})
  }
  return families.filter(tolerated)
}

export function drawRun(plan: HuntPlan, number: number): Draft {
  const algorithm = plan.algorithms[number % plan.algorithms.length]
  const random = new Random(seedOf(plan.seed, number))
  // From numbers of their own: a run without changes is the same whether changes may be drawn or not.
  const ofChanges = new Random(seedOf(plan.seed + 1, number))
  const draft = drawDraft(plan, algorithm, random, ofChanges)
  if (!promisesLease(algorithm, {}) || !random.chance(0.5)) return withoutBlankSeats(draft)
  return withoutBlankSeats(withBursts(draft, familiesFor(plan, algorithm, draft.options), random))
}

/** A seat that was added is given to one member once: a host does not let one without state run under it again. */
function withoutBlankSeats(draft: Draft): Draft {
  const { voters = null, faults } = draft
  if (voters === null) return draft
  const isBlank = (fault: Fault): boolean => fault.kind === 'forget' && !voters.includes(fault.node)
  return { ...draft, faults: faults.filter((fault) => !isBlank(fault)) }
}

/** Only a group that is founded by all members loses a member's state: after that a majority without state is no group. */
function familiesFor(
  plan: HuntPlan,
  algorithm: Algorithm,
  options: OptionValues,
): readonly Family[] {
  const families = toleratedBy(algorithm, plan.families)
  return options['founding'] === 'all' ? families : families.filter((family) => family !== 'forget')
}

function isFoundedBy(options: OptionValues): boolean {
  return (options['founding'] ?? 'given') !== 'given'
}

function drawDraft(plan: HuntPlan, algorithm: Algorithm, random: Random, ofChanges: Random): Draft {
  const options = drawOptions(algorithm, random)
  const isFounded = isFoundedBy(options)
  const families = familiesFor(plan, algorithm, options)
  const has = (family: Family): boolean => families.includes(family)
  const hasLease = promisesLease(algorithm, {})
  const voters = pick(random, [2, 3, 3, 3, 3, 4, 5, 5, 6, 7])
  const changes = has('change') && ofChanges.chance(0.4)
  const members = changes ? voters + ofChanges.below(3) : voters
  const requests = changes ? drawChanges(ofChanges, voters, members) : []
  const isLawless = has('latency') && random.chance(0.25)
  const chance = (family: Family, values: readonly number[]): number =>
    has(family) && random.chance(0.4) ? pick(random, values) : 0
  const network: NetworkConfig = {
    send: 'multicast',
    loss: chance('loss', [0.02, 0.1, 0.3]),
    duplicate: chance('duplicate', [0.05, 0.3]),
    reorder: chance('reorder', [0.05, 0.3, 1]),
    latency: isLawless
      ? drawLawless(random)
      : has('latency')
        ? drawLatency(random)
        : DEFAULT_NETWORK.latency,
  }
  const detectionUs = 11_000 + random.below(30_000)
  const faults = drawDisturbances(random, members, families, voters)
  const clocks = has('drift') ? drawClocks(algorithm, options, members, random) : []
  return {
    algorithm,
    options,
    members,
    seed: random.below(2 ** 31),
    network,
    // A detector that sends messages takes a lost one for a crash, which only some algorithms tolerate.
    detector: hasLease && random.chance(0.7) ? pick(random, plan.detectors) : 'perfect',
    detection: { minUs: random.chance(0.5) ? 1000 : detectionUs, maxUs: detectionUs },
    // The bound that the algorithm assumes is then wrong.
    ...(isLawless ? { timing: { messageMs: 5.001 } } : {}),
    ...(changes ? { voters: nodesTo(voters) } : {}),
    faults: [...clocks, ...faults, ...requests].sort((a, b) => a.at - b.at),
    // A founding needs all members.
    stayDown: random.chance(0.3) && !isFounded && !changes,
    untilUs: null,
  }
}

/** Distinct for every seed and number; plans that differ in their algorithms share nothing else. */
function seedOf(seed: number, number: number): number {
  const hasher = new Hasher()
  hasher.integer(seed)
  hasher.integer(number)
  return hasher.low >>> 0
}

/** Numbers that options of these names get: short leases and short draws, so that a run sees many. */
const NUMBERS: Readonly<Record<string, readonly number[] | undefined>> = {
  leasePeriods: [2, 3, 4, 4, 6],
  driftPercent: [0, 5, 10, 10, 30],
  consecutive: [1, 2, 2],
  drawEveryMs: [2, 10],
}

function drawOptions(algorithm: Algorithm, random: Random): OptionValues {
  const values: Record<string, string | number> = {}
  for (const [name, option] of Object.entries(algorithm.options)) {
    if (option.type === 'choice') {
      if (random.chance(0.6)) values[name] = pick(random, option.choices)
    } else if (NUMBERS[name] !== undefined) values[name] = pick(random, NUMBERS[name])
  }
  return values
}

function drawLatency(random: Random): Latency {
  switch (random.below(4)) {
    case 0:
      return { kind: 'constant', us: pick(random, [500, 3000]) }
    case 1:
      return { kind: 'exponential', minUs: 200, meanUs: 2000 }
    case 2:
      return { kind: 'lognormal', medianUs: 2000, sigma: 0.8 }
    default:
      return {
        kind: 'uniform',
        minUs: 100 + random.below(3000),
        maxUs: 3100 + random.below(12_000),
      }
  }
}

/** Messages that take longer than any bound that an algorithm assumes: all of them, or a few, which then are very late. */
function drawLawless(random: Random): Latency {
  if (random.chance(0.5)) {
    return { kind: 'lognormal', medianUs: pick(random, [1000, 4000]), sigma: 1.8 }
  }
  const maxUs = pick(random, [40_000, 80_000, 200_000, 600_000])
  return { kind: 'uniform', minUs: 100, maxUs }
}

/** Rates that differ by as much as the algorithm allows; the extremes break what is too short. */
function drawClocks(
  { options }: Algorithm,
  given: OptionValues,
  members: number,
  random: Random,
): Fault[] {
  const percent = Number(given['driftPercent'] ?? options['driftPercent']?.default ?? 0)
  if (percent === 0 || random.chance(0.4)) return []
  const permille = (): number =>
    random.chance(0.6) ? 10 * percent : random.below(10 * percent + 1)
  return Array.from({ length: members }, (_, i): Fault => {
    return {
      at: 0,
      kind: 'drift',
      node: i + 1,
      rate: random.chance(0.4) ? 1 : 1 + permille() / 1000,
    }
  }).filter((fault) => fault.kind === 'drift' && fault.rate !== 1)
}
