/**
 * Parses settings, the text form of a run's configuration, into a `SimConfig`, and writes them back. The flags of
 * `simulate`, the head of a trace and a link to the lab are the same keys and values.
 */
import type { Algorithm, OptionValues } from '../../core/algorithm.ts'
import type { Detector } from '../../core/detector.ts'
import { Labels } from '../../core/group.ts'
import { nodesTo, type NodeId } from '../../core/node-id.ts'
import { majority } from '../../core/quorum.ts'
import type { Settings } from '../../core/settings.ts'
import { parseDuration, showDuration } from '../../core/time.ts'
import {
  configure,
  DEFAULT_DETECTION,
  DEFAULT_NETWORK,
  hasRegister,
  SimConfigError,
} from '../config.ts'
import type { SimConfig, SimOptions } from '../config.ts'
import { FAULT_KINDS, isFaultKind, type Fault } from '../faults/fault-catalogue.ts'
import { parseFault, showFault } from '../faults/fault-text.ts'
import { InputError } from './input-error.ts'
import { parseLatency, parseNumber, parseRange, showLatency, showRange } from './latency-text.ts'
import { SettingsValues } from './settings-values.ts'

export type { Settings }

export interface SettingsRegistry {
  readonly algorithms: readonly Algorithm[]
  readonly detectors: readonly Detector[]
}

const REPEATED: readonly string[] = [...FAULT_KINDS, 'option']

const ONCE = [
  'algorithm',
  'nodes',
  'strongest',
  'seed',
  'detector',
  'detection',
  'silence',
  'period',
  'message-bound',
  'processing',
  'network',
  'latency',
  'loss',
  'duplicate',
  'reorder',
  'ring',
  'voters',
  'observers',
  'witnesses',
  'initiator',
  'down',
  'known-down',
  'until',
] as const
type Key = (typeof ONCE)[number]

export const MAX_NODES = 2_000_000

export function parseSettings(settings: Settings, registry: SettingsRegistry): SimConfig {
  return new SettingsReader(settings, registry).read()
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
    ...(config.silenceUs === null ? [] : ([['silence', showDuration(config.silenceUs)]] as const)),
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
  if (config.voters !== null) shown.push(['voters', list(config.voters)])
  if (config.observers.length > 0) shown.push(['observers', list(config.observers)])
  if (config.witnesses.length > 0) shown.push(['witnesses', list(config.witnesses)])
  if (config.initiators !== null) shown.push(['initiator', list(config.initiators)])
  if (config.down.length > 0) shown.push(['down', list(config.down)])
  if (config.knownDown.length > 0) shown.push(['known-down', list(config.knownDown)])
  for (const fault of config.faults) shown.push(showFault(fault, labels))
  shown.push(['until', config.untilUs === null ? 'quiet' : showDuration(config.untilUs)])
  return shown
}

class SettingsReader {
  private readonly settings: Settings
  private readonly registry: SettingsRegistry
  private readonly values: SettingsValues<Key>
  private readonly algorithm: Algorithm
  private readonly labels: Labels

  constructor(settings: Settings, registry: SettingsRegistry) {
    const values = new SettingsValues(settings, ONCE, REPEATED)
    const members = values.integer('nodes', 5, 1, MAX_NODES)
    this.settings = settings
    this.registry = registry
    this.values = values
    this.labels = new Labels(members, values.choice('strongest', ['highest', 'lowest'], 'highest'))
    this.algorithm = values.named('algorithm', registry.algorithms)
  }

  read(): SimConfig {
    const { values, algorithm, labels } = this
    const down = this.memberList('down') ?? []
    const messageBoundUs = values.duration('message-bound')
    const periodUs = values.duration('period')
    return this.configure({
      algorithm,
      options: this.options(),
      members: labels.members,
      labels,
      seed: values.integer('seed', 1, 0, Number.MAX_SAFE_INTEGER),
      detector: this.detector(),
      ring: this.ring(),
      ...this.firstConfiguration(),
      down,
      knownDown: this.knownDown(down),
      initiators: this.initiators(down),
      faults: this.faults(),
      untilUs: values.parsed('until', null, 'must be quiet or a duration such as 2s', (text) =>
        text === 'quiet' ? null : parseDuration(text),
      ),
      network: {
        send: values.choice('network', ['multicast', 'sequential'], 'multicast'),
        loss: values.probability('loss'),
        duplicate: values.probability('duplicate'),
        reorder: values.probability('reorder'),
        latency: values.parsed('latency', DEFAULT_NETWORK.latency, LATENCY_FORM, parseLatency),
      },
      processingUs: values.duration('processing') ?? 0,
      detection: values.parsed('detection', DEFAULT_DETECTION, RANGE_FORM, parseRange),
      silenceUs: this.silence(),
      timing: {
        ...(messageBoundUs === undefined ? {} : { messageMs: messageBoundUs / 1000 }),
        ...(periodUs === undefined ? {} : { periodMs: periodUs / 1000 }),
      },
    })
  }

