/**
 * A run's configuration as text: the options of the command line, the head of a trace and a link to the
 * lab are the same keys and values. Everything is validated here, and every complaint names the option,
 * what was given and what is possible.
 */
import type { Algorithm, OptionValues } from '../core/algorithm.ts'
import type { Detector } from '../core/detector.ts'
import { Labels } from '../core/group.ts'
import type { NodeId } from '../core/node-id.ts'
import { parseDuration, showDuration } from '../core/time.ts'
import type { Settings } from '../core/settings.ts'
import { SimConfigError, configure, type SimConfig, type SimOptions } from './config.ts'
import { FAULT_KINDS, isFaultKind, type Fault } from './faults/fault-catalogue.ts'
import { parseFault, showFault } from './faults/fault-text.ts'
import type { Latency } from './network/latency.ts'

/** Bad input: one sentence that names the option, what was given, what is possible. */
export class InputError extends Error {
  override readonly name = 'InputError'

  constructor(key: string, given: string, possible: string) {
    super(`--${key} ${given === '' ? '(nothing)' : given}: ${possible}`)
  }
}

export type { Settings }

/** What can be named in a setting. */
export interface SettingsRegistry {
  readonly algorithms: readonly Algorithm[]
  readonly detectors: readonly Detector[]
}

/** Keys that may be given more than once. */
const REPEATED: readonly string[] = [...FAULT_KINDS, 'option']

const SINGLE = [
  'algorithm',
  'nodes',
  'strongest',
  'seed',
  'detector',
  'detection',
  'period',
  'message-bound',
  'processing',
  'network',
  'latency',
  'loss',
  'duplicate',
  'reorder',
  'ring',
  'initiator',
  'down',
  'known-down',
  'until',
] as const
type Single = (typeof SINGLE)[number]

export const MAX_NODES = 2_000_000

export function parseSettings(settings: Settings, registry: SettingsRegistry): SimConfig {
  return new Reader(settings, registry).read()
}

/** The settings that lead to this configuration, in a fixed order. */
export function showSettings(config: SimConfig): Settings {
  const { network, timing, labels } = config
  const list = (ids: readonly NodeId[]): string => ids.map((id) => labels.of(id)).join(',')
  const shown: (readonly [string, string])[] = [
    ['algorithm', config.algorithm.name],
    ['nodes', String(config.members)],
    ['strongest', labels.strongest],
    ['seed', String(config.seed)],
    ['detector', config.detector === 'perfect' ? 'perfect' : config.detector.name],
    ['detection', showRange(config.detection.minUs, config.detection.maxUs)],
    ['period', showDuration(Math.round(1000 * timing.periodMs))],
    ['message-bound', showDuration(Math.round(1000 * timing.messageMs))],
    ['processing', showDuration(config.processingUs)],
    ['network', network.send],
    ['latency', showLatency(network.latency)],
    ['loss', String(network.loss)],
    ['duplicate', String(network.duplicate)],
    ['reorder', String(network.reorder)],
  ]
  for (const [name, value] of Object.entries(config.options))
    shown.push(['option', `${name}=${value}`])
  if (config.ring !== null) shown.push(['ring', list(config.ring)])
  if (config.initiators !== null) shown.push(['initiator', list(config.initiators)])
  if (config.down.length > 0) shown.push(['down', list(config.down)])
  if (config.knownDown.length > 0) shown.push(['known-down', list(config.knownDown)])
  for (const fault of config.faults) shown.push(showFault(fault, labels))
  shown.push(['until', config.untilUs === null ? 'quiet' : showDuration(config.untilUs)])
  return shown
}

export function showLatency(latency: Latency): string {
  switch (latency.kind) {
    case 'constant':
      return showDuration(latency.us)
    case 'uniform':
      return `${showDuration(latency.minUs)}..${showDuration(latency.maxUs)}`
    case 'exponential':
      return `exponential:${showDuration(latency.minUs)}+${showDuration(latency.meanUs)}`
    case 'lognormal':
      return `lognormal:${showDuration(latency.medianUs)},${latency.sigma}`
  }
}

function showRange(minUs: number, maxUs: number): string {
  return minUs === maxUs ? showDuration(minUs) : `${showDuration(minUs)}..${showDuration(maxUs)}`
}

/** Reads settings key by key; the number of members decides what a member may be called. */
class Reader {
  private readonly settings: Settings
  private readonly registry: SettingsRegistry
  private labels = new Labels(1)

  constructor(settings: Settings, registry: SettingsRegistry) {
    this.settings = settings
    this.registry = registry
  }

