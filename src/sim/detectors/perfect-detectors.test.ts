import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { lines, tinyWorld, type TinyOut } from '../../../test/support/tiny-algorithms.ts'
import type { SimOptions } from '../config.ts'
import type { Fault } from '../faults/fault-catalogue.ts'

const MS = 1000
const detection = { minUs: 20 * MS, maxUs: 20 * MS }

const fault = (ms: number, kind: 'crash' | 'recover' | 'pause' | 'resume', node = 2): Fault => ({
  at: ms * MS,
  kind,
  node,
})

interface Action {
  readonly ms: number
  readonly do: (out: TinyOut) => void
}

/** Member 1 asks at the moments of a script; what the detector says is noted down. */
function script(actions: readonly Action[], options: Partial<SimOptions> = {}): string[] {
  let done = 0
  const next = (out: TinyOut): void => {
    const now = done === 0 ? 0 : actions[done - 1].ms
    if (out.me === 1 && done < actions.length) out.set('tick', actions[done].ms - now)
  }
  const { world, heard } = tinyWorld(
    (say) => ({
      start: (_, out) => next(out),
      timeout: (_, __, out) => {
        actions[done++].do(out)
        next(out)
      },
      up: (_, peer, out) => say(out, `up ${peer}`),
      down: (_, peer, out) => say(out, `down ${peer}`),
    }),
    { detection, ...options },
  )
  world.runUntil(10_000 * MS)
  expect(world.isQuiet).toBe(true)
  return heard.map(({ at, what }) => `${at / MS} ${what}`)
}

const request = (ms: number): Action => ({ ms, do: (out) => out.request(2) })
const watch = (ms: number): Action => ({ ms, do: (out) => out.watch(2) })
const unwatch = (ms: number): Action => ({ ms, do: (out) => out.unwatch(2) })

describe('a request', () => {
  test('is answered once, within the detection time, by what is true then', () => {
    expect(script([request(10)])).toEqual(['30 up 2'])
    expect(script([request(10)], { down: [2] })).toEqual(['30 down 2'])
    expect(script([request(10)], { faults: [fault(29, 'crash')] })).toEqual(['30 down 2'])
    expect(script([request(10)], { down: [2], faults: [fault(29, 'recover')] })).toEqual([
      '30 up 2',
    ])
  })

  test('supersedes an open one about the same peer: one answer, after the latest', () => {
    expect(script([request(10), request(15), request(25)])).toEqual(['45 up 2'])
  })

  test('after an answer is answered anew', () => {
    expect(script([request(10), request(40)])).toEqual(['30 up 2', '60 up 2'])
  })

  test('about a peer on the down list is answered at once, until the peer recovers', () => {
    const actions = [request(10), request(40), request(60)]
    expect(script(actions, { down: [2] })).toEqual(['30 down 2', '40 down 2', '60 down 2'])
    expect(script(actions, { down: [2], knownDown: [2] })).toEqual([
      '10 down 2',
      '40 down 2',
      '60 down 2',
    ])
    const back = { down: [2], faults: [fault(50, 'recover'), fault(55, 'crash')] }
    expect(script(actions, back)).toEqual(['30 down 2', '40 down 2', '80 down 2'])
  })

  test('of a member that was down does not know what others know', () => {
    const { world, heard } = tinyWorld(
      (say) => ({
        start: (_, out) => out.request(2),
        down: (_, __, out) => say(out, 'down'),
      }),
      {
        members: 3,
        down: [2],
        knownDown: [2],
        detection,
        timing: { messageMs: 1 },
        faults: [fault(50, 'crash', 3), fault(59, 'recover', 3)],
      },
    )
    world.runUntil(1000 * MS)
    expect(lines(heard)).toEqual(['0:1:down', '0:3:down', '80000:3:down'])
  })

  test('takes a time drawn from the range of detection times', () => {
    const us = Array.from({ length: 100 }, (_, seed) => {
      const [line] = script([request(0)], { seed, detection: { minUs: 5 * MS, maxUs: 9 * MS } })
      return MS * Number(line.split(' ')[0])
    })
    expect(Math.min(...us)).toBeLessThan(6 * MS)
    expect(Math.max(...us)).toBeGreaterThan(8 * MS)
    expect(us.every((time) => time >= 5 * MS && time <= 9 * MS)).toBe(true)
  })
})

