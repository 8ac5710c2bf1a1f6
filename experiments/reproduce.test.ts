/** Tests that the experiments measure what they claim, and that the report is complete. */
import { describe, expect, test } from 'vitest'
import { algorithms, bully, bullyAsPrinted, roulette } from 'bellwether/algorithms'
import type { Algorithm, AnyMessage, Out } from 'bellwether/core'
import { claims, claimsOf, reproduce } from './index.ts'
import { driftBetween } from './harness/compare.ts'
import { htmlReport } from './harness/html.ts'
import { claimPages, markdownReport } from './harness/markdown.ts'
import { PARAMETERS } from './harness/parameters.ts'
import { linePlot } from './harness/plot.ts'
import { reportJson } from './harness/publish.ts'
import { isOurs } from './harness/report.ts'
import { VERDICTS, type Judged } from './harness/verdict.ts'

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
  test('of the documents are at least 90, each with an id of its own, a source, what is published and a formula', () => {
    expect(claims.filter((claim) => !isOurs(claim)).length).toBeGreaterThanOrEqual(90)
    expect(new Set(claims.map(({ id }) => id)).size).toBe(claims.length)
    for (const claim of claims) {
      expect({ id: claim.id, empty: Object.values(claim).includes('') }).toEqual({
        id: claim.id,
        empty: false,
      })
      const [document] = claim.id.split('-')
      expect(claim.source).toContain(document === 'beyond' ? 'bellwether' : document)
      for (const name of claim.parameters ?? []) expect(PARAMETERS).toHaveProperty(name)
    }
  })

  test('use every parameter of the table', () => {
    const used = new Set(claims.flatMap(({ parameters = [] }) => parameters))
    expect(Object.keys(PARAMETERS).filter((name) => !used.has(name as never))).toEqual([])
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
    for (const { id, source, measured: text, figures, verdict, note, runs } of found) {
      const said = [source, text, note].every((part) => part.length > 0)
      // A page is read alone: a note names the claim whose runs it refers to.
      expect({ id, note }).toEqual({
        id,
        note: expect.not.stringMatching(
          /\b(?:the same runs|these runs|as above|see above)\b/iu,
        ) as string,
      })
      for (const [, other] of note.matchAll(/`(00[0-4]-[\w.-]+)`/gu)) {
        expect(claims.map((claim) => claim.id)).toContain(other)
      }
      expect({ id, bare: runs.filter(({ cases }) => cases.length === 0) }).toEqual({ id, bare: [] })
      const names = runs.map(({ algorithm, reading = '' }) => `${algorithm} ${reading}`)
      expect({ id, names }).toEqual({ id, names: [...new Set(names)] })
      const counted = Object.keys(figures).length > 0
      expect({ id, said, counted }).toEqual({ id, said: true, counted: true })
      expect(VERDICTS).toContain(verdict)
    }
  }, 300_000)

  test('is the same twice: claims, tables and plots', async () => {
    const isChance = (id: string): boolean =>
      /^(?:000-(?!bully)|003-(?!single|all|rule)|004-cr-av|beyond-l)/u.test(id)
    const only = claims.map(({ id }) => id).filter(isChance)
    const [first, second] = [await reproduce({ ...TINY, only }), await reproduce({ ...TINY, only })]
    expect(claimsOf(first).length).toBeGreaterThan(25)
    expect(second.chapters).toEqual(first.chapters)
    const other = await reproduce({ ...TINY, seed: 2, only: ['003-launch-three'] })
    const same = claimsOf(first).find(({ id }) => id === '003-launch-three')!
    expect(claimsOf(other)[0].figures).not.toEqual(same.figures)
  }, 300_000)

  test('of one claim measures that claim alone', async () => {
    const [only, ...others] = await measured(['004-lelann-messages'])
    expect([only.id, only.verdict, only.judgedBy, others]).toEqual([
      '004-lelann-messages',
      'holds',
      'described',
      [],
    ])
  })

  test('measures the algorithm: one that sends everything twice has other figures, which our formula does not explain', async () => {
    const [best] = await measured(['002-best-messages'])
    const [twice] = await measured(
      ['002-best-messages'],
      [mutant(bully, stuttering('coordinator'))],
    )
    expect(twice.figures['corrected']).toBe(2 * best.figures['corrected'])
    expect([best.explained, twice.explained]).toEqual([true, false])
  })

  test('measures the printed text: a specimen that sends everything twice no longer holds', async () => {
    const [best] = await measured(['004-bully-best'])
    const [twice] = await measured(
      ['004-bully-best'],
      [mutant(bullyAsPrinted, stuttering('coordinator'))],
    )
    expect([best.verdict, best.explained]).toEqual(['holds', true])
    expect([twice.verdict, twice.explained]).toEqual(['does not hold', false])
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
    expect([slow.explained, fast.explained]).toEqual([true, false])
  })

  test('asks the checker: an algorithm without its corrections is found out', async () => {
    const printed = algorithms.find(({ name }) => name === 'bully-fd-as-printed')!
    const [found] = await measured(['001-safety-figure'], [{ ...printed, name: 'bully-fd' }])
    const corrected = found.runs.find(({ kind }) => kind === 'corrected')!
    expect([corrected.verdict, found.explained]).toEqual(['does not hold', false])
  })

  test('can be stopped', async () => {
    const signal = AbortSignal.abort(new Error('enough'))
    await expect(reproduce({ ...TINY, only: [], signal })).rejects.toThrow('enough')
  })
})