  read(): SimConfig {
    this.refuseUnknown()
    const members = this.integer('nodes', 5, 1, MAX_NODES)
    this.labels = new Labels(members, this.choice('strongest', ['highest', 'lowest'], 'highest'))
    const algorithm = this.algorithm()
    const down = this.memberList('down') ?? []
    const messageBoundUs = this.duration('message-bound')
    const periodUs = this.duration('period')
    const detection = this.range('detection')
    const processingUs = this.duration('processing')
    return this.complete({
      algorithm,
      options: this.options(algorithm),
      members,
      labels: this.labels,
      seed: this.integer('seed', 1, 0, Number.MAX_SAFE_INTEGER),
      detector: this.detector(),
      ring: this.ring(algorithm, members),
      down,
      knownDown: this.knownDown(down),
      initiators: this.initiators(down),
      faults: this.faults(),
      untilUs: this.until(),
      network: {
        send: this.choice('network', ['multicast', 'sequential'], 'multicast'),
        loss: this.probability('loss'),
        duplicate: this.probability('duplicate'),
        reorder: this.probability('reorder'),
        ...this.latency(),
      },
      ...(processingUs === undefined ? {} : { processingUs }),
      ...(detection === undefined ? {} : { detection }),
      timing: {
        ...(messageBoundUs === undefined ? {} : { messageMs: messageBoundUs / 1000 }),
        ...(periodUs === undefined ? {} : { periodMs: periodUs / 1000 }),
      },
    })
  }

  private complete(options: SimOptions): SimConfig {
    try {
      return configure(options)
    } catch (error) {
      if (!(error instanceof SimConfigError)) throw error
      const set = this.settings.find(([key]) => key === error.key)?.[1]
      const given = error.value ?? set ?? '(as by default)'
      throw new InputError(error.key, given, error.message)
    }
  }

  private refuseUnknown(): void {
    const seen = new Set<string>()
    for (const [key, value] of this.settings) {
      if (REPEATED.includes(key)) continue
      if (!(SINGLE as readonly string[]).includes(key)) {
        const known = [...SINGLE, ...REPEATED].join(', ')
        throw new InputError(key, value, `there is no such setting; there are ${known}`)
      }
      if (seen.has(key)) throw new InputError(key, value, 'is given twice; it can be given once')
      seen.add(key)
    }
  }

  private get(key: Single): string | undefined {
    return this.settings.find(([name]) => name === key)?.[1]
  }

  private algorithm(): Algorithm {
    const given = this.get('algorithm') ?? ''
    const found = this.registry.algorithms.find(({ name }) => name === given)
    if (found !== undefined) return found
    const names = this.registry.algorithms.map(({ name }) => name).join(', ')
    throw new InputError('algorithm', given, `there is no such algorithm; there are ${names}`)
  }

  private detector(): Detector | 'perfect' {
    const given = this.get('detector') ?? 'perfect'
    if (given === 'perfect') return given
    const found = this.registry.detectors.find(({ name }) => name === given)
    if (found !== undefined) return found
    const names = ['perfect', ...this.registry.detectors.map(({ name }) => name)].join(', ')
    throw new InputError('detector', given, `there is no such detector; there are ${names}`)
  }

  private options(algorithm: Algorithm): OptionValues {
    const values: Record<string, string | number> = {}
    for (const [key, given] of this.settings) {
      if (key !== 'option') continue
      const [name, ...rest] = given.split('=')
      const value = rest.join('=')
      if (!Object.hasOwn(algorithm.options, name)) {
        const names = Object.keys(algorithm.options).join(', ') || 'none'
        const unknown = `${algorithm.name} has no option ${name || '(nothing)'}`
        throw new InputError(key, given, `${unknown}; it has ${names}`)
      }
      if (Object.hasOwn(values, name)) throw new InputError(key, given, `${name} is given twice`)
      const option = algorithm.options[name]
      if (option.type === 'choice') {
        if (!option.choices.includes(value)) {
          throw new InputError(key, given, `${name} must be one of ${option.choices.join(', ')}`)
        }
        values[name] = value
      } else {
        const number = parseNumber(value)
        if (!(number >= option.min && number <= option.max)) {
          const range = `${option.min} to ${option.max}`
          throw new InputError(key, given, `${name} must be a number from ${range}`)
        }
        values[name] = number
      }
    }
    return values
  }

  private integer(key: Single, byDefault: number, min: number, max: number): number {
    const given = this.get(key)
    if (given === undefined) return byDefault
    const value = /^\d+$/u.test(given) ? Number(given) : NaN
    if (Number.isSafeInteger(value) && value >= min && value <= max) return value
    throw new InputError(key, given, `must be a whole number from ${min} to ${max}`)
  }

  private choice<const C extends string>(key: Single, choices: readonly C[], byDefault: C): C {
    const given = this.get(key)
    if (given === undefined) return byDefault
    const found = choices.find((choice) => choice === given)
    if (found !== undefined) return found
    throw new InputError(key, given, `must be ${choices.join(' or ')}`)
  }

  private probability(key: Single): number {
    const given = this.get(key)
    if (given === undefined) return 0
    const value = given.endsWith('%') ? parseNumber(given.slice(0, -1)) / 100 : parseNumber(given)
    if (value >= 0 && value < 1) return value
    throw new InputError(
      key,
      given,
      'must be a probability from 0 up to but not 1, such as 0.05 or 5%',
    )
  }

