/** Parses the settings of a check, which are those of the command line and of a link to the page, and writes them as a command. */
import type { CheckConfig, CheckOptions } from '../check/index.ts'
import { BUDGET_FIELDS, MAX_BUDGET } from '../check/state/state-vector.ts'
import { canChange, canResign, statusesOf } from '../core/algorithm.ts'
import { Group } from '../core/group.ts'
import type { Settings } from '../core/settings.ts'
import { parseSettings, type SettingsRegistry } from '../sim/index.ts'
import { InputError } from '../sim/settings/input-error.ts'

const MAX_MEMBERS = 7

/** Choices of one word; the first is the default. */
export const CHECK_CHOICES = {
  detector: ['perfect', 'eventual'],
  start: ['boot', 'settled'],
  timers: ['sync', 'async'],
  order: ['fifo', 'any'],
} as const
export const JUDGEABLE = [
  'agreement',
  'one leader at a time',
  'one leader per term',
  'kept leases',
  'kept votes',
]

type Mutable<T> = { -readonly [K in keyof T]: T[K] }
export type CheckBudget = Mutable<Partial<Omit<CheckConfig, 'algorithm' | 'members' | 'options'>>>

/** The group of a check, as settings of a run, with its budget. Throws InputError. */
export function withBudget(
  settings: Settings,
  budget: CheckBudget,
  registry: SettingsRegistry,
): CheckOptions {
  const usual: Settings = settings.some(([key]) => key === 'nodes') ? [] : [['nodes', '3']]
  const config = parseSettings([...usual, ...settings], registry)
  const { algorithm, options, members, ring, voters, observers, witnesses, timing } = config
  const refuse = (key: string, value: unknown, problem: string): never => {
    throw new InputError(key, String(value), problem)
  }
  if (members > MAX_MEMBERS) refuse('nodes', members, 'the checker takes 1 to 7')
  const { resignations = 0, changes = 0, clocks, single } = budget
  if (resignations > 0 && !canResign(algorithm, new Group(members, timing), options)) {
    refuse('resignations', resignations, `${algorithm.name} does not support resigning`)
  }
  if (changes > 0 && !canChange(algorithm, new Group(members, timing), options)) {
    refuse('changes', changes, `the members of a group of ${algorithm.name} cannot change`)
  }
  if (clocks === true && Object.keys(algorithm.clocked).length === 0) {
    refuse('clocks', 'yes', `${algorithm.name} has no leases`)
  }
  const statuses = statusesOf(algorithm)
  if (typeof single === 'string' && !statuses.includes(single)) {
    refuse('single', single, `must be ${statuses.join(' or ')}`)
  }
  const ticks = clocks === true ? (budget.ticks ?? 1) : 0
  const group = { members, ring, voters, observers, witnesses }
  return { ...budget, ticks, algorithm, options, ...group }
}

const LIMITS = {
  changes: 'changes',
  'max-term': 'maxTerm',
  'max-in-flight': 'maxInFlight',
} as const

/** Parses what a link says: `algorithm=bully&nodes=3&crashes=1&start=settled`. Throws InputError. */
export function parseCheck(settings: Settings, registry: SettingsRegistry): CheckOptions {
  const budget: Record<string, unknown> = {}
  const rest = settings.filter(([key, value]) => {
    const [name, parsed] = budgetSetting(key, value)
    if (name === '') return true
    budget[name] = name === 'judge' ? [...((budget[name] as string[]) ?? []), value] : parsed
    return false
  })
  return withBudget(rest, budget, registry)
}

function budgetSetting(key: string, value: string): [name: string, value: unknown] {
  if (BUDGET_FIELDS.some(([name]) => name === key)) return [key, countOf(key, value, MAX_BUDGET)]
  if (key in CHECK_CHOICES) {
    const words: readonly string[] = CHECK_CHOICES[key as keyof typeof CHECK_CHOICES]
    if (!words.includes(value)) throw new InputError(key, value, `must be ${words.join(' or ')}`)
    return [key, value]
  }
  if (key in LIMITS) return [LIMITS[key as keyof typeof LIMITS], countOf(key, value, 2 ** 27)]
  if (key === 'amnesia' || key === 'clocks') return [key, value !== 'no']
  if (key === 'single') return [key, value]
  if (key !== 'judge') return ['', value]
  if (!JUDGEABLE.includes(value)) {
    throw new InputError(key, value, `must be ${JUDGEABLE.join(' or ')}`)
  }
  return [key, value]
}

function countOf(key: string, value: string, max: number): number {
  const count = Number(value)
  if (value !== '' && Number.isInteger(count) && count >= 0 && count <= max) return count
  throw new InputError(key, value, `must be a whole number from 0 to ${max}`)
}

/** The settings of a check, without those that are as by default. */
export function settingsOfCheck(given: CheckOptions): Settings {
  const { algorithm, members, ring, voters, observers, witnesses, options = {} } = given
  const settings: [string, string][] = [
    ['algorithm', algorithm.name],
    ['nodes', String(members)],
  ]
  for (const [name, value] of Object.entries(options)) settings.push(['option', `${name}=${value}`])
  if (ring !== undefined && ring !== null) settings.push(['ring', ring.join(',')])
  for (const [key, list] of Object.entries({ voters, observers, witnesses })) {
    if (list !== undefined && list !== null && list.length > 0) settings.push([key, list.join(',')])
  }
  for (const [name] of BUDGET_FIELDS) {
    const usual = name === 'ticks' && given.clocks === true ? 1 : 0
    if ((given[name] ?? usual) !== usual) settings.push([name, String(given[name])])
  }
  for (const [name, [usual]] of Object.entries(CHECK_CHOICES)) {
    const value = given[name as keyof typeof CHECK_CHOICES] ?? usual
    if (value !== usual) settings.push([name, value])
  }
  if (given.amnesia === true) settings.push(['amnesia', 'yes'])
  if (given.clocks === true) settings.push(['clocks', 'yes'])
  for (const [flag, name] of Object.entries(LIMITS)) {
    const value = given[name] ?? null
    if (value !== null && !(name === 'changes' && value === 0)) settings.push([flag, `${value}`])
  }
  for (const name of given.judge ?? []) settings.push(['judge', name])
  if (given.single !== undefined && given.single !== null) settings.push(['single', given.single])
  return settings
}

/** The command that makes the same check. */
export function checkCommandOf(settings: Settings): string {
  const quoted = (value: string): string => (/^[\w.,:@%+=-]+$/u.test(value) ? value : `'${value}'`)
  const words = settings.map(([key, value]) => {
    if (key === 'algorithm') return value
    return key === 'amnesia' || key === 'clocks' ? `--${key}` : `--${key} ${quoted(value)}`
  })
  return ['bellwether check', ...words].join(' ')
}
