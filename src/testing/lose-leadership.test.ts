/** Tests that leadership is lost at every await of a handler, and what the handler may and may not do then. */
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { ConfigurationError } from '../index.ts'
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

  test("a handler's own error before leadership is lost is thrown; one after it is how it stops", async () => {
    const broken = loseLeadershipAtEveryAwait(async () => {
      await Promise.resolve()
      throw new TypeError('no invoices')
    })
    await expect(broken).rejects.toThrow(new TypeError('no invoices'))
    const throwsAtOnce = loseLeadershipAtEveryAwait(() => {
      throw new TypeError('no invoices')
    })
    await expect(throwsAtOnce).rejects.toThrow(new TypeError('no invoices'))
    await loseLeadershipAtEveryAwait(async (term) => {
      await Promise.resolve()
      if (term.signal.aborted) throw new TypeError('the connection is gone')
    })
  })

  test.each([
    ['drain', [() => undefined, { drain: 100 }]],
    ['drainMs', [() => undefined, { drainMs: '100ms' }]],
    ['mostRuns', [() => undefined, { mostRuns: 0 }]],
    ['handler', [undefined]],
    ['handler', [{ lead: () => undefined }]],
  ])('wrong input is refused, naming %s', async (field, given) => {
    const run = loseLeadershipAtEveryAwait(...(given as [never]))
    await expect(run).rejects.toBeInstanceOf(ConfigurationError)
    await expect(run).rejects.toMatchObject({ field })
  })
})
