/** Tests of the benchmarks at the smallest scale, and of the code that runs and reports them. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { describe, expect, test } from 'vitest'
import {
  areKept,
  json,
  loadEntries,
  runAll,
  table,
  verdict,
  type Entry,
  type Row,
} from '../bench/harness.ts'
import { measure, summarize } from '../bench/measure.ts'

const entries = await loadEntries()

describe('the benchmarks', () => {
  test('have different names', () => {
    const names = entries.map(({ name }) => name)
    expect(new Set(names).size).toBe(names.length)
  })

  // Never the speed: a busy machine must not fail a test.
  test.each(entries)('$name gives finite numbers at the tiny scale', async (entry) => {
    const rows = await entry.run('tiny')
    expect(rows).not.toHaveLength(0)
    expect(rows.filter(({ value }) => !Number.isFinite(value))).toEqual([])
  })
})

describe('the harness', () => {
  const counting = fake('counting', [
    { metric: 'rate', value: 3_120_000, unit: '1/s', bound: { min: 3_000_000 } },
    { metric: 'cost', value: 0.82134, unit: 'µs', bound: { max: 1 }, note: 'one core' },
  ])
  const slow = fake('slow', [{ metric: 'rate', value: 1, unit: '1/s', bound: { min: 2 } }])

  test('runs the entries in their order and prints an aligned table', async () => {
    const progress: string[] = []
    const reports = await runAll([counting, slow], 'tiny', (text) => progress.push(text))
    expect(progress).toEqual(['counting …\n', 'slow …\n'])
    expect(table(reports)).toBe(
      [
        'benchmark  metric      value  unit  bound        verdict      note',
        'counting   rate    3,120,000  1/s   ≥ 3,000,000  pass',
        'counting   cost       0.8213  µs    ≤ 1          pass         one core',
        'slow       rate            1  1/s   ≥ 2          falls short',
      ].join('\n'),
    )
  })

  test('tells each entry of the build to compare with', async () => {
    const asked: unknown[] = []
    const entry: Entry = {
      name: 'one',
      describe: '',
      run: (_scale, _progress, base) => (asked.push(base), []),
    }
    await runAll([entry], 'full', () => undefined, 'earlier/lab')
    await runAll([entry], 'full', () => undefined)
    expect(asked).toEqual(['earlier/lab', undefined])
  })

  test('tells whether all bounds are kept', async () => {
    const run = async (...some: Entry[]) => areKept(await runAll(some, 'tiny', () => undefined))
    expect(await run(counting)).toBe(true)
    expect(await run(counting, slow)).toBe(false)
  })

  test('prints JSON that carries rows and verdicts', async () => {
    expect(JSON.parse(json(await runAll([slow], 'tiny', () => undefined)))).toEqual([
      {
        name: 'slow',
        rows: [
          { metric: 'rate', value: 1, unit: '1/s', bound: { min: 2 }, verdict: 'falls short' },
        ],
      },
    ])
  })

  test('finds the entries of a folder by their file names', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'bellwether-bench-'))
    try {
      await writeFile(
        join(folder, 'one.bench.ts'),
        "export default { name: 'one', describe: '', run: (): never[] => [] }",
      )
      await writeFile(join(folder, 'other.ts'), 'throw new Error()')
      const found = await loadEntries(pathToFileURL(`${folder}/`))
      expect(found.map(({ name }) => name)).toEqual(['one'])
    } finally {
      await rm(folder, { recursive: true })
    }
  })

  test('judges a value by both ends of its bound', () => {
    const row = { metric: 'm', unit: '', bound: { min: 1, max: 2 } }
    expect(verdict({ ...row, value: 1 })).toBe('pass')
    expect(verdict({ ...row, value: 2 })).toBe('pass')
    expect(verdict({ ...row, value: 0.9 })).toBe('falls short')
    expect(verdict({ ...row, value: 2.1 })).toBe('falls short')
    expect(verdict({ ...row, value: Number.NaN })).toBe('falls short')
    expect(verdict({ metric: 'm', unit: '', value: 5 })).toBe('')
  })

  test('prints a table with no rows', () => {
    expect(table([])).toMatch(/^benchmark/)
  })
})

describe('measure', () => {
  test('gives the median and the spread of the repeats', () => {
    expect(summarize([5, 1, 2])).toEqual({ medianMs: 2, spread: 2 })
    expect(summarize([4, 2, 1, 3])).toEqual({ medianMs: 2.5, spread: 1.2 })
    expect(() => summarize([])).toThrow(RangeError)
  })

  test('runs the work once to warm up, then as often as asked, and gives its processor time', () => {
    let runs = 0
    const { medianMs } = measure(() => {
      runs += 1
      const start = process.cpuUsage()
      while (process.cpuUsage(start).user + process.cpuUsage(start).system < 5000);
    }, 3)
    expect(runs).toBe(4)
    expect(medianMs).toBeGreaterThanOrEqual(5)
    expect(medianMs).toBeLessThan(500)
  })

  test('does not count the time for which the work sleeps', () => {
    const cell = new Int32Array(new SharedArrayBuffer(4))
    expect(measure(() => void Atomics.wait(cell, 0, 0, 50), 3).medianMs).toBeLessThan(25)
  })
})

function fake(name: string, rows: Row[]): Entry {
  return { name, describe: `measures ${name}`, run: () => rows }
}
