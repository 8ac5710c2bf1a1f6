/** The rules of test/tidy, applied to every file of the repository, and tests of the rules themselves. */
import { describe, expect, test } from 'vitest'
import { codeOf } from './tidy/code-of.ts'
import { repositoryFiles } from './tidy/repository.ts'
import {
  algorithmHeader,
  cleanliness,
  helperImports,
  importDirection,
  labImports,
  noPackages,
  publishedApiOnly,
  purity,
  type Rule,
} from './tidy/rules.ts'
import { crowdedFolders, glossaryWords, openingComment } from './tidy/words.ts'

const files = repositoryFiles()
const sources = files.filter(({ path }) => /^src\/.*\.ts$/.test(path))

describe('the repository', () => {
  test('is found', () => {
    expect(files.map(({ path }) => path)).toContain('test/tidy.test.ts')
    expect(sources.map(({ path }) => path)).toContain('src/core/algorithm.ts')
  })

  test('every folder of src imports only the folders that its rule allows', () => {
    expect(sources.flatMap(importDirection)).toEqual([])
  })

  test('the lab imports only what runs in a browser', () => {
    expect(files.flatMap(labImports)).toEqual([])
  })

  test('pure folders are pure', () => {
    expect(sources.flatMap(purity)).toEqual([])
  })

  test('every algorithm and detector states its source, assumptions, promises and departures', () => {
    expect(sources.flatMap(algorithmHeader)).toEqual([])
  })

  test('no file contains paths of a machine, addresses of a package registry or reminders', () => {
    expect(files.flatMap(cleanliness)).toEqual([])
  })

  test('no folder has more than twenty source files side by side', () => {
    expect(crowdedFolders(files)).toEqual([])
  })

  test('every source file opens with a comment that states its job', () => {
    expect(files.flatMap(openingComment)).toEqual([])
  })

  test('code and documentation use the words of the glossary', () => {
    expect(files.flatMap(glossaryWords)).toEqual([])
  })

  test('the library imports no package', () => {
    expect(sources.flatMap(noPackages)).toEqual([])
  })

  test('the experiments are written against the published API', () => {
    expect(files.flatMap(publishedApiOnly)).toEqual([])
    const wrong = "import { World } from '../../src/sim/index.ts'\nimport x from 'zod'"
    expect(violations(publishedApiOnly, 'experiments/000/a.ts', wrong)).toHaveLength(2)
  })
})

describe('helperImports', () => {
  test('holds everywhere', () => {
    expect(files.flatMap(helperImports)).toEqual([])
  })

  test.each([
    ['scripts/campaigns/a.ts', '../../test/support/b.ts'],
    ['bench/a.bench.ts', '../test/lab/b.ts'],
    ['src/core/a.test.ts', '../../scripts/support/b.ts'],
    ['src/core/a.test.ts', '../../test/hostile/b.ts'],
  ])('refuses that %s imports %s', (path, specifier) => {
    expect(violations(helperImports, path, `import { x } from '${specifier}'`)).toHaveLength(1)
  })

  test.each([
    ['scripts/campaigns/a.ts', '../support/b.ts'],
    ['src/core/a.test.ts', '../../test/support/b.ts'],
    ['test/hostile/a.test.ts', '../../scripts/support/b.ts'],
  ])('lets %s import %s', (path, specifier) => {
    expect(violations(helperImports, path, `import { x } from '${specifier}'`)).toEqual([])
  })
})