  private configure(options: SimOptions): SimConfig {
    try {
      return configure(options)
    } catch (error) {
      if (!(error instanceof SimConfigError)) throw error
      const set = this.settings.find(([key]) => key === error.key)?.[1]
      throw new InputError(error.key, error.value ?? set ?? '(the default)', error.message)
    }
  }

  private silence(): number | null {
    const silenceUs = this.values.duration('silence') ?? null
    if (silenceUs === null || this.detector() !== 'perfect') return silenceUs
    throw this.refused('silence', 'is about detectors that hear messages, and perfect hears none')
  }

  private detector(): Detector | 'perfect' {
    const given = this.values.get('detector') ?? 'perfect'
    if (given === 'perfect') return given
    return this.values.named('detector', this.registry.detectors, ['perfect'])
  }

  private options(): OptionValues {
    const { name: algorithm, options } = this.algorithm
    const values: Record<string, string | number> = {}
    for (const [key, given] of this.settings) {
      if (key !== 'option') continue
      const refuse = (why: string): InputError => new InputError(key, given, why)
      const [name, ...rest] = given.split('=')
      if (!Object.hasOwn(options, name)) {
        const names = Object.keys(options).join(', ') || 'none'
        throw refuse(`${algorithm} has no option ${name || '(nothing)'}; it has ${names}`)
      }
      if (Object.hasOwn(values, name)) throw refuse(`${name} is given twice`)
      const option = options[name]
      const text = rest.join('=')
      if (option.type === 'choice') {
        if (!option.choices.includes(text)) {
          throw refuse(`${name} must be one of ${option.choices.join(', ')}`)
        }
        values[name] = text
      } else {
        const number = parseNumber(text)
        if (!(number >= option.min && number <= option.max)) {
          throw refuse(`${name} must be a number from ${option.min} to ${option.max}`)
        }
        values[name] = number
      }
    }
    return values
  }

  private member(key: string, given: string, text: string): NodeId {
    const { labels } = this
    const label = /^\d+$/u.test(text) ? Number(text) : NaN
    if (label >= 1 && label <= labels.members) return labels.of(label)
    const range = `members are 1 to ${labels.members}`
    throw new InputError(key, given, `there is no member ${text || '(nothing)'}; ${range}`)
  }

  private memberList(key: Key): NodeId[] | undefined {
    const given = this.values.get(key)
    if (given === undefined) return undefined
    const ids = given.split(',').map((text) => this.member(key, given, text))
    if (new Set(ids).size < ids.length) throw this.refused(key, 'names a member twice')
    return ids
  }

  private ring(): NodeId[] | null {
    const ring = this.memberList('ring')
    if (ring === undefined) return null
    const { members } = this.labels
    if (ring.length !== members) {
      throw this.refused('ring', `must name each of the ${members} members once`)
    }
    if (this.algorithm.topology === 'ring') return ring
    throw this.refused('ring', `${this.algorithm.name} does not run on a ring`)
  }

  private firstConfiguration(): Pick<SimConfig, 'voters' | 'observers' | 'witnesses'> {
    const voters = this.memberList('voters') ?? null
    const observers = this.memberList('observers') ?? []
    const witnesses = this.memberList('witnesses') ?? []
    const given = (['voters', 'observers', 'witnesses'] as const).find((key) =>
      this.values.get(key),
    )
    if (given === undefined) return { voters, observers, witnesses }
    if (!hasRegister(this.algorithm)) {
      throw this.refused(given, `in ${this.algorithm.name} all members vote, and any may lead`)
    }
    const both = observers.find((id) => voters?.includes(id))
    if (both !== undefined) throw this.refused('observers', `${this.labels.of(both)} is a voter`)
    const everyone = nodesTo(this.labels.members)
    const electorate = voters ?? everyone.filter((id) => !observers.includes(id))
    const voting = electorate.filter((id) => witnesses.includes(id))
    if (voting.length >= majority(electorate.length)) {
      throw this.refused('witnesses', 'would be a majority, of which none may lead')
    }
    const allVote = voters === null && observers.length === 0
    return { voters: allVote ? null : electorate, observers, witnesses }
  }

  private knownDown(down: readonly NodeId[]): NodeId[] {
    const known = this.memberList('known-down') ?? []
    const other = known.find((id) => !down.includes(id))
    if (other === undefined) return known
    throw this.refused('known-down', `${this.labels.of(other)} is not named in --down`)
  }

  private initiators(down: readonly NodeId[]): NodeId[] | null {
    const initiators = this.memberList('initiator') ?? null
    const isDown = initiators?.find((id) => down.includes(id))
    if (isDown === undefined) return initiators
    throw this.refused('initiator', `${this.labels.of(isDown)} is down from the beginning`)
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

  private refused(key: Key, why: string): InputError {
    return new InputError(key, this.values.get(key) ?? '', why)
  }
}

const RANGE_FORM = 'must be a duration or a range, such as 20ms or 10ms..30ms'
const LATENCY_FORM =
  'must be 3ms, 1ms..5ms, exponential:1ms+3ms (least + mean) or lognormal:3ms,0.5 (median, sigma)'
