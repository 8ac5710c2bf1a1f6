/**
 * Every file in test/scenarios is a trace: settings, steps, and what they bring about. The runner plays
 * the steps and compares. `REWRITE=1 npx vitest run test/scenarios.test.ts` writes the files anew: only
 * commit that if you understand what caused each change.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { algorithms } from '../src/algorithms/index.ts'
import { detectors } from '../src/detectors/index.ts'
import { replay } from '../src/sim/index.ts'

const folder = new URL('scenarios/', import.meta.url)
const files = readdirSync(folder).filter((file) => file.endsWith('.txt'))

/** Remarks stay where they are: at the top of the file, under its first line. */
function withRemarks(text: string, computed: string): string {
  const remarks = text.split('\n').filter((line) => line.startsWith('#'))
  const [first, ...rest] = computed.split('\n')
  return [first, ...remarks, ...rest].join('\n')
}

describe('scenarios', () => {
  test('there are some', () => {
    expect(files.length).toBeGreaterThan(0)
  })

  test.each(files)('%s happens as it is written', (file) => {
    const text = readFileSync(new URL(file, folder), 'utf8')
    const computed = withRemarks(text, replay(text, { algorithms, detectors }).text)
    if (process.env['REWRITE'] === '1') return writeFileSync(new URL(file, folder), computed)
    expect(computed).toBe(text)
  })

  test.each(files)('%s says in a remark what it is about', (file) => {
    expect(readFileSync(new URL(file, folder), 'utf8').split('\n')[1]).toMatch(/^# \S/u)
  })
})