describe('importDirection', () => {
  const imports = (path: string, ...specifiers: string[]) =>
    violations(
      importDirection,
      path,
      specifiers.map((to) => `import { x } from '${to}'`).join('\n'),
    )

  test('allows the folders of its rule and its own folder', () => {
    expect(imports('src/core/a.ts', './b.ts')).toEqual([])
    expect(imports('src/algorithms/a.ts', '../core/index.ts', './b.ts')).toEqual([])
    expect(imports('src/sim/net/a.ts', '../../core/index.ts', '../world.ts')).toEqual([])
    expect(imports('src/cli/a.ts', '../sim/index.ts', '../algorithms/index.ts')).toEqual([])
    expect(imports('src/index.ts', './runtime/join.ts', './algorithms/index.ts')).toEqual([])
  })

  test.each([
    ['src/core/a.ts', '../sim/world.ts', 'src/core must not import src/sim'],
    ['src/core/a.ts', '../index.ts', 'src/core must not import src/index.ts'],
    ['src/algorithms/a.ts', '../detectors/ping.ts', 'src/algorithms must not import src/detectors'],
    [
      'src/detectors/a.ts',
      '../algorithms/bully.ts',
      'src/detectors must not import src/algorithms',
    ],
    ['src/sim/a.ts', '../algorithms/bully.ts', 'src/sim must not import src/algorithms'],
    ['src/sim/a.ts', '../detectors/ping.ts', 'src/sim must not import src/detectors'],
    ['src/runtime/a.ts', '../cli/main.ts', 'src/runtime must not import src/cli'],
    ['src/index.ts', './cli/main.ts', 'src/index.ts must not import src/cli'],
    ['src/cli/a.ts', '../../bench/main.ts', 'leaves src'],
    ['src/core/a.ts', './b.js', 'must name the source file with its extension'],
    ['src/core/a.ts', './b', 'must name the source file with its extension'],
  ])('refuses that %s imports %s', (path, specifier, reason) => {
    const [first, ...others] = imports(path, specifier)
    expect(first).toMatch(`${path}:1 `)
    expect(first).toContain(reason)
    expect(others).toEqual([])
  })

  test('finds every form of import, and gives its line', () => {
    const text = [
      "export * from '../sim/a.ts'",
      "import '../sim/b.ts'",
      "import type { T } from '../sim/c.ts'",
      "type U = import('../sim/d.ts').U",
      'import {',
      '  x,',
      "} from '../sim/e.ts'",
    ].join('\n')
    expect(lines(violations(importDirection, 'src/core/a.ts', text))).toEqual([1, 2, 3, 4, 7])
  })

  test('ignores comments and strings', () => {
    const text = "// import '../sim/a.ts'\nexport const s = \"from '../sim/a.ts'\""
    expect(violations(importDirection, 'src/core/a.ts', text)).toEqual([])
  })

  test('refuses a folder that has no rule', () => {
    expect(violations(importDirection, 'src/utils/a.ts', '')).toHaveLength(1)
  })
})

describe('labImports', () => {
  const imports = (path: string, specifier: string) =>
    violations(labImports, path, `<script>import { x } from '${specifier}'</script>`)

  test('allows the folders that run in a browser, and the lab itself', () => {
    expect(imports('lab/src/simulation/a.ts', '../../../src/sim/index.ts')).toEqual([])
    expect(imports('lab/src/pages/a.svelte', '../simulation/a.ts')).toEqual([])
    expect(imports('lab/src/main.ts', 'svelte')).toEqual([])
  })

  test.each([
    '../../../src/runtime/host.ts',
    '../../../src/cli/main.ts',
    'node:fs',
    '../../vite.config.ts',
  ])('refuses that it imports %s', (specifier) => {
    expect(imports('lab/src/simulation/a.ts', specifier)).toHaveLength(1)
  })
})

describe('purity', () => {
  test.each([
    'Date.now()',
    'let d: Date',
    'Math.random()',
    'performance.now()',
    'process.pid',
    'setTimeout(f, 1)',
    'setInterval(f, 1)',
    'setImmediate(f)',
    'queueMicrotask(f)',
    'async function f() {}',
    'await x',
    'let p: Promise<void>',
    "import { readFileSync } from 'node:fs'",
    'a.localeCompare(b)',
    'new Intl.Collator()',
    'Math.log(x)',
    'Math.log2(x)',
    'Math.exp(x)',
    'Math.expm1(x)',
    'Math.pow(x, y)',
    'Math.sin(x)',
    'Math.atan2(x, y)',
    'Math.sqrt(x)',
    'Math.cbrt(x)',
    'Math.hypot(x, y)',
    "Math['log'](x)",
    'const { log } = Math',
    '`${Date.now()}`',
  ])('refuses %s in a pure folder', (line) => {
    for (const folder of ['core', 'algorithms', 'detectors', 'sim']) {
      expect(lines(violations(purity, `src/${folder}/a.ts`, `\n${line}\n`))).toEqual([2])
    }
  })

  test('allows exact arithmetic, and any word in a comment, in a string or as part of a longer word', () => {
    const text = [
      '/** At this Date we await a Promise. */ // setTimeout',
      "const s = 'process' + `async ${Math.max(1, 2)} Date`",
      'const updated = Math.imul(3, Math.floor(x)) + Math.PI * processMs',
      'const r = /Date[/"\']/.test(s) // and "Date',
    ].join('\n')
    expect(violations(purity, 'src/core/a.ts', text)).toEqual([])
  })

  test('does not apply to tests and to other folders', () => {
    expect(violations(purity, 'src/core/a.test.ts', 'await x')).toEqual([])
    expect(violations(purity, 'src/cli/main.ts', 'await x')).toEqual([])
  })
})

