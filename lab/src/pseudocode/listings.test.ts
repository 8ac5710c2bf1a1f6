/** Tests the pseudocode against runs: every step has its lines, they say all that it does, and no line is never taken. */
import { describe, expect, test } from 'vitest'
import { algorithms } from '../../../src/algorithms/index.ts'
import { detectors } from '../../../src/detectors/index.ts'
import { parseSettings } from '../../../src/sim/index.ts'
import { LESSON_RUNS } from '../learn/lessons.ts'
import { PRESETS } from '../run/presets.ts'
import { settingsFrom } from '../run/edit-settings.ts'
import { runSettings, runTrace } from '../simulation/run-to-completion.ts'
import type { Run, RunStep } from '../simulation/worker-protocol.ts'
import { effectOf, linesOf, type Line, type Listing } from './listing.ts'
import { listingOf } from './listings.ts'

const registry = { algorithms, detectors }

/** Faults that make members take their rarer lines. */
const FAULTS = [
  'crash=4@60ms crash=3@61ms recover=4@200ms recover=3@230ms',
  'detector=heartbeat pause=4@150ms resume=4@900ms',
  'detector=heartbeat cut=3,4|1,2@150ms heal=@1200ms',
  'crash=1@3ms recover=1@150ms crash=2@6ms recover=2@300ms crash=4@450ms recover=4@451ms',
  'detector=phi loss=15% crash=4@300ms recover=4@700ms',
  ...Array.from(
    { length: 14 },
    (_, i) => `crash=4@60ms recover=4@${63 + 5 * i}ms crash=3@${200 + 3 * i}ms`,
  ),
  'detector=heartbeat latency=1ms..30ms crash=3@40ms recover=3@300ms pause=4@500ms resume=4@1100ms',
]

function runsOf({ name }: (typeof algorithms)[number], info: Run['algorithm']): Run[] {
  const shown = [...LESSON_RUNS, ...PRESETS]
    .filter(({ settings, trace }) =>
      trace === undefined
        ? settings?.some(([key, value]) => key === 'algorithm' && value === name)
        : trace.includes(`algorithm ${name}\n`) || trace.includes(`algorithm=${name}\n`),
    )
    .map(({ settings, trace }) =>
      trace === undefined ? run(settings ?? []) : runTrace(1, trace, registry).run,
    )
  return [...shown, ...scenariosOf(name), ...tried(name, info)]
}

const SCENARIOS = import.meta.glob<string>('../../../test/scenarios/*.txt', {
  query: '?raw',
  import: 'default',
  eager: true,
})
const LISTINGS = import.meta.glob('./listings/*.txt', { query: '?raw' })

/** What tests play step by step. */
function scenariosOf(name: string): Run[] {
  return Object.values(SCENARIOS)
    .filter((text) => new RegExp(`^algorithm[ =]${name}$`, 'mu').test(text))
    .map((text) => runTrace(1, text, registry).run)
}

function tried(name: string, { resigns, topology }: Run['algorithm']): Run[] {
  const seeds = [1, 2, 3, 4]
  const more = [
    ...(resigns
      ? [
          'resign=4@300ms',
          'resign=4>2@300ms crash=2@900ms',
          'detector=ping resign=4>3@300ms resign=3>1@600ms loss=5%',
        ]
      : []),
    ...(topology === 'ring' ? ['ring=4,3,2,1', 'initiator=1 crash=4@6ms'] : []),
    ...(EXTRA[name] ?? []),
  ]
  return seeds.flatMap((seed) =>
    [...FAULTS, ...more].map((faults) =>
      run(settingsFrom(`${name} nodes=4 seed=${seed} ${faults} until=2s`)),
    ),
  )
}

