/** ARCHITECTURE.md shows the import rules that test/tidy enforces. */
import { readFileSync } from 'node:fs'
import { join, posix } from 'node:path'
import { describe, expect, test } from 'vitest'
import { LAB, SRC } from '../scripts/architecture/layers.ts'
import { architecturePicture, levels } from '../scripts/architecture/picture.ts'
import { repositoryFiles, ROOT } from './tidy/repository.ts'
import type { SourceFile } from './tidy/rules.ts'

const page = readFileSync(join(ROOT, 'ARCHITECTURE.md'), 'utf8')
const sources = new Map(
  repositoryFiles()
    .filter(({ path }) => /^(?:bin|src|lab\/src)\/.*(?<!\.test)\.(?:ts|js|svelte)$/u.test(path))
    .map((file) => [file.path, importedBy(file)]),
)

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

describe('the walks of ARCHITECTURE.md', () => {
  const walks = [...page.matchAll(/^### Walk: (.+)\n([\s\S]*?)(?=\n##)/gmu)].map(
    ([, name, text]) => ({
      name,
      files: [...text.matchAll(/^\d+\. .*$/gmu)].flatMap(([line]) =>
        [...line.matchAll(/`((?:bin|src|lab)\/[^`]+)`/gu)].map(([, file]) => file),
      ),
    }),
  )

  test('are there', () => {
    expect(walks.map(({ name }) => name)).toEqual([
      'run',
      'a simulated message',
      'a checked state',
      'a step of the lab',
    ])
  })

  test.each(walks)('$name: every file exists', ({ files }) => {
    expect(files.length).toBeGreaterThan(9)
    expect(files.filter((path) => !sources.has(path))).toEqual([])
  })

  test.each(walks)('$name: its files import one another', ({ files }) => {
    const reached = connected(new Set(files), files[0])
    expect(files.filter((path) => !reached.has(path))).toEqual([])
  })

  test('`run` crosses at most 25 files from the command line to the work', () => {
    expect(new Set(walks[0].files).size).toBeLessThanOrEqual(25)
  })
})

/** The files that are connected with `first` by imports among `files`; entry points of folders may lie between. */
function connected(files: ReadonlySet<string>, first: string): Set<string> {
  const isOnTheWay = (path: string): boolean => files.has(path) || path.endsWith('/index.ts')
  const reached = new Set([first])
  for (const path of reached) {
    for (const [other, imported] of sources) {
      const joined = imported.has(path) || (sources.get(path)?.has(other) ?? false)
      if (joined && isOnTheWay(other)) reached.add(other)
    }
  }
  return reached
}

/** What a file imports, starts as a worker or spawns. */
function importedBy({ path, text }: SourceFile): Set<string> {
  const naming = /(?:\bfrom |\bimport\(|\bimport |new URL\()'(\.[^']+)'/gu
  return new Set(
    [...text.matchAll(naming)].map(([, specifier]) =>
      posix
        .join(posix.dirname(path), specifier)
        .replace(/^dist\//u, 'src/')
        .replace(/(?<=^src\/.*)\.js$/u, '.ts'),
    ),
  )
}