describe('algorithmHeader', () => {
  const header = '/**\n * Source: a\n * Assumes: b\n * Promises: c\n * Departures: none\n */\n'

  test('accepts a full header', () => {
    expect(violations(algorithmHeader, 'src/algorithms/bully.ts', header)).toEqual([])
  })

  test.each(['Source:', 'Assumes:', 'Promises:', 'Departures:'])(
    'reports a header without %s',
    (word) => {
      const found = violations(algorithmHeader, 'src/algorithms/bully.ts', header.replace(word, ''))
      expect(found).toEqual([`src/algorithms/bully.ts:1 the header does not say "${word}"`])
    },
  )

  test('reports a header that is absent or does not come first', () => {
    expect(violations(algorithmHeader, 'src/algorithms/ring.ts', `let x\n${header}`)).toHaveLength(
      1,
    )
    expect(violations(algorithmHeader, 'src/algorithms/as-printed/ring.ts', '')).toHaveLength(1)
  })

  test('does not apply to the registry, helpers, tests and other folders', () => {
    for (const path of [
      'src/algorithms/index.ts',
      'src/algorithms/helpers.ts',
      'src/algorithms/helpers/ring-order.ts',
      'src/algorithms/helpers/order.ts',
      'src/algorithms/bully.test.ts',
      'src/core/schema.ts',
    ]) {
      expect(violations(algorithmHeader, path, 'let x')).toEqual([])
    }
  })
})

describe('cleanliness', () => {
  // Put together here, so that this file itself stays clean.
  const registry = ['registry', 'npmjs', 'org'].join('.')
  const bad = [
    ['', 'work', 'main'].join('/'),
    `see file://${['', 'root', 'x'].join('/')}`,
    `"${['', 'home', 'anna', 'x'].join('/')}"`,
    `https://${registry}/x`,
    `"resolved": "https://mirror.example/x/-/${['x-1.0.0', 'tgz'].join('.')}"`,
    `// ${['TO', 'DO'].join('')} later`,
    ['FIX', 'ME'].join(''),
  ]

  test.each(bad)('refuses %s', (line) => {
    expect(lines(violations(cleanliness, 'docs/a.md', `fine\n${line}\n`))).toEqual([2])
  })

  test.each(['test.only("x", f)', 'describe.skip("x", f)', 'test.skip.each([])("x", f)'])(
    'refuses %s in a test',
    (line) => {
      expect(lines(violations(cleanliness, 'src/core/a.test.ts', line))).toEqual([1])
    },
  )

  test('accepts relative paths, addresses of other sites and the names of methods', () => {
    const text = 'src/work/a ./root/b https://example.org/work/c list.skip(2) registry.find(x)'
    expect(violations(cleanliness, 'docs/a.md', text)).toEqual([])
  })
})