/** What only some algorithms do. */
const EXTRA: Readonly<Record<string, readonly string[]>> = {
  'bully-fd': Array.from(
    { length: 16 },
    (_, i) => `down=4 initiator=3 latency=20ms recover=4@${20 + 5 * i}ms`,
  ),
  roulette: ['option=consecutive=1 latency=10ms'],
  'roulette-majority': ['option=consecutive=1 latency=10ms'],
  'chang-roberts': [
    'detector=heartbeat pause=4@20ms resume=4@120ms',
    'detector=heartbeat pause=4@5ms resume=4@150ms',
  ],
  raft: [
    'cut=4|1,2,3@300ms heal=@900ms latency=1ms..40ms',
    'option=preVote=yes detector=heartbeat pause=4@300ms resume=4@900ms crash=1@900ms',
    'option=timeout=1',
  ],
  'bully-fd-quorum': [
    'remove=2@300ms',
    'remove=4@300ms',
    'loss=30% latency=1ms..60ms detector=phi crash=4@300ms recover=4@500ms',
    'detector=heartbeat pause=4@300ms resume=4@600ms pause=3@310ms resume=3@900ms latency=1ms..40ms',
    'latency=1ms..40ms resign=4>3@300ms crash=2@301ms crash=1@302ms recover=2@900ms',
    'reorder=50% latency=1ms..60ms loss=10% resign=4>3@300ms resign=3>4@600ms',
    'option=preempt=yes detector=heartbeat crash=4@300ms recover=4@700ms',
  ],
  'chang-roberts-as-printed': ['option=repair=yes crash=4@100ms'],
}

function run(settings: readonly (readonly [string, string])[]): Run {
  return runSettings(1, parseSettings(settings, registry)).run
}

/** The steps that handlers took. */
function handled({ steps }: Run): RunStep[] {
  const silent = new Set(['fault', 'settled', 'lose', 'duplicate'])
  return steps.filter(({ kind, text }) => !silent.has(kind) && !/\bdetector\b/u.test(text))
}

/** What a step did that none of its lines says. */
function unsaid(listing: Listing, step: RunStep, types: readonly string[]): string[] {
  const effects = [...linesOf(listing, step)].flatMap(({ text }) => effectOf(text) ?? [])
  const messages = step.sendings.filter(
    ({ type }) =>
      types.includes(type) &&
      !effects.some((effect) => 'sends' in effect && effect.sends.includes(type)),
  )
  const fields = step.changes.filter(
    ({ field }) =>
      !listing.hidden.has(field) &&
      !effects.some((effect) => 'field' in effect && effect.field === field),
  )
  return [
    ...messages.map(({ type }) => `sends ${type}`),
    ...fields.map(({ field, after }) => `${field} ← ${after}`),
  ]
}

/** The lists of lines of which at most one is taken: `if`, `else if` …, `else`. */
function choices(lines: readonly Line[]): Line[][] {
  const found: Line[][] = []
  for (const line of lines) {
    if (/^else\b/u.test(line.text)) found.at(-1)?.push(line)
    else found.push([line])
    found.push(...choices(line.children), [])
  }
  return found
}

test('every algorithm has pseudocode', () => {
  const names = Object.keys(LISTINGS).map((path) => path.slice('./listings/'.length, -4))
  expect(names.sort()).toEqual(algorithms.map(({ name }) => name).sort())
})

describe.each(algorithms.map((one) => [one.name, one] as const))(
  'the pseudocode of %s',
  (name, algorithm) => {
    const { algorithm: info } = run(settingsFrom(`${name} nodes=2 until=1ms`))
    const steps = runsOf(algorithm, info).flatMap(handled)
    const listed = listingOf(name)

    test('says what each step does', async () => {
      const listing = (await listed)!
      const missing = steps.flatMap((step) => {
        if (linesOf(listing, step).size === 0) return [`${step.kind} ${step.event}: no lines`]
        const rest = unsaid(listing, step, algorithm.messages.types)
        return rest.length === 0
          ? []
          : [`${step.kind} ${step.event}: ${rest.join(', ')} (${step.why})`]
      })
      expect(missing.slice(0, 6)).toEqual([])
    })

    test('has no line that no step takes', async () => {
      const listing = (await listed)!
      const taken = new Set(steps.flatMap((step) => [...linesOf(listing, step)]))
      expect(listing.lines.filter((line) => !taken.has(line)).map(({ text }) => text)).toEqual([])
    })

    test('takes at most one branch of a choice', async () => {
      const listing = (await listed)!
      const all = choices(listing.blocks).filter((lines) => lines.length > 1)
      const both = steps.flatMap((step) => {
        const taken = linesOf(listing, step)
        return all.flatMap((lines) => {
          const now = lines.filter((line) => taken.has(line))
          return now.length < 2 ? [] : [`${now.map(({ text }) => text).join(' / ')} (${step.why})`]
        })
      })
      expect(both.slice(0, 5)).toEqual([])
    })
  },
)
