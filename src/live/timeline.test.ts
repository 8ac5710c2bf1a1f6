/** Tests the timeline of a live group and the settings that simulate an incident. */
import { expect, test } from 'vitest'
import { algorithms } from '../algorithms/index.ts'
import type { Settings } from '../core/settings.ts'
import { detectors } from '../detectors/index.ts'
import { parseSettings, recordRun } from '../sim/index.ts'
import { incidentSettings } from './incident-settings.ts'
import type { EntryRecord, LiveRecord } from './live-record.ts'
import { Timeline } from './timeline.ts'

const NAMES = ['a', 'b', 'c']

function entry(at: number, node: string, event: string, more: Partial<EntryRecord> = {}) {
  const fixed = { kind: 'entry', leader: null, term: 0, reason: null, pid: 100 } as const
  return { ...fixed, at, node, event, ...more }
}

function timelineOf(records: readonly LiveRecord[]): Timeline {
  const timeline = new Timeline(NAMES)
  for (const record of records) timeline.add(record)
  return timeline
}

/** c leads from 20, is killed at 100; b leads from 130; c is back at 2100. */
const KILLED: readonly LiveRecord[] = [
  ...NAMES.map((node) => entry(0, node, 'started')),
  entry(20, 'c', 'elected', { leader: 'c', term: 3 }),
  ...NAMES.map((node) => entry(25, node, 'leader', { leader: 'c', term: 3 })),
  entry(100, 'c', 'exited', { reason: 'SIGKILL', term: 3 }),
  entry(130, 'b', 'elected', { leader: 'b', term: 5 }),
  entry(130, 'b', 'leader', { leader: 'b', term: 5 }),
  entry(135, 'a', 'leader', { leader: 'b', term: 5 }),
  entry(2100, 'c', 'started', { pid: 200 }),
  entry(2110, 'c', 'leader', { leader: 'b', term: 5, pid: 200 }),
]

test('no member leads between the exit of a leader and the next election', () => {
  const { leaderships, leaderless } = timelineOf(KILLED).summary()
  expect(leaderless).toEqual([
    { from: 0, to: 20 },
    { from: 100, to: 130 },
  ])
  expect(leaderships).toEqual([
    { from: 20, to: 100, leader: 'c', term: 3, termText: '3' },
    { from: 130, to: null, leader: 'b', term: 5, termText: '5' },
  ])
})

test('the timeline records which leader each member followed', () => {
  const { memberPeriods } = timelineOf(KILLED).summary()
  const shown = memberPeriods
    .get('c')!
    .map(({ from, condition, leader }) => [from, condition, leader])
  expect(shown).toEqual([
    [0, 'running', null],
    [20, 'running', 'c'],
    [100, 'dead', null],
    [2100, 'running', null],
    [2110, 'running', 'b'],
  ])
})

test('a past moment shows the leaders that the members followed then', () => {
  const timeline = timelineOf(KILLED)
  expect(timeline.at(110)).toMatchObject({ leader: null, since: 100 })
  expect(timeline.at(110).members.map(({ condition }) => condition)).toEqual([
    'running',
    'running',
    'dead',
  ])
  expect(timeline.at(110).members[0].leader).toBe('c')
  expect(timeline.at(3000)).toMatchObject({ leader: 'b', term: 5, since: 130, split: false })
})

test('late records are inserted in the order of their times', () => {
  const late = [...KILLED.slice(0, 7), ...KILLED.slice(8), KILLED[7]]
  const { leaderships, leaderless, marks } = timelineOf(KILLED).summary()
  expect(timelineOf(late).summary()).toMatchObject({ leaderships, leaderless, marks })
})

test('an exit that is reported late is moved to the moment at which the peers noticed it', () => {
  const reported = KILLED.map((record) => (record.at === 100 ? { ...record, at: 131 } : record))
  const noticed = entry(110, 'a', 'leader', { leader: null, term: 3 })
  for (const records of [
    [...reported.slice(0, 8), noticed, ...reported.slice(8)],
    [...reported.slice(0, 9), noticed, ...reported.slice(9)],
  ]) {
    const { leaderless } = timelineOf(records).summary()
    expect(leaderless.at(-1)!.from).toBeCloseTo(110, 2)
    expect(leaderless.at(-1)!.to).toBe(130)
  }
})

test('a paused leader does not lead, and leads again if no other member was elected', () => {
  const timeline = timelineOf([
    ...KILLED.slice(0, 7),
    { kind: 'condition', at: 200, node: 'c', condition: 'paused' },
    { kind: 'condition', at: 300, node: 'c', condition: 'running' },
  ])
  expect(timeline.summary().leaderless.at(-1)).toEqual({ from: 200, to: 300 })
})

test('two leaders at the same time are a split, and the higher term is shown', () => {
  const timeline = timelineOf([
    ...KILLED.slice(0, 7),
    entry(500, 'b', 'elected', { leader: 'b', term: 5 }),
  ])
  expect(timeline.at(600)).toMatchObject({ leader: 'b', term: 5, split: true })
})

test('samples of an earlier process of a member are not shown', () => {
  const timeline = timelineOf(KILLED)
  timeline.add({
    kind: 'sample',
    at: 90,
    node: 'c',
    pid: 100,
    status: 'Norm',
    leader: 'c',
    term: 3,
    lagMs: 2,
    peers: [['a', 'up', 10, 0.5]],
  })
  expect(timeline.at(95).members[2].peers).toHaveLength(1)
  expect(timeline.at(2200).members[2].peers).toEqual([])
})

const BULLY_FD = [['algorithm', 'bully-fd']] as const

function group(settings: Settings, resigns = true) {
  return { settings, resigns, pace: null }
}