describe('a watch', () => {
  test('says down once the crash is noticed, and then ends', () => {
    const faults = [fault(50, 'crash'), fault(80, 'recover'), fault(200, 'crash')]
    expect(script([watch(10)], { faults })).toEqual(['70 down 2'])
  })

  test('on a peer that is down says so', () => {
    expect(script([watch(10)], { down: [2] })).toEqual(['30 down 2'])
    expect(script([watch(10)], { down: [2], knownDown: [2] })).toEqual(['10 down 2'])
  })

  test('never says up, and nothing after unwatch', () => {
    expect(script([watch(10)])).toEqual([])
    expect(script([watch(10), unwatch(40)], { faults: [fault(50, 'crash')] })).toEqual([])
    expect(script([watch(10), unwatch(60)], { faults: [fault(50, 'crash')] })).toEqual([])
  })

  test('twice is once', () => {
    expect(script([watch(10), watch(20)], { faults: [fault(50, 'crash')] })).toEqual(['70 down 2'])
    const again = [watch(10), unwatch(20), watch(30), watch(40)]
    expect(script(again, { faults: [fault(50, 'crash')] })).toEqual(['70 down 2'])
  })

  test('continues when the peer recovers before its crash was reported', () => {
    const faults = [fault(50, 'crash'), fault(60, 'recover'), fault(100, 'crash')]
    expect(script([watch(10)], { faults })).toEqual(['120 down 2'])
  })

  test('and a request about the same peer are both closed by one down', () => {
    const faults = [fault(50, 'crash')]
    expect(script([watch(10), request(55)], { faults })).toEqual(['70 down 2'])
    expect(script([watch(10), request(45)], { faults })).toEqual(['65 down 2'])
    expect(script([watch(10), request(20)], { faults })).toEqual(['40 up 2', '70 down 2'])
  })

  test('reaches a paused member when it resumes', () => {
    const faults = [fault(40, 'pause', 1), fault(50, 'crash'), fault(200, 'resume', 1)]
    expect(script([watch(10)], { faults })).toEqual(['200 down 2'])
  })
})

describe('with effects in any order', () => {
  const action = fc.record({
    gap: fc.nat(30),
    verb: fc.constantFrom<('request' | 'watch' | 'unwatch')[]>('request', 'watch', 'unwatch'),
  })
  const life = fc.array(fc.integer({ min: 1, max: 60 }), { maxLength: 8 })

  test('requests are answered exactly once after the latest, truly, and watches end with one down', () => {
    fc.assert(
      fc.property(fc.array(action, { maxLength: 15 }), life, (drafts, gaps) => {
        let now = 0
        // A microsecond off for each, so that no action meets the answer to another.
        const actions = drafts.map(({ gap, verb }, i) => {
          now += gap
          return { ms: now + i / 1000, verb }
        })
        let at = 0
        // Half a millisecond off, so that faults never meet actions or answers.
        const faults = gaps.map((gap, i): Fault => {
          at += gap * MS
          return { at: at + 500, kind: i % 2 === 0 ? 'crash' : 'recover', node: 2 }
        })
        const wasDown = (from: number, to: number): boolean =>
          faults.some(({ at, kind }, i) => {
            const end = faults[i + 1]?.at ?? Infinity
            return kind === 'crash' && at <= to * MS && end >= from * MS
          })
        const wasUp = (from: number, to: number): boolean =>
          faults.every(({ at, kind }, i) => {
            const end = faults[i + 1]?.at ?? Infinity
            return !(kind === 'crash' && at <= from * MS && end >= to * MS)
          })
        const said = script(
          actions.map(({ ms, verb }) => ({ ms, do: (out) => out[verb](2) })),
          { faults },
        ).map((line) => ({ ms: Number(line.split(' ')[0]), verb: line.split(' ')[1] }))
        let open = -1
        let watching = -1
        const wrong: string[] = []
        const events = [...actions, ...said].sort((a, b) => a.ms - b.ms)
        for (const { ms, verb } of events) {
          if (verb === 'request') open = ms
          else if (verb === 'watch') watching = watching < 0 ? ms : watching
          else if (verb === 'unwatch') watching = -1
          else if (verb === 'up') {
            if (open < 0 || !wasUp(open, ms)) wrong.push(`up at ${ms}`)
            open = -1
          } else {
            const since = open >= 0 ? open : watching
            if (since < 0 || !wasDown(since, ms)) wrong.push(`down at ${ms}`)
            open = -1
            watching = -1
          }
        }
        expect([wrong, open]).toEqual([[], -1])
      }),
      { numRuns: 200 },
    )
  })
})
