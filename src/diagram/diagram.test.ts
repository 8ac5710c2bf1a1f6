import { describe, expect, test } from 'vitest'
import { sampleRun } from '../../test/support/sample-run.ts'
import { bully } from '../algorithms/index.ts'
import { Labels } from '../core/group.ts'
import { buildDiagram, type Lane } from './diagram.ts'
import { TimeScale } from './layout/time-scale.ts'
import { Stepper } from '../sim/stepper/stepper.ts'

const failover = sampleRun('bully nodes 5 crash 5@100ms')
const comeback = sampleRun('bully nodes 3 crash 3@50ms recover 3@200ms')

const states = ({ intervals }: Lane): string[] => intervals.map(({ state }) => state)

describe('lanes', () => {
  test('cover the whole run without gaps', () => {
    for (const { intervals } of failover.space.lanes) {
      expect(intervals[0].from).toBe(0)
      expect(intervals.at(-1)?.to).toBe(failover.space.endUs)
      intervals.slice(1).forEach(({ from }, i) => expect(from).toBe(intervals[i].to))
    }
  })

  test('end where the summary ends', () => {
    for (const { space, summary } of [failover, comeback]) {
      space.lanes.forEach(({ intervals }, i) => {
        const last = intervals[intervals.length - 1]
        const { up, leader } = summary.members[i]
        expect(last.state !== 'down').toBe(up)
        expect(last.leader || null).toBe(leader)
      })
    }
  })

  test('tell a leader that crashes, comes back, listens and leads again', () => {
    expect(states(comeback.space.lanes[2])).toEqual(['leading', 'down', 'starting', 'leading'])
  })

  test('begin settled under the strongest where a member calls the election', () => {
    const { lanes } = sampleRun('bully nodes 3 initiator 1 down 3').space
    expect(lanes.map((lane) => states(lane)[0])).toEqual(['seeking', 'following', 'down'])
    expect(lanes[1].intervals[0].leader).toBe(3)
  })

  test('are called what the documents call the members', () => {
    const { lanes } = sampleRun('bully nodes 3 strongest lowest').space
    expect(states(lanes[0])).toEqual(['leading'])
    expect(lanes[2].intervals.at(-1)?.leader).toBe(1)
  })

  test('show a pause without forgetting whom the member follows', () => {
    const { lanes } = sampleRun('bully nodes 2 pause 1@50ms resume 1@80ms').space
    const paused = lanes[0].intervals.filter((interval) => interval.paused)
    expect(paused).toMatchObject([{ from: 50_000, to: 80_000, state: 'following', leader: 2 }])
  })

  test('show a member that leaves as down', () => {
    const { lanes } = sampleRun('bully-fd-quorum nodes 3 leave 3+0ms@500ms').space
    expect(states(lanes[2]).at(-1)).toBe('down')
  })

  test('say who is outside of the group, and only those inside must agree', () => {
    const { lanes, leaderless, splits, endUs } = sampleRun(
      'bully-fd-quorum nodes 4 voters 1,2,3 add 4@500ms remove 1@1s until 2s',
    ).space
    expect(states(lanes[3])).toEqual(['outside', 'seeking', 'following'])
    expect(lanes[0].intervals.map(({ inside }) => inside).at(-1)).toBe(false)
    expect(splits).toEqual([])
    // The first election, and the moment until the new observer follows the leader.
    expect(leaderless).toHaveLength(2)
    expect(leaderless[1].from).toBeGreaterThan(500_000)
    expect(leaderless[1].to).toBeLessThan(650_000)
    expect(endUs).toBe(2_000_000)
  })

  test('take no notice of a fault that finds nothing to do', () => {
    const { lanes } = sampleRun('bully nodes 2 recover 1@50ms').space
    expect(states(lanes[0])).not.toContain('starting')
  })
})

describe('arrows', () => {
  test('are as many as messages were counted', () => {
    for (const { space, summary } of [failover, comeback]) {
      expect(space.arrows).toHaveLength(summary.messages.total)
      const beats = space.arrows.filter(({ purpose }) => purpose === 'heartbeat')
      expect(beats).toHaveLength(summary.messages.heartbeat)
    }
  })

  test('tell when a message arrived, or why it was lost', () => {
    const lost = failover.space.arrows.filter(({ fate }) => fate === 'lost')
    expect(lost).toHaveLength(4)
    expect(lost.every(({ why, to }) => why === '5 is down' && to === 5)).toBe(true)
    const arrived = failover.space.arrows.filter(({ fate }) => fate === 'delivered')
    expect(arrived.every(({ leftAt, endAt }) => endAt - leftAt >= 1000)).toBe(true)
  })

  test('say that a cut or the network took a message', () => {
    const { arrows } = sampleRun('bully nodes 3 cut 1>3@0ms loss 0.2 until 300ms').space
    const reasons = new Set(arrows.map(({ why }) => why))
    expect(reasons).toContain('the link is cut')
    expect(reasons).toContain('lost')
  })

  test('of one message that arrives twice are two', () => {
    const { space, summary } = sampleRun('bully nodes 3 duplicate 0.9')
    const twice = space.arrows.filter(({ duplicate }) => duplicate)
    expect(twice.length).toBeGreaterThan(0)
    expect(space.arrows).toHaveLength(summary.messages.total + twice.length)
  })

  test('leave one after another where sending is sequential', () => {
    const run = sampleRun('bully nodes 4 network sequential latency 3ms initiator 1 down 4')
    const first = run.space.arrows.filter(({ from, type }) => from === 1 && type === 'election')
    expect(first.map(({ leftAt }) => leftAt)).toEqual([0, 3000, 6000])
  })

  test('are routine only if they are periodic and nothing came of them', () => {
    const routine = failover.space.arrows.filter((arrow) => arrow.routine)
    expect(new Set(routine.map(({ type }) => type))).toEqual(new Set(['heartbeat']))
    // A lost claim is made good by a heartbeat: that one is news.
    const { arrows } = sampleRun('bully nodes 4 loss 0.25 seed 7').space
    expect(arrows.some(({ purpose, routine }) => purpose === 'heartbeat' && !routine)).toBe(true)
  })
})

