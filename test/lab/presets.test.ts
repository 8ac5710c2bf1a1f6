/** Tests what the lab ships: bundle size, presets and counterexamples. No browser needed. */
import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { bundleKb } from '../../bench/lab.bench.ts'
import { algorithms } from '../../src/algorithms/index.ts'
import { detectors } from '../../src/detectors/index.ts'
import { replay } from '../../src/sim/record/replay.ts'

const folder = new URL('../../lab/src/run/presets/', import.meta.url)
const files = readdirSync(folder).filter((file) => file.endsWith('.txt'))

test('what the page loads at first has at most 200 kB, gzipped, without editor and checker', () => {
  expect(bundleKb()).toBeLessThanOrEqual(200)
})

describe('the counterexamples', () => {
  test('exist for every specimen', () => {
    const shown = new Set(files.map((file) => /^algorithm (.*)$/mu.exec(text(file))?.[1]))
    const specimens = algorithms.filter(({ specimen }) => specimen).map(({ name }) => name)
    expect(specimens.filter((name) => !shown.has(name))).toEqual([])
  })

  test.each(files)('%s replays without a difference and names the broken promise', (file) => {
    expect(replay(text(file), { algorithms, detectors }).difference).toBeNull()
    expect(text(file)).toMatch(/^# .*(?:breaks here|broken): /mu)
  })
})

function text(file: string): string {
  return readFileSync(new URL(file, folder), 'utf8')
}