test('an incident becomes a run of the same size with the same faults at the same intervals', () => {
  const summary = timelineOf(KILLED).summary()
  const [, killed] = summary.leaderless
  const { settings, atMs } = incidentSettings(killed, summary, NAMES, group(BULLY_FD))
  expect(settings).toEqual([
    ['algorithm', 'bully-fd'],
    ['nodes', '3'],
    ['crash', '3@2s'],
    ['recover', '3@4s'],
  ])
  expect(atMs).toBe(2000)
})

test('a leader that stepped down resigns in the run in favour of the next leader, if the algorithm supports it', () => {
  const summary = timelineOf([
    ...KILLED.slice(0, 7),
    entry(100, 'c', 'lost', { reason: 'stepped-down', term: 3 }),
    entry(110, 'a', 'elected', { leader: 'a', term: 4 }),
    entry(900, 'a', 'lost', { reason: 'deposed', term: 4 }),
    entry(910, 'c', 'elected', { leader: 'c', term: 6 }),
  ]).summary()
  const [, first] = summary.leaderless
  const { settings } = incidentSettings(first, summary, NAMES, group([]))
  expect(settings).toEqual([
    ['nodes', '3'],
    ['resign', '3>1@2s'],
  ])
  expect(incidentSettings(first, summary, NAMES, group(BULLY_FD, false)).settings).toEqual([
    ...BULLY_FD,
    ['nodes', '3'],
  ])
})

test('faults from before the incident are in effect in its run', () => {
  const far = 100_000
  const summary = timelineOf([
    ...KILLED.slice(0, 10),
    { kind: 'cuts', at: far, pairs: [['a', 'b']] },
  ]).summary()
  const { settings } = incidentSettings({ from: far + 5, to: far + 50 }, summary, NAMES, group([]))
  expect(settings).toEqual([
    ['nodes', '3'],
    ['crash', '3@2s'],
    ['cut', '1|2@4s'],
  ])
})

/** How a group with the default times reports them. */
const TIMING = {
  algorithm: 'bully-fd-quorum',
  detector: 'link',
  periodMs: 500,
  detectionMs: 1500,
  messageMs: 150,
  leaseMs: 2000,
  trustRefusals: true,
}

/** How long (ms) nobody leads in the simulated run, from the first fault on. */
function simulated(records: readonly LiveRecord[]): number {
  const timeline = timelineOf([
    ...records,
    {
      kind: 'sample',
      at: 50,
      node: 'a',
      pid: 100,
      status: '',
      leader: 'c',
      term: 3,
      lagMs: 0,
      peers: [['b', 'up', 1, 0.6]],
      timing: TIMING,
    },
  ])
  const summary = timeline.summary()
  const { pace } = timeline
  const { settings, atMs } = incidentSettings(summary.leaderless[1], summary, NAMES, {
    ...group([]),
    pace,
  })
  const config = parseSettings([...settings, ['until', `${atMs + 10_000}ms`]], {
    algorithms,
    detectors,
  })
  const { recording, world } = recordRun(config)
  expect(world.monitors.violations).toEqual([])
  const elected = recording.entries.find(
    ({ at, step, changes }) =>
      at > 1000 * atMs &&
      changes.some(({ field, after }) => field === 'leader' && Number(after) === step.node),
  )
  return elected!.at / 1000 - atMs
}

test('the run of an incident takes the times of the group: a refused connection is seen at once, a pause after silence', () => {
  const noticed = KILLED.toSpliced(
    8,
    0,
    entry(102, 'a', 'down', { peer: 'c' }),
    entry(103, 'b', 'down', { peer: 'c' }),
  )
  expect(simulated(noticed)).toBeLessThan(50)
  // A member that the refusal alone has made elect never asks its detector.
  const reason = '127.0.0.1:1 refuses the connection: no process listens there'
  const refused = noticed.map((record) =>
    record.kind === 'entry' && record.event === 'down'
      ? { ...record, event: 'unreachable', reason }
      : record,
  )
  expect(simulated(refused)).toBeLessThan(50)
  // No process has ended where a connection is lost on the way.
  const lost = refused.map((record) =>
    record.kind === 'entry' && record.event === 'unreachable'
      ? { ...record, reason: '127.0.0.1:1: no route to the host' }
      : record,
  )
  expect(simulated(lost)).toBeGreaterThan(1400)
  // Without a proof the lease and the silence must pass.
  expect(simulated(KILLED)).toBeGreaterThan(1400)
  const paused: LiveRecord[] = [
    ...KILLED.slice(0, 7),
    { kind: 'condition', at: 100, node: 'c', condition: 'paused' },
    entry(1900, 'b', 'elected', { leader: 'b', term: 5 }),
    { kind: 'condition', at: 4000, node: 'c', condition: 'running' },
  ]
  const gap = simulated(paused)
  expect(gap).toBeGreaterThan(1400)
  expect(gap).toBeLessThan(2600)
})

test('records that are added one by one give the same timeline as all at once', () => {
  const bitByBit = new Timeline(NAMES)
  for (const record of KILLED) {
    bitByBit.add(record)
    bitByBit.at(record.at)
  }
  expect(bitByBit.summary()).toEqual(timelineOf(KILLED).summary())
  expect(bitByBit.at(3000)).toEqual(timelineOf(KILLED).at(3000))
})

test('each record is processed once, however often the timeline is read', () => {
  const timeline = new Timeline(NAMES)
  for (let i = 0; i < 30_000; i++) {
    const node = NAMES[i % 3]
    timeline.add(entry(10 * i, node, 'elected', { leader: node, term: i }))
    timeline.at(10 * i)
  }
  expect(timeline.at(Infinity).leader).toBe(NAMES[29_999 % 3])
  expect(timeline.summary().leaderships.length).toBeGreaterThan(9000)
})
