/** ARCHITECTURE.md shows the import rules that test/tidy enforces. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { LAB, SRC } from '../scripts/architecture/layers.ts'
import { architecturePicture, levels } from '../scripts/architecture/picture.ts'
import { ROOT } from './tidy/repository.ts'

const page = readFileSync(join(ROOT, 'ARCHITECTURE.md'), 'utf8')

describe('the picture of ARCHITECTURE.md', () => {
  test('is what `npm run architecture` draws from the rules', () => {
    const drawn = /<!-- layers: begin -->\n\n([\s\S]*?)\n\n<!-- layers: end -->/u.exec(page)?.[1]
    expect(drawn).toBe(architecturePicture())
  })

  test('shows every folder of src, the lab and the experiments', () => {
    for (const name of [...Object.keys(SRC), 'lab/src', 'experiments']) {
      expect(architecturePicture()).toMatch(new RegExp(String.raw`│ ${name}\*? │`, 'u'))
    }
  })

  test('puts each folder above everything that it may import', () => {
    const rows = levels()
    const heightOf = (name: string): number => rows.findIndex((row) => row.includes(name))
    for (const [name, { mayImport }] of Object.entries(SRC)) {
      for (const other of mayImport) expect(heightOf(other)).toBeLessThan(heightOf(name))
    }
  })

  test('cannot be drawn from rules that form a cycle, or that name an unknown folder', () => {
    const layer = (...mayImport: string[]) => ({ contains: '', mayImport })
    expect(() => levels({ a: layer('b'), b: layer('a') })).toThrow('a → b → a')
    expect(() => levels({ a: layer('b') })).toThrow('a may import b')
  })
})

test('what the lab imports is in the layers', () => {
  expect(LAB.mayImport.filter((name) => !(name in SRC))).toEqual([])
})