describe('--compare', () => {
  const claim = {
    id: '000-a',
    verdict: 'holds',
    explained: true,
    figures: { ms: 1 },
    runs: [{ algorithm: 'ring', cases: [{ published: 1, measured: 1 }] }],
  } as const

  test('finds no difference between a report and itself, also through JSON', async () => {
    const report = await reproduce({ ...TINY, only: ['004-cr-any-number', '000-eq3.4'] })
    const before = (JSON.parse(reportJson(report)) as { claims: Judged[] }).claims
    expect(driftBetween(before, claimsOf(report))).toEqual([])
  })

  test('names each verdict and figure that changed, and each claim that came or went', () => {
    const changed = { ...claim, verdict: 'does not hold', figures: { ms: 2, more: 3 } } as const
    expect(driftBetween([claim], [changed])).toEqual([
      '000-a: holds → does not hold',
      '000-a: ms: 1 → 2',
      '000-a: more: undefined → 3',
    ])
    expect(driftBetween([claim], [])).toEqual(['000-a: it is no longer measured'])
    expect(driftBetween([claim], [], false)).toEqual([])
    expect(driftBetween([], [claim])).toEqual(['000-a: it was not measured before'])
  })

  test('names each reading in which another value was measured, and each that came or went', () => {
    const [run] = claim.runs
    const other = { ...run, cases: [{ published: 1, measured: 2 }, ...run.cases] }
    expect(driftBetween([claim], [{ ...claim, runs: [other] }])).toEqual([
      '000-a: ring: 2 of 2 settings differ',
    ])
    expect(driftBetween([claim], [{ ...claim, runs: [{ ...run, reading: 'b' }] }])).toEqual([
      '000-a: ring: no longer measured',
      '000-a: ring, b: not measured before',
    ])
  })

  test('compares nothing of real processes but that they were measured', () => {
    const real = { ...claim, id: '003-processes-fig3' }
    const other = { ...real, verdict: 'does not hold', figures: { ms: 9 } } as const
    expect(driftBetween([real], [other])).toEqual([])
    expect(driftBetween([real], [])).toEqual(['003-processes-fig3: it is no longer measured'])
  })
})

describe('a plot', () => {
  test('hides no series: one that others cover is drawn wider, with larger markers', () => {
    const [x, y] = [{ label: 'x' }, { label: 'y' }]
    const widths = (...series: { name: string; points: [number, number][] }[]): number[] => {
      const { svg } = linePlot({ name: 'a', caption: '', title: '', x, y, series })
      return [...svg.matchAll(/fill="none" stroke="#\w+" stroke-width="(\d+)"/gu)].map((one) =>
        Number(one[1]),
      )
    }
    const a = {
      name: 'a',
      points: [
        [1, 1],
        [2, 2],
      ] as [number, number][],
    }
    const apart = {
      name: 'b',
      points: [
        [1, 5],
        [2, 9],
      ] as [number, number][],
    }
    expect(widths(a, apart)).toEqual([2, 2])
    expect(widths(a, { ...a, name: 'b' })).toEqual([4, 2])
    expect(widths(a, { ...a, name: 'b' }, { ...a, name: 'c' })).toEqual([6, 4, 2])
  })
})

describe('the report', () => {
  test('shows every claim with its verdict, and every plot with axes and a caption', async () => {
    const report = await reproduce({ ...TINY, only: ['004-ring-messages', '004-cr-worst'] })
    const html = htmlReport(report)
    const overview = markdownReport(report)
    const pages = new Map(
      report.chapters.flatMap(({ parts }) => parts.flatMap((part) => [...claimPages(part, 1)])),
    )
    const markdown = [overview, ...pages.values()].join('\n')
    for (const { id, verdict } of claimsOf(report)) {
      expect(html).toContain(`id="${id}"`)
      expect(overview).toContain(`[\`${id}\`](claims/${id}.md)`)
      expect(pages.get(id)).toContain('| algorithm measured')
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