describe('noPackages', () => {
  test('refuses a package in the library, even for types only', () => {
    const text = "import { z } from 'zod'\nimport type { T } from '@scope/t'\nimport fs from 'fs'"
    expect(lines(violations(noPackages, 'src/runtime/a.ts', text))).toEqual([1, 2, 3])
    expect(lines(violations(noPackages, 'src/index.ts', text))).toEqual([1, 2, 3])
  })

  test('lets an engine load its client when it is used, but not when it is imported', () => {
    const lazy = "const pg = await import('pg')"
    expect(violations(noPackages, 'src/engines/postgres.ts', lazy)).toEqual([])
    expect(lines(violations(noPackages, 'src/engines/redis.ts', lazy))).toEqual([1])
    const eager = "import pg from 'pg'"
    expect(lines(violations(noPackages, 'src/engines/postgres.ts', eager))).toEqual([1])
  })

  test('accepts the platform, files of the repository, and packages in the command line and in tests', () => {
    const own = "import { readFile } from 'node:fs/promises'\nimport { x } from './x.ts'"
    expect(violations(noPackages, 'src/runtime/a.ts', own)).toEqual([])
    expect(violations(noPackages, 'src/cli/a.ts', "import pc from 'picocolors'")).toEqual([])
    expect(violations(noPackages, 'src/core/a.test.ts', "import fc from 'fast-check'")).toEqual([])
  })
})

describe('crowdedFolders', () => {
  const folder = (count: number, name = 'src/a') =>
    Array.from({ length: count }, (_, i) => ({ path: `${name}/f${i}.ts`, text: '' }))

  test('allows twenty source files side by side, and counts neither tests nor sub-folders', () => {
    const tests = [{ path: 'src/a/f.test.ts', text: '' }]
    expect(crowdedFolders([...folder(20), ...folder(20, 'src/a/b'), ...tests])).toEqual([])
  })

  test('refuses the twenty-first', () => {
    expect(crowdedFolders(folder(21))).toEqual(['src/a has 21 source files: give it sub-folders'])
  })
})

describe('openingComment', () => {
  test.each([
    ['src/a.ts', '/** Parses traces. */\nimport a'],
    ['src/a.ts', '/**\n * Parses traces: head\n * and steps. Then more\n */'],
    ['scripts/a.js', '#!/usr/bin/env node\n// Runs soak tests.\n'],
    ['lab/src/a.svelte', '<!-- The list of members. -->\n<script>'],
    ['lab/src/a.svelte', '<script lang="ts">\n  /** The list of members. */\n'],
    ['src/a.test.ts', 'import a'],
  ])('accepts %s with %j', (path, text) => {
    expect(violations(openingComment, path, text)).toEqual([])
  })

  test.each([
    ['src/a.ts', 'import a\n/** Parses traces. */'],
    ['src/a.ts', '/** Parses traces */\nimport a'],
    ['lab/src/a.svelte', '<script>'],
  ])('refuses %s with %j', (path, text) => {
    expect(violations(openingComment, path, text)).toHaveLength(1)
  })
})

describe('glossaryWords', () => {
  test.each([
    ['src/a.ts', 'whoever is told', 'whoever: write the actor: the member, the leader, the caller'],
    ['docs/a.md', 'Dead letters are dropped.', 'Dead letters: write obsolete message'],
    ['lab/src/a.svelte', '<p>its heir</p>', 'heir: write successor'],
  ])('refuses in %s the text %j', (path, text, reason) => {
    expect(violations(glossaryWords, path, `fine\n${text}`)).toEqual([`${path}:2 ${reason}`])
  })

  test('accepts longer words, and files that are not text of ours', () => {
    expect(violations(glossaryWords, 'src/a.ts', 'their theirs vowel')).toEqual([])
    expect(violations(glossaryWords, 'docs/report/report.md', 'whoever')).toEqual([])
  })
})

describe('codeOf', () => {
  test.each([
    ["a('it\\'s') // b", "a('     ')     "],
    ['`x ${ {a: `y${b}`}.c } z`', '`  ${ {a: ` ${b}`}.c }  `'],
    ['a / b / c', 'a / b / c'],
    ['x = /["\'`/]/g', 'x = /      /g'],
    ['f(/\\//, 1) / 2', 'f(/  /, 1) / 2'],
    ['/* a\nb */c', '    \n    c'],
    ['"unclosed\nDate', '"unclosed\nDate'],
  ])('of %j keeps only executed code', (text, code) => {
    expect(codeOf(text)).toBe(code)
  })
})

function violations(rule: Rule, path: string, text: string): string[] {
  return rule({ path, text })
}

function lines(found: readonly string[]): number[] {
  return found.map((violation) => Number(/:(\d+) /.exec(violation)?.[1])).toSorted((a, b) => a - b)
}
