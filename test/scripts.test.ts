/** The scripts of package.json: their help, and their answer to a wrong command line. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { commandLine, count, oneOf, toggle } from '../scripts/support/command-line.ts'

const root = new URL('../', import.meta.url)
const { scripts } = JSON.parse(readFileSync(new URL('package.json', root), 'utf8')) as {
  readonly scripts: Readonly<Record<string, string>>
}
/** Every script of package.json that runs a TypeScript file of the repository, with the part that does. */
const commands = Object.entries(scripts).flatMap(([name, line]) => {
  const part = line.split(' && ').find((one) => /^node .*--import tsx \S+\.ts$/u.test(one))
  return part === undefined ? [] : [[name, part] as const]
})

interface Ended {
  readonly code: number | null
  readonly out: string
  readonly err: string
}

async function run(line: string, ...args: string[]): Promise<Ended> {
  const [, ...words] = line.split(' ')
  const child = spawn(process.execPath, [...words, ...args], { cwd: fileURLToPath(root) })
  let [out, err] = ['', '']
  child.stdout.setEncoding('utf8').on('data', (text: string) => (out += text))
  child.stderr.setEncoding('utf8').on('data', (text: string) => (err += text))
  const [code] = (await once(child, 'close')) as [number | null]
  return { code, out, err }
}

describe('npm run', () => {
  it('has these scripts', () => {
    expect(commands.map(([name]) => name).toSorted()).toEqual([
      'api',
      'architecture',
      'bench',
      'campaign:check',
      'counterexamples',
      'detectors',
      'docs',
      'endure',
      'errata',
      'fuzz',
      'hostile',
      'man',
      'mutants',
      'options',
      'report',
      'sbom',
      'scale',
      'screenshots:lab',
      'screenshots:live',
      'soak',
      'soak:changes',
      'soak:engines',
      'statechart',
      'zombies',
    ])
  })

  it.each(commands)(
    '%s explains itself, and refuses an unknown flag in one line with exit code 2',
    async (name, line) => {
      const [help, refused] = await Promise.all([run(line, '--help'), run(line, '--nonsense')])
      expect(help).toMatchObject({ code: 0, err: '' })
      expect(help.out.startsWith(`Usage: npm run ${name} -- [`)).toBe(true)
      const { code, out, err } = refused
      expect({ code, out, lines: err.trimEnd().split('\n').length }).toEqual({
        code: 2,
        out: '',
        lines: 1,
      })
      expect(err).toMatch(/^--nonsense: /u)
    },
  )

  it.each([
    ['soak', ['--faults', 'many'], '--faults many: must be <n> (npm run soak -- --help)'],
    ['soak', ['--faults'], '--faults: must be <n> (npm run soak -- --help)'],
    ['errata', ['B99'], 'defect B99: must be '],
    [
      'endure',
      [],
      'which trial: stalls, load, restarts, run, heals, crowds, lists, upgrades, changes? (npm run endure -- --help)',
    ],
    ['scale', ['7'], '7: unexpected argument (npm run scale -- --help)'],
    ['bench', ['fast'], 'fast: must be '],
  ])('%s %j is refused', async (name, args, sentence) => {
    const { code, err } = await run(Object.fromEntries(commands)[name], ...args)
    expect(err.startsWith(sentence)).toBe(true)
    expect([code, err.trimEnd().split('\n').length]).toEqual([2, 1])
  })
})

describe('a command line', () => {
  const about = {
    run: 'npm run x',
    does: '',
    flags: { times: count(3, ''), how: oneOf(['fast', 'well'], 'well', ''), all: toggle('') },
    words: { first: count(1, ''), second: oneOf(['a', 'b'], undefined, '') },
  }

  it('is parsed with its defaults', () => {
    expect(commandLine(about, [])).toEqual({
      flags: { times: 3, how: 'well', all: false },
      words: { first: 1, second: undefined },
      rest: [],
    })
  })

  it('takes flags before, after and between words', () => {
    const args = ['--times=5', '7', '--how', 'fast', 'b', '--all', 'x', 'y']
    expect(commandLine({ ...about, rest: oneOf(['x', 'y'], undefined, '') }, args)).toEqual({
      flags: { times: 5, how: 'fast', all: true },
      words: { first: 7, second: 'b' },
      rest: ['x', 'y'],
    })
  })
})
