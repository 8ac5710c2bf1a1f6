/** Every link, path and command in the documentation exists. */
import { existsSync } from 'node:fs'
import { join, posix } from 'node:path'
import { describe, expect, test } from 'vitest'
import { repositoryFiles, ROOT } from '../tidy/repository.ts'
import { PACKAGES, SCRIPTS, commandLines, scriptHelp, verbs, wrongWithVerb } from './commands.ts'
import { anchorsOf, blocksOf, linksOf, pages, spansOf } from './markdown.ts'

const all = pages()
const files = repositoryFiles()
const FOLDERS = 'src|lab|docs|test|scripts|experiments|bench|examples|bin|\\.ci'

/** `src/sim`, `docs/guide/faults.md`, `test/scenarios/*.txt`; not `experiments/…/README.md`. */
const PATH = new RegExp(String.raw`^(?:${FOLDERS})/[\w./*-]+$`, 'u')

function exists(path: string): boolean {
  if (!path.includes('*')) return existsSync(join(ROOT, path))
  const pattern = path
    .replaceAll('.', String.raw`\.`)
    .replaceAll(/\*+/gu, (stars) => (stars === '**' ? '.*' : '[^/]*'))
  return files.some((file) => new RegExp(`^${pattern}$`, 'u').test(file.path))
}

describe('the documentation', () => {
  test('is found', () => {
    expect(all.map(({ path }) => path)).toContain('docs/guide/promises.md')
    expect(all.flatMap(linksOf).length).toBeGreaterThan(40)
  })

  test('links only to files and headings that are there', () => {
    const broken = all.flatMap((page) =>
      linksOf(page)
        .filter(({ text }) => !/^[a-z]+:/u.test(text))
        .filter(({ text }) => {
          const [target, anchor] = text.split('#')
          const path = target === '' ? page.path : posix.join(posix.dirname(page.path), target)
          if (!exists(path)) return true
          if (anchor === undefined) return false
          const linked = all.find((other) => other.path === path)
          return linked === undefined || !anchorsOf(linked).has(anchor)
        })
        .map(({ where, text }) => `${where} ${text}`),
    )
    expect(broken).toEqual([])
  })

  test('names only files and folders that are there', () => {
    const named = all.flatMap(spansOf).filter(({ text }) => PATH.test(text))
    expect(named.length).toBeGreaterThan(60)
    expect(named.filter(({ text }) => !exists(text))).toEqual([])
  })

  test('names without a folder only files that are there', () => {
    const names = new Set(files.map(({ path }) => posix.basename(path)))
    const named = all.flatMap(spansOf).filter(({ text }) => /^[\w-]+\.(?:ts|svelte)$/u.test(text))
    expect(named.filter(({ text }) => !names.has(text))).toEqual([])
  })

  test('is named correctly in comments and texts of the code', () => {
    const named = files
      .filter(
        ({ path }) => /\.(?:ts|js|svelte|md)$/u.test(path) && path !== 'docs/report/report.md',
      )
      .flatMap(({ path, text }) =>
        [...text.matchAll(/(?<![\w./-])docs\/[\w/-]+(?:\.\w+)?/gu)].map(([to]) => ({ path, to })),
      )
      .filter(({ to }) => !/^docs\/a\b/u.test(to))
    expect(named.length).toBeGreaterThan(20)
    const numbered = (to: string): boolean => files.some(({ path }) => path.startsWith(`${to}-`))
    expect(named.filter(({ to }) => !exists(to) && !numbered(to))).toEqual([])
  })
})

describe('command lines in the documentation', async () => {
  const known = await verbs()
  const code = all.flatMap((page) => [
    ...spansOf(page),
    ...blocksOf(page).filter(({ language }) => language === 'sh'),
  ])
  const lines = code.flatMap(({ where, text }) =>
    commandLines(text).map((line) => ({ where, line })),
  )

  test('of bellwether have known verbs and flags', () => {
    const ours = lines.filter(({ line }) => !line.startsWith('npm '))
    expect(ours.length).toBeGreaterThan(30)
    const wrong = ours.map(({ where, line }) => ({ where, line, why: wrongWithVerb(line, known) }))
    expect(wrong.filter(({ why }) => why !== undefined)).toEqual([])
  })

  test('of npm name scripts of package.json', () => {
    const npm = lines.filter(({ line }) => line.startsWith('npm '))
    expect(npm.length).toBeGreaterThan(20)
    const unknown = npm.filter(({ line }) => {
      const [, , name] = /^npm (run |ci$)?([\w:-]+)?/u.exec(line) ?? []
      const installed = /^npm install ([\w@/ -]+)$/u.exec(line)?.[1].split(' ')
      if (installed !== undefined) return !installed.every((one) => PACKAGES.has(one))
      return (
        !/^npm (?:ci$|init -y$|audit\b|pack$|publish$)/u.test(line) && !((name ?? '') in SCRIPTS)
      )
    })
    expect(unknown).toEqual([])
  })

  test('that pass arguments to a script pass what its help shows', async () => {
    const passed = lines.flatMap(({ where, line }) => {
      const found = /^npm run ([\w:-]+) -- (.+)$/u.exec(line)
      return found === null ? [] : [{ where, name: found[1], args: found[2].split(' ') }]
    })
    expect(passed.length).toBeGreaterThan(5)
    const names = [...new Set(passed.map(({ name }) => name))]
    const helps = new Map(
      await Promise.all(names.map(async (name) => [name, await scriptHelp(name)] as const)),
    )
    const unknown = passed.flatMap(({ where, name, args }) =>
      args
        .filter((word) => /^(?:--)?[a-z]/u.test(word) && !args.includes(`--${word}`))
        .filter((word) => !(helps.get(name) ?? '').includes(word))
        .map((word) => `${where} npm run ${name} -- ${word}`),
    )
    expect(unknown).toEqual([])
  })

  test('a flag on its own belongs to some verb or script', () => {
    const flags = code.flatMap(({ where, text }) => {
      const found = /^(--[a-z][\w-]*)(?:[ =].*)?$/u.exec(text)
      return found === null ? [] : [{ where, flag: found[1] }]
    })
    expect(flags.length).toBeGreaterThan(30)
    const ours = new Set([...known.values()].flatMap((names) => [...names]))
    const unknown = flags.filter(({ flag }) => !ours.has(flag))
    expect(unknown).toEqual([])
  })
})

describe('wrongWithVerb', () => {
  const known = new Map([
    ['run', new Set(['--id'])],
    ['engine reseed', new Set(['--above'])],
  ])

  test.each([
    ['bellwether run --id a -- ./job --now', undefined],
    ['npx bellwether engine reseed --above 7', undefined],
    ['bellwether --help', undefined],
    ['bellwether walk', 'there is no verb walk'],
    ['bellwether run --idd a', 'run has no --idd'],
    ['bellwether run [--to b]', 'run has no --to'],
  ])('of %s is %s', (line, why) => {
    expect(wrongWithVerb(line, known)).toBe(why)
  })
})

describe('anchorsOf', () => {
  test('follows GitHub: lower case, no punctuation, hyphens, numbers for repeated headings', () => {
    const text = '# What `quorum` (the default) is\n\n## A\n\n## A\n\n```sh\n# no heading\n```\n'
    expect([...anchorsOf({ path: 'a.md', text })]).toEqual([
      'what-quorum-the-default-is',
      'a',
      'a-1',
    ])
  })
})