describe('marks and bands', () => {
  test('tell crash, time-out, verdicts and election in order', () => {
    const marks = failover.space.marks.filter(({ at, routine }) => at >= 100_000 && !routine)
    expect(marks.map(({ label, text }) => `${label} ${text}`)).toEqual([
      '5 crashes',
      '1 5 is down',
      '4 5 is down',
      '3 5 is down',
      '2 5 is down',
      '4 answer time-out',
      '4 leads, term 2',
    ])
  })

  test('show once which member resigned and for which successor, and that it then follows no leader', () => {
    const { space } = sampleRun('bully-fd-quorum nodes 5 resign 5>3@100ms resign 4@120ms')
    const resigned = space.marks.filter(({ kind }) => kind === 'resign')
    expect(resigned).toEqual([
      { at: 100_000, label: 5, kind: 'resign', text: 'resigns for 3', routine: false },
    ])
    const { intervals } = space.lanes[4]
    const after = intervals.find(({ from }) => from === 100_000)
    expect([after?.state, after?.leader]).toEqual(['seeking', 0])
    expect(space.leaderless.at(-1)?.from).toBe(100_000)
  })

  test('make one mark of a cut in both directions', () => {
    const { marks } = sampleRun('bully nodes 3 cut 1|2,3@50ms heal @90ms').space
    const world = marks.filter(({ label }) => label === 0).map(({ text }) => text)
    expect(world).toEqual(['cut 1 | 2,3', 'cuts heal'])
  })

  test('the last band without an agreed leader ends when the summary says', () => {
    const { leaderless } = failover.space
    const { from, to } = leaderless[leaderless.length - 1]
    expect(from).toBe(100_000)
    expect((to - from) / 1000).toBe(failover.summary.electedMs)
  })

  test('splits are as long as the monitors observed', () => {
    const { splits } = comeback.space
    const us = splits.reduce((sum, { from, to }) => sum + to - from, 0)
    expect(us / 1000).toBeCloseTo(comeback.summary.observed.disagreementMs, 6)
    expect(us).toBeGreaterThan(0)
  })

  test('a broken promise is a mark at the time that the monitors gave', () => {
    const run = sampleRun(
      'bully-as-printed nodes 3 latency 2ms crash 3@50ms recover 3@100ms drop 3>1@100ms',
    )
    expect(run.summary.agreed).toBe(false)
    const broken = run.space.marks.filter(({ kind }) => kind === 'violation')
    expect(broken.map(({ at }) => at / 1000)).toEqual(
      run.summary.violations.map(({ atMs }) => atMs),
    )
    expect(run.space.leaderless.at(-1)?.to).toBe(run.space.endUs)
  })
})

test('a run without a clock has a diagram too', () => {
  const stepper = new Stepper({ algorithm: bully, members: 2 })
  stepper.take({ verb: 'start', node: 2 })
  stepper.take({ verb: 'start', node: 1 })
  stepper.take({ verb: 'deliver', from: 2, to: 1, message: 'coordinator{term=1}' })
  const config = { algorithm: bully, members: 2, labels: new Labels(2) }
  const space = buildDiagram({ config, recording: stepper.recording, endUs: 3, clock: false })
  expect(states(space.lanes[1])).toEqual(['leading'])
  expect(space.arrows.map(({ fate }) => fate)).toEqual(['delivered', 'under way'])
})

describe('the time scale', () => {
  const scale = new TimeScale([0, 10, 20, 1000, 1010], { perUs: 2, longest: 50, broken: 30 })

  test('is proportional where something happens and breaks where nothing does', () => {
    expect([0, 5, 20, 1000, 1010].map((us) => scale.at(us))).toEqual([0, 10, 40, 70, 90])
    expect(scale.breaks).toEqual([{ from: 20, to: 1000, start: 40, end: 70 }])
  })

  test('finds the moment that lies at a place', () => {
    for (const us of [0, 3, 10, 20, 510, 1000, 1010]) expect(scale.timeAt(scale.at(us))).toBe(us)
  })
})
