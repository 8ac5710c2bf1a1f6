/** Tests that the experiments measure what they claim, and that the report is complete. */
import { describe, expect, test } from 'vitest'
import { algorithms, bully, roulette } from 'bellwether/algorithms'
import type { Algorithm, AnyMessage, Out } from 'bellwether/core'
import { claims, claimsOf, reproduce } from './index.ts'
import { VERDICTS, type Judged } from './harness/claim.ts'
import { htmlReport } from './harness/html.ts'
import { markdownReport } from './harness/markdown.ts'

const TINY = { seed: 1, effort: 0.02, elections: 0, threads: 0 }

async function measured(
  only: readonly string[],
  replaced: readonly Algorithm[] = [],
  effort = 1,
): Promise<Judged[]> {
  return claimsOf(await reproduce({ ...TINY, effort, only, replaced }))
}

/** The same algorithm, with what it does to its effects changed. */
function mutant(original: Algorithm, change: (out: Out<AnyMessage>) => Out<AnyMessage>): Algorithm {
  return {
    ...original,
    handlers(group, options) {
      const own = original.handlers(group, options)
      return {
        ...own,
        start: (s, out) => own.start(s, change(out)),
        message: (s, from, m, out) => own.message(s, from, m, change(out)),
        timeout: (s, timer, out) => own.timeout?.(s, timer, change(out)),
        up: (s, peer, out) => own.up?.(s, peer, change(out)),
        down: (s, peer, out) => own.down?.(s, peer, change(out)),
        drawn: (s, name, k, out) => own.drawn?.(s, name, k, change(out)),
      }
    },
  }
}

/** Every message of a type is sent twice. */
function stuttering(type: string): (out: Out<AnyMessage>) => Out<AnyMessage> {
  return (out) =>
    new Proxy(out, {
      get: (target, key) => {
        const own = Reflect.get(target, key) as unknown
        if (key === 'send') {
          return (peer: number, m: AnyMessage) => {
            target.send(peer, m)
            if (m.type === type) target.send(peer, m)
          }
        }
        return typeof own === 'function' ? (own.bind(target) as unknown) : own
      },
    })
}

describe('the claims', () => {
  test('are at least 40, each with an id of its own, a source, what is published and a formula', () => {
    expect(claims.length).toBeGreaterThanOrEqual(40)
    expect(new Set(claims.map(({ id }) => id)).size).toBe(claims.length)
    for (const claim of claims) {
      expect({ id: claim.id, empty: Object.values(claim).includes('') }).toEqual({
        id: claim.id,
        empty: false,
      })
      const [document] = claim.id.split('-')
      expect(claim.source).toContain(document === 'beyond' ? 'bellwether' : document)
    }
  })

  test('cover every document', () => {
    const documents = new Set(claims.map(({ id }) => id.split('-')[0]))
    expect([...documents].sort()).toEqual(['000', '001', '002', '003', '004', 'beyond'])
  })
})

describe('a run', () => {
  test('gives every claim of the simulator a source, figures, a verdict and a reason', async () => {
    const first = await reproduce({ ...TINY, only: [] })
    const found = claimsOf(first)
    const simulated = claims.filter(({ id }) => !id.startsWith('003-processes'))
    expect(found.map(({ id }) => id).sort()).toEqual(simulated.map(({ id }) => id).sort())
    for (const { id, source, measured: text, figures, verdict, note } of found) {
      const said = [source, text, note].every((part) => part.length > 0)
      const counted = Object.keys(figures).length > 0
      expect({ id, said, counted }).toEqual({ id, said: true, counted: true })
      expect(VERDICTS).toContain(verdict)
    }
  }, 300_000)

  test('is the same twice: claims, tables and plots', async () => {
    const isChance = (id: string): boolean =>
      /^(?:000-|003-(?!single|fault)|004-cr-av|beyond-l)/u.test(id)
    const only = claims.map(({ id }) => id).filter(isChance)
    const [first, second] = [await reproduce({ ...TINY, only }), await reproduce({ ...TINY, only })]
    expect(claimsOf(first).length).toBeGreaterThan(25)
    expect(second.chapters).toEqual(first.chapters)
    const other = await reproduce({ ...TINY, seed: 2, only: ['003-launch-three'] })
    const same = claimsOf(first).find(({ id }) => id === '003-launch-three')!
    expect(claimsOf(other)[0].figures).not.toEqual(same.figures)
  }, 300_000)

  test('of one claim measures that claim alone', async () => {
    const [only, ...others] = await measured(['004-bully-best'])
    expect([only.id, only.verdict, only.holds, others]).toEqual([
      '004-bully-best',
      'holds',
      true,
      [],
    ])
  })

  test('measures the algorithm: one that sends everything twice has other figures, which stay unexplained', async () => {
    const ids = ['002-best-messages', '004-bully-best']
    const [best, hirata] = await measured(ids)
    const [twice, hirataTwice] = await measured(ids, [mutant(bully, stuttering('coordinator'))])
    expect(twice.figures['coordinators']).toBe(2 * best.figures['coordinators'])
    expect(hirataTwice.figures['coordinators']).toBe(2 * hirata.figures['coordinators'])
    expect([best.verdict, twice.verdict]).toEqual(['holds', 'unexplained'])
  })

  test('measures the roulette: who needs only one number launches sooner than 003 says', async () => {
    const hasty: Algorithm = {
      ...roulette,
      handlers: (group, options) => roulette.handlers(group, { ...options, consecutive: 1 }),
    }
    const [slow] = await measured(['003-influence'], [], 0.1)
    const [fast] = await measured(['003-influence'], [hasty], 0.1)
    expect(slow.figures['launchMs']).toBeGreaterThan(80)
    expect(fast.figures['launchMs']).toBeLessThan(10)
    expect(fast.verdict).toBe('unexplained')
  })

  test('asks the checker: an algorithm without its corrections is found out', async () => {
    const printed = algorithms.find(({ name }) => name === 'bully-fd-as-printed')!
    const [safe] = await measured(['001-safety'], [{ ...printed, name: 'bully-fd' }])
    expect([safe.figures['correctedHolds'], safe.verdict]).toEqual([0, 'unexplained'])
  })

  test('can be stopped', async () => {
    const signal = AbortSignal.abort(new Error('enough'))
    await expect(reproduce({ ...TINY, only: [], signal })).rejects.toThrow('enough')
  })
})

describe('the report', () => {
  test('shows every claim with its verdict, and every plot with axes and a caption', async () => {
    const report = await reproduce({ ...TINY, only: ['004-ring-messages', '004-cr-worst'] })
    const html = htmlReport(report)
    const markdown = markdownReport(report, (name) => `plots/${name}.svg`)
    for (const { id, verdict } of claimsOf(report)) {
      expect(html).toContain(`id="${id}"`)
      expect(markdown).toContain(`\`${id}\``)
      expect(html).toContain(verdict)
    }
    const plots = report.chapters.flatMap(({ parts }) => parts.flatMap((part) => part.plots))
    expect(plots.length).toBeGreaterThan(1)
    for (const { name, caption, svg } of plots) {
      expect(markdown).toContain(`plots/${name}.svg`)
      expect(html).toContain(caption.slice(0, 40))
      // Two titles of axes, the second turned; lines told apart by dashes.
      expect(svg.match(/font-size="13"/gu)).toHaveLength(2)
      expect(svg).toContain('stroke-dasharray')
    }
    expect(html).not.toMatch(/(?:src|href)="(?!#)/u) // one page that needs nothing else
  })
})
