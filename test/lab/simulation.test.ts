/** Tests what the page computes from a run: frames, costs, promises and edited settings. No browser needed. */
import { describe, expect, test } from 'vitest'
import { boundOf, episodeAt } from '../../lab/src/measures/election-cost.ts'
import { RunFrames } from '../../lab/src/simulation/frames.ts'
import { algorithmInfo, runSettings, runTrace } from '../../lab/src/simulation/run-to-completion.ts'
import type { Run } from '../../lab/src/simulation/worker-protocol.ts'
import { withAlgorithm, withMembers } from '../../lab/src/run/edit-settings.ts'
import { promiseStates } from '../../lab/src/measures/promise-states.ts'
import { algorithms } from '../../src/algorithms/index.ts'
import { hashText } from '../../src/core/hash.ts'
import { Random } from '../../src/core/random.ts'
import { detectors } from '../../src/detectors/index.ts'
import { parseSettings, recordRun, traceOf, type Settings } from '../../src/sim/index.ts'

const registry = { algorithms, detectors }

function play(...settings: Settings): Run {
  return runSettings(1, parseSettings(settings, registry)).run
}

const story: Settings = [
  ['nodes', '5'],
  ['seed', '9'],
  ['crash', '5@60ms'],
  ['cut', '1|2@80ms'],
  ['pause', '3@90ms'],
  ['resume', '3@150ms'],
  ['heal', '1>2@160ms'],
  ['recover', '5@200ms'],
  ['until', '900ms'],
]

const long: Settings = story.map(([key, value]) => [key, key === 'until' ? '5s' : value])

describe('the frames of a run', () => {
  test.each(algorithms.map(({ name }) => name))(
    'end for %s with the state that the simulator reports',
    (name) => {
      const run = play(['algorithm', name], ...story)
      const { members } = new RunFrames(run).at(run.steps.length - 1)
      const seen = members.map(({ label, up, status, leader, term }) => ({
        id: label,
        up,
        status: up ? status : null,
        leader: up && leader !== 0 ? leader : null,
        term,
      }))
      expect(seen).toEqual(run.summary?.members)
    },
  )

  test('show that a leader that resigns follows no leader, and then its successor', () => {
    const run = play(['algorithm', 'bully-fd-quorum'], ['resign', '5>3@60ms'])
    const place = run.steps.findIndex(({ kind }) => kind === 'resign')
    const frames = new RunFrames(run)
    expect(frames.at(place - 1).members[4]).toMatchObject({ role: 'leader', leader: 5 })
    expect(frames.at(place).members[4]).toMatchObject({ role: 'candidate', leader: 0 })
    expect(run.steps[place]).toMatchObject({ at: 60_000, node: 5, text: 'resign 5 3' })
    expect(run.steps[place].why).toMatch(/^5 resigns for 3; /u)
    expect(frames.at(run.steps.length - 1).members[4].leader).toBe(3)
  })

  test('are the same in any order of access', () => {
    const run = play(['algorithm', 'bully'], ['detector', 'heartbeat'], ...long)
    const straight = new RunFrames(run)
    const frames = run.steps.map((_, i) => straight.at(i))
    const jumping = new RunFrames(run)
    const random = new Random(3)
    for (let i = 0; i < 300; i++) {
      const index = random.below(run.steps.length)
      expect(jumping.at(index)).toEqual(frames[index])
    }
    expect(run.steps.length).toBeGreaterThan(600)
  })

  test('show cut links and paused members', () => {
    const run = play(['algorithm', 'bully'], ...story)
    const at = (us: number) =>
      new RunFrames(run).at(run.steps.findLastIndex((step) => step.at <= us))
    expect([...at(100_000).cuts]).toEqual(['1>2', '2>1'])
    expect(at(100_000).members[2].paused).toBe(true)
    expect([...at(170_000).cuts]).toEqual(['2>1'])
    expect(at(170_000).members[2].paused).toBe(false)
  })
})

test('a run in the page has the hash of the trace that simulate writes', () => {
  const config = parseSettings([['algorithm', 'bully-fd'], ...story], registry)
  expect(runSettings(1, config).run.hash).toBe(
    hashText(traceOf(config, recordRun(config).recording)),
  )
})

test('a timed trace that is opened gives the run that wrote it', () => {
  const { run, text } = runSettings(1, parseSettings([['algorithm', 'ring'], ...story], registry))
  const again = runTrace(2, text, registry)
  expect([again.run.hash, again.run.mode, again.run.difference]).toEqual([run.hash, 'timed', null])
})

test.each(['bully', 'bully-fd', 'garcia-molina', 'ring', 'chang-roberts'])(
  'an election of %s that one member starts costs what the formula says',
  (name) => {
    for (const [nodes, given] of [
      [4, 1],
      [6, 3],
      [8, 2],
    ] as const) {
      const initiator = name === 'garcia-molina' ? nodes - 1 : given
      const run = play(
        ['algorithm', name],
        ['nodes', String(nodes)],
        ['down', String(nodes)],
        ['known-down', String(nodes)],
        ['initiator', String(initiator)],
      )
      const last = run.steps.length - 1
      const bound = boundOf(run, new RunFrames(run).at(last).members)
      expect(bound?.proven).toBe(true)
      expect(episodeAt(run, last, run.diagram.endUs)?.messages).toBeLessThanOrEqual(bound!.messages)
    }
  },
)

test('a broken promise names the step that breaks it, and is kept before', () => {
  const run = play(
    ['algorithm', 'bully-fd'],
    ['nodes', '4'],
    ['seed', '6'],
    ['detector', 'heartbeat'],
    ['pause', '4@600ms'],
    ['resume', '4@2s'],
    ['until', '2.6s'],
  )
  const agreement = (index: number) => promiseStates(run, index, false)[0]
  const { place } = agreement(0)
  expect(run.steps[place].violations[0]).toContain('agreement: ')
  expect(place).toBe(run.stop)
  expect([agreement(place - 1).state, agreement(place).state]).toEqual(['kept', 'broken'])
})

test('resignations are removed for an algorithm that does not support them, and for fewer members', () => {
  const settings: Settings = [
    ['algorithm', 'bully-fd-quorum'],
    ['nodes', '5'],
    ['crash', '1@50ms'],
    ['resign', '5>4@60ms'],
  ]
  const cardNamed = (name: string) => algorithmInfo(algorithms.find((one) => one.name === name)!)
  expect(
    algorithms
      .map(algorithmInfo)
      .filter(({ resigns }) => resigns)
      .map(({ name }) => name),
  ).toEqual(['bully-fd-quorum', 'roulette-majority'])
  expect(withAlgorithm(settings, cardNamed('roulette-majority'))).toContainEqual(settings[3])
  expect(withAlgorithm(settings, cardNamed('bully'))).toEqual([
    ['algorithm', 'bully'],
    ...settings.slice(1, 3),
  ])
  expect(withMembers(settings, 4).map(([key]) => key)).toEqual(['algorithm', 'nodes', 'crash'])
})
