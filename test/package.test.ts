/** The package as it is published: what it carries and loads, its links, its types in every kind of project. */
import { execFileSync, spawnSync } from 'node:child_process'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join, posix } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { installIn, packInto, type Packed } from './support/packed-package.ts'

const root = fileURLToPath(new URL('../', import.meta.url))
const folder = mkdtempSync(join(tmpdir(), 'bellwether-package-'))
let packed: Packed
let installed: string
beforeAll(() => {
  packed = packInto(folder)
  installed = installIn(folder, packed.archive, ['commander', 'picocolors', '@types/node'])
})
afterAll(() => rmSync(folder, { recursive: true }))

/** The limits of docs/decisions/0019-what-the-package-carries.md. */
const MOST = { bytes: 1_700_000, unpackedBytes: 5_800_000, files: 1070 }

function node(...args: string[]) {
  const options = { cwd: folder, encoding: 'utf8' } as const
  const { status, stdout, stderr } = spawnSync(process.execPath, args, options)
  return { code: status, out: stdout, err: stderr }
}

describe('the published package', () => {
  test('has what runs, its types and its documentation, and neither sources, maps nor experiments', () => {
    const kinds = new Set(packed.files.map((path) => path.split('/')[0]))
    const folders = ['api', 'bin', 'dist', 'docs', 'examples']
    const pages = ['ARCHITECTURE.md', 'CHANGELOG.md', 'CONTRIBUTING.md', 'README.md', 'SECURITY.md']
    expect(kinds).toEqual(new Set([...folders, ...pages, 'LICENSE', 'package.json']))
    const wrong = /\.map$|\.test\.|\.tsbuildinfo$|^dist\/experiments\//u
    expect(packed.files.filter((path) => wrong.test(path))).toEqual([])
    expect(packed.bytes).toBeLessThan(MOST.bytes)
    expect(packed.unpackedBytes).toBeLessThan(MOST.unpackedBytes)
    expect(packed.files.length).toBeLessThan(MOST.files)
  })

  test('says where it comes from, and has every file that its entry points name', () => {
    const manifest = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8')) as {
      readonly repository: { readonly url: string }
      readonly homepage: string
      readonly bugs: { readonly url: string }
      readonly exports: Readonly<Record<string, Readonly<Record<string, string>> | string>>
    }
    const { repository, homepage, bugs } = manifest
    for (const url of [repository.url, homepage, bugs.url])
      expect(url).toMatch(/^(?:git\+)?https:/u)
    const named = Object.values(manifest.exports).flatMap((entry) =>
      typeof entry === 'string' ? [entry] : [entry['types'], entry['default']],
    )
    expect(named.length).toBeGreaterThan(20)
    expect(named.filter((path) => !existsSync(join(installed, path)))).toEqual([])
  })

  test('links only to pages that it has', () => {
    const pages = packed.files.filter((path) => path.endsWith('.md'))
    const links = pages.flatMap((page) => {
      const text = readFileSync(join(installed, page), 'utf8').replaceAll(/```[\s\S]*?```/gu, '')
      const targets = text.matchAll(/(?<!!)\[[^\]]*\]\(([^)\s#]+)[^)]*\)/gu)
      return [...targets].map(([, to]) => ({ page, to }))
    })
    // Pictures, and the pages of the report, which the repository has.
    const others = /^[a-z]+:|\.(?:svg|webp|png|mmd)$|^claims\//u
    const toPages = links.filter(({ to }) => !others.test(to))
    expect(toPages.length).toBeGreaterThan(60)
    const missing = toPages.filter(
      ({ page, to }) => !existsSync(join(installed, posix.join(dirname(page), to))),
    )
    expect(missing).toEqual([])
  })

  test('a service loads neither simulator, checker, command line nor lab', () => {
    const coverage = join(folder, 'coverage')
    const args = ['--input-type=module', '-e', "await import('bellwether')"]
    const env = { ...process.env, NODE_V8_COVERAGE: coverage }
    execFileSync(process.execPath, args, { cwd: folder, env })
    const [report] = readdirSync(coverage)
    const { result } = JSON.parse(readFileSync(join(coverage, report), 'utf8')) as {
      readonly result: readonly { readonly url: string }[]
    }
    const loaded = result.flatMap(({ url }) => /\/bellwether\/dist\/([\w.]+)/u.exec(url)?.[1] ?? [])
    expect(loaded).toContain('runtime')
    const unwanted = ['sim', 'check', 'cli', 'lab', 'diagram', 'live', 'testing']
    expect(unwanted.filter((part) => loaded.includes(part))).toEqual([])
  })

  test('is loaded by CommonJS', () => {
    const { out } = node('-e', "console.log(typeof require('bellwether').join)")
    expect(out.trim()).toBe('function')
  })

  test('has a command that runs, and says where the experiments are', () => {
    const bin = join(installed, 'bin/bellwether.js')
    expect(node(bin, 'simulate', '--algorithm', 'bully', '--nodes', '3')).toMatchObject({ code: 0 })
    const { code, err } = node(bin, 'reproduce')
    expect([code, err]).toEqual([2, expect.stringContaining('in the repository of bellwether')])
  })

  test('has types that resolve as its code does (attw)', () => {
    const attw = join(root, 'node_modules/.bin/attw')
    const args = [packed.archive, '--profile', 'esm-only', '--no-summary']
    const { status, stdout } = spawnSync(attw, args, { encoding: 'utf8' })
    expect([status, stdout]).toEqual([0, expect.stringContaining('"bellwether/fence"')])
  })
})

const USES = `
import { join, fenced, type Election, type FencedTerm } from 'bellwether'
import { memory } from 'bellwether/engines'
import { fakeTerm } from 'bellwether/testing'
export async function use(): Promise<void> {
  const election: Election<'quorum'> = await join({ group: 'g', id: 'a', members: { a: 'a:1' } })
  await election.lead((term: FencedTerm) => { term.assert() })
  const safety = fenced(memory())
  const other = await join({ group: 'g', id: 'a', members: { a: 'a:1' }, safety, metadata: { port: 1 } })
  const { view } = other
  const port: number | undefined = view.kind === 'leader' ? view.metadata?.port : undefined
  fakeTerm().end('expired'); void port
  // @ts-expect-error there is no such option
  await join({ group: 'g', id: 'a', members: { a: 'a:1' }, safe: 'quorum' })
}
`

/** Compiling for all kinds takes minutes: `npm run types` does. */
const isWhole = process.env['MATRIX'] === 'whole'

describe('a project', () => {
  const attw = createRequire(join(root, 'node_modules/@arethetypeswrong/cli/package.json'))
  const compilers = {
    'TypeScript 5': createRequire(attw.resolve('@arethetypeswrong/core')).resolve(
      'typescript/bin/tsc',
    ),
    'TypeScript 6': join(root, 'node_modules/typescript/bin/tsc6'),
    'TypeScript 7': join(root, 'node_modules/@typescript/native/bin/tsc'),
  }
  const modules = [
    { module: 'nodenext', moduleResolution: 'nodenext' },
    { module: 'node16', moduleResolution: 'node16' },
    { module: 'esnext', moduleResolution: 'bundler' },
    { module: 'preserve', moduleResolution: 'bundler' },
  ]
  const every = Object.entries(compilers).flatMap(([name, compiler]) =>
    modules.flatMap((module) =>
      [true, false].flatMap((strict) =>
        ['es2022', 'esnext'].map((target) => ({ name, compiler, ...module, strict, target })),
      ),
    ),
  )
  const kinds = every.filter(
    ({ name, module, strict, target }) =>
      isWhole ||
      (target === 'es2022' && (name === 'TypeScript 7' || (module === 'nodenext' && strict))),
  )

  test('is of one of 48 kinds', () => {
    expect(every).toHaveLength(48)
  })

  test.each(kinds)(
    'of $name with module $module, strict $strict and target $target compiles, and checks the types of the package',
    ({ name, compiler, strict, target, ...module }) => {
      const project = join(folder, `${name} ${module.module} ${strict} ${target}`)
      mkdirSync(project)
      const compilerOptions = {
        ...module,
        strict,
        target,
        lib: [target, 'esnext.disposable'],
        types: ['node'],
        noEmit: true,
        skipLibCheck: false,
        exactOptionalPropertyTypes: strict,
      }
      const config = JSON.stringify({ compilerOptions, include: ['use.ts'] })
      writeFileSync(join(project, 'package.json'), '{ "type": "module" }')
      writeFileSync(join(project, 'use.ts'), USES)
      writeFileSync(join(project, 'tsconfig.json'), config)
      const { code, out, err } = node(compiler, '-p', project)
      expect([code, out, err]).toEqual([0, '', ''])
    },
  )
})