  private duration(key: Single): number | undefined {
    const given = this.get(key)
    if (given === undefined) return undefined
    const us = parseDuration(given)
    if (us !== undefined) return us
    throw new InputError(key, given, 'must be a duration with its unit us, ms or s, such as 20ms')
  }

  private range(key: Single): { minUs: number; maxUs: number } | undefined {
    const given = this.get(key)
    if (given === undefined) return undefined
    const ends = given.split('..')
    const [min, max] = [parseDuration(ends[0]), parseDuration(ends.at(-1)!)]
    if (ends.length <= 2 && min !== undefined && max !== undefined && min <= max) {
      return { minUs: min, maxUs: max }
    }
    throw new InputError(key, given, 'must be a duration or a range, such as 20ms or 10ms..30ms')
  }

  private latency(): { latency?: Latency } {
    const given = this.get('latency')
    if (given === undefined) return {}
    const latency = parseLatency(given)
    if (latency !== undefined) return { latency }
    throw new InputError(
      'latency',
      given,
      'must be 3ms, 1ms..5ms, exponential:1ms+3ms (least + mean) or lognormal:3ms,0.5 (median, sigma)',
    )
  }

  private member(key: string, given: string, text: string): NodeId {
    const label = /^\d+$/u.test(text) ? Number(text) : NaN
    if (label >= 1 && label <= this.labels.members) return this.labels.of(label)
    throw new InputError(
      key,
      given,
      `there is no member ${text || '(nothing)'}; members are 1 to ${this.labels.members}`,
    )
  }

  private memberList(key: Single): NodeId[] | undefined {
    const given = this.get(key)
    if (given === undefined) return undefined
    const ids = given.split(',').map((text) => this.member(key, given, text))
    if (new Set(ids).size < ids.length) throw new InputError(key, given, 'names a member twice')
    return ids
  }

  private ring(algorithm: Algorithm, members: number): NodeId[] | null {
    const ring = this.memberList('ring')
    if (ring === undefined) return null
    const given = this.get('ring') ?? ''
    if (ring.length !== members) {
      throw new InputError('ring', given, `must name each of the ${members} members once`)
    }
    if (algorithm.topology === 'ring') return ring
    throw new InputError('ring', given, `${algorithm.name} does not run on a ring`)
  }

  private knownDown(down: readonly NodeId[]): NodeId[] {
    const known = this.memberList('known-down') ?? []
    const stranger = known.find((id) => !down.includes(id))
    if (stranger === undefined) return known
    const given = this.get('known-down') ?? ''
    throw new InputError('known-down', given, `${this.labels.of(stranger)} is not named in --down`)
  }

  private initiators(down: readonly NodeId[]): NodeId[] | null {
    const initiators = this.memberList('initiator')
    if (initiators === undefined) return null
    const dead = initiators.find((id) => down.includes(id))
    if (dead === undefined) return initiators
    const given = this.get('initiator') ?? ''
    throw new InputError('initiator', given, `${this.labels.of(dead)} is down from the beginning`)
  }

  private faults(): Fault[] {
    const faults: Fault[] = []
    for (const [key, given] of this.settings) {
      if (!isFaultKind(key)) continue
      const complain = (possible: string): InputError => new InputError(key, given, possible)
      faults.push(...parseFault(key, given, (text) => this.member(key, given, text), complain))
    }
    return faults.sort((a, b) => a.at - b.at)
  }

  private until(): number | null {
    const given = this.get('until') ?? 'quiet'
    const us = given === 'quiet' ? null : parseDuration(given)
    if (us !== undefined) return us
    throw new InputError('until', given, 'must be quiet or a duration such as 2s')
  }
}

/** A number as people write it; NaN where it is none, an empty or a hexadecimal one too. */
function parseNumber(text: string): number {
  return /^-?\d+(?:\.\d+)?(?:e[+-]?\d+)?$/u.test(text) ? Number(text) : NaN
}

export function parseLatency(text: string): Latency | undefined {
  const [kind, rest, ...more] = text.includes(':') ? text.split(':') : ['uniform', text]
  if (more.length > 0) return undefined
  if (kind === 'lognormal') {
    const [median, sigmaText, ...others] = rest.split(',')
    const [medianUs, sigma] = [parseDuration(median), parseNumber(sigmaText ?? '')]
    const right = medianUs !== undefined && sigma > 0 && sigma <= 5 && others.length === 0
    return right ? { kind, medianUs, sigma } : undefined
  }
  const separator = kind === 'exponential' ? '+' : '..'
  const parts = rest.split(separator)
  const [first, second] = parts.map((part) => parseDuration(part))
  if (first === undefined || parts.length > 2) return undefined
  if (kind === 'exponential') {
    return second === undefined ? undefined : { kind, minUs: first, meanUs: second }
  }
  if (kind !== 'uniform' || text.includes(':')) return undefined
  if (parts.length === 1) return { kind: 'constant', us: first }
  return second === undefined || second < first ? undefined : { kind, minUs: first, maxUs: second }
}
