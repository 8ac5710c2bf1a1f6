import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { loseLeadershipAtEveryAwait, StillRunningError } from './lose-leadership.ts'

describe('leadership that is lost at every await', () => {
  test('passes a handler that looks at its signal', async () => {
    const stopped: number[] = []
    const runs = await loseLeadershipAtEveryAwait(async (term) => {
      for (let i = 0; i < 5; i++) {
        await sleep(1)
        if (term.signal.aborted) return stopped.push(i)
      }
      return undefined
    })
    expect(runs).toBeGreaterThan(5)
    expect(new Set(stopped)).toEqual(new Set([0, 1, 2, 3, 4]))
  })

  test('passes a handler that leaves it to term.assert()', async () => {
    const effects: number[] = []
    await loseLeadershipAtEveryAwait(async (term) => {
      for (let i = 0; i < 3; i++) {
        await Promise.resolve()
        term.assert()
        effects.push(term.number)
      }
    })
    expect(effects).not.toEqual([])
  })

  test('finds the await after which a handler goes on for ever', async () => {
    const deaf = loseLeadershipAtEveryAwait(
      async (term) => {
        await sleep(1, undefined, { signal: term.signal })
        await sleep(10_000, undefined, { ref: false })
      },
      { drainMs: 30 },
    )
    await expect(deaf).rejects.toThrow(StillRunningError)
    await expect(deaf).rejects.toThrow(/pass term\.signal/u)
  })

  test('a handler that only waits for the end of its term is done when it comes', async () => {
    const runs = await loseLeadershipAtEveryAwait(
      async (term) => sleep(10_000, undefined, { signal: term.signal, ref: false }),
      { drainMs: 50 },
    )
    expect(runs).toBeLessThan(5)
  })

  test('a handler that never ends by itself is run as often as was asked', async () => {
    const runs = await loseLeadershipAtEveryAwait(
      async (term) => {
        while (!term.signal.aborted) await sleep(1)
      },
      { mostRuns: 7 },
    )
    expect(runs).toBe(7)
  })
})
