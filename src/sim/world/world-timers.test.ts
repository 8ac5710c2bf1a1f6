import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { lines, tinyWorld, type TinyOut } from '../../../test/support/tiny-algorithms.ts'
import { InvariantError } from '../../core/assert.ts'

const MS = 1000

type Timer = Parameters<TinyOut['set']>[0]

/** Member 1 arms and clears timers at the moments of a script; when they fire is noted down. */
function script(script: readonly { at: number; do: (out: TinyOut) => void }[]): string[] {
  let done = 0
  const next = (out: TinyOut): void => {
    const now = done === 0 ? 0 : script[done - 1].at
    if (done < script.length) out.set('tick', (script[done].at - now) / 1000)
  }
  const { world, heard } = tinyWorld(
    (say) => ({
      start: (_, out) => next(out),
      timeout: (_, timer, out) => {
        if (timer !== 'tick') return say(out, timer)
        script[done++].do(out)
        next(out)
      },
    }),
    { members: 1 },
  )
  world.runUntil(10_000 * MS)
  expect(world.isQuiet).toBe(true)
  return lines(heard)
}

describe('a timer', () => {
  test('fires once, when it is due', () => {
    expect(script([{ at: MS, do: (out) => out.set('first', 5) }])).toEqual(['6000:1:first'])
  })

  test('armed again is due at the new time only, later or earlier', () => {
    const later = [
      { at: 0, do: (out: TinyOut) => out.set('first', 10) },
      { at: 5 * MS, do: (out: TinyOut) => out.set('first', 10) },
    ]
    expect(script(later)).toEqual(['15000:1:first'])
    const earlier = [
      { at: 0, do: (out: TinyOut) => out.set('first', 10) },
      { at: 5 * MS, do: (out: TinyOut) => out.set('first', 1) },
    ]
    expect(script(earlier)).toEqual(['6000:1:first'])
  })

  test('cleared does not fire, armed after that does', () => {
    const cleared = [
      { at: 0, do: (out: TinyOut) => out.set('first', 10) },
      { at: 5 * MS, do: (out: TinyOut) => out.clear('first') },
    ]
    expect(script(cleared)).toEqual([])
    const again = [...cleared, { at: 8 * MS, do: (out: TinyOut) => out.set('first', 2) }]
    expect(script(again)).toEqual(['10000:1:first'])
    const long = [...cleared, { at: 8 * MS, do: (out: TinyOut) => out.set('first', 50) }]
    expect(script(long)).toEqual(['58000:1:first'])
  })

  test('clearing one that is not armed changes nothing', () => {
    expect(script([{ at: 0, do: (out) => out.clear('second') }])).toEqual([])
  })

  test('timers fire as in a naive table of deadlines, in any order of arming and clearing', () => {
    const action = fc.record({
      gap: fc.integer({ min: 0, max: 20 }),
      timer: fc.constantFrom<Timer[]>('first', 'second'),
      ms: fc.option(fc.integer({ min: 0, max: 30 })),
    })
    fc.assert(
      fc.property(fc.array(action, { maxLength: 30 }), (actions) => {
        let at = 0
        // An odd microsecond apart, so that an action and a deadline never meet.
        const steps = actions.map(({ gap, timer, ms }, i) => ({
          at: (at += gap * MS + 1),
          timer,
          ms,
          i,
        }))
        const due = new Map<Timer, number>()
        const expected: string[] = []
        const fire = (until: number): void => {
          const ready = [...due].filter(([, time]) => time <= until).sort((a, b) => a[1] - b[1])
          for (const [timer, time] of ready) {
            expected.push(`${time}:1:${timer}`)
            due.delete(timer)
          }
        }
        for (const { at: now, timer, ms } of steps) {
          fire(now)
          if (ms === null) due.delete(timer)
          else due.set(timer, now + ms * MS)
        }
        fire(Infinity)
        const seen = script(
          steps.map((step) => ({
            at: step.at,
            do: (out) => (step.ms === null ? out.clear(step.timer) : out.set(step.timer, step.ms)),
          })),
        )
        expect(seen.sort()).toEqual(expected.sort())
      }),
      { numRuns: 200 },
    )
  })

  test('with a range fires within it, both ends included, all over it', () => {
    const fired: number[] = []
    for (let seed = 0; seed < 300; seed++) {
      const { world, heard } = tinyWorld(
        (say) => ({
          start: (_, out) => out.set('first', 1, 1.009),
          timeout: (_, __, out) => say(out, 'fired'),
        }),
        { members: 1, seed },
      )
      world.runUntil(10 * MS)
      fired.push(heard[0].at)
    }
    expect([...new Set(fired)].sort((a, b) => a - b)).toEqual(
      [0, 1, 2, 3, 4, 5, 6, 7, 8, 9].map((us) => 1000 + us),
    )
  })

  test('that no algorithm declared is refused, and one for the past too', () => {
    const stranger = tinyWorld(() => ({ start: (_, out) => out.set('other' as Timer, 1) }))
    expect(() => stranger.world.runUntil(1)).toThrow(InvariantError)
    const past = tinyWorld(() => ({ start: (_, out) => out.set('first', -1) }))
    expect(() => past.world.runUntil(1)).toThrow(InvariantError)
    const never = tinyWorld(() => ({ start: (_, out) => out.set('first', Infinity) }))
    expect(() => never.world.runUntil(1)).toThrow(InvariantError)
  })
})

describe('a draw', () => {
  test.each([1, 2, 1000, 2 ** 31, 2 ** 33, Number.MAX_SAFE_INTEGER])(
    'below %i is answered below it',
    (n) => {
      const drawn: number[] = []
      const { world, heard } = tinyWorld(
        (say) => ({
          start: (_, out) => {
            for (let i = 0; i < 50; i++) out.draw('wheel', n)
          },
          drawn: (_, name, k, out) => {
            drawn.push(k)
            say(out, name)
          },
        }),
        { members: 1 },
      )
      world.runUntil(MS)
      expect(heard).toHaveLength(50)
      expect(heard.every(({ at, what }) => at === 0 && what === 'wheel')).toBe(true)
      expect(drawn.filter((k) => !(Number.isSafeInteger(k) && k >= 0 && k < n))).toEqual([])
      expect(Math.max(...drawn)).toBeGreaterThanOrEqual(Math.floor(n / 2))
    },
  )

  test.each([0, -1, 1.5, NaN])('below %d is refused', (n) => {
    const { world } = tinyWorld(() => ({ start: (_, out) => out.draw('wheel', n) }))
    expect(() => world.runUntil(MS)).toThrow(InvariantError)
  })
})
