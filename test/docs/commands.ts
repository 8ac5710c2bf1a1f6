/** Command lines in documentation: finds them, and compares them with what the programs accept. */
import type { Command } from 'commander'
import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { VERBS } from '../../src/cli/verbs.ts'
import { ROOT } from '../tidy/repository.ts'

const run = promisify(execFile)

/** The command lines in a piece of code: everything from `npm`, `npx bellwether` or `bellwether` to the end of the command. */
export function commandLines(code: string): string[] {
  return code
    .replaceAll('\\\n', ' ')
    .split('\n')
    .map((line) => line.replace(/(?:^| +)# .*$/u, ''))
    .flatMap((line) => line.split(/ && | \| |; /u))
    .map((line) => line.trim().replaceAll(/\s+/gu, ' '))
    .filter((line) => /^(?:npx )?bellwether\b|^npm [a-z]/u.test(line))
}

/** Accepted flags of each verb; sub-commands are verbs such as `engine show`. */
export async function verbs(): Promise<Map<string, Set<string>>> {
  const flags = new Map<string, Set<string>>()
  const add = (command: Command, name: string): void => {
    const own = command.options.flatMap(({ long, short, negate }) => [
      long,
      short,
      negate ? long?.replace('--no-', '--') : undefined,
    ])
    flags.set(name, new Set(['--help', '-h', ...own.filter((flag) => flag !== undefined)]))
    for (const child of command.commands) add(child, `${name} ${child.name()}`)
  }
  await Promise.all(Object.entries(VERBS).map(async ([name, load]) => add(await load(), name)))
  return flags
}

/** What is wrong with a command line that begins with `bellwether`, or undefined. */
export function wrongWithVerb(
  line: string,
  known: ReadonlyMap<string, ReadonlySet<string>>,
): string | undefined {
  const words = line.replace(/^npx /u, '').split(' ').slice(1)
  if (words.length === 0 || /^(?:--help|--version|-V)$/u.test(words[0])) return undefined
  const name = known.has(`${words[0]} ${words[1]}`) ? `${words[0]} ${words[1]}` : words[0]
  const flags = known.get(name)
  if (flags === undefined) return `there is no verb ${name}`
  const end = words.indexOf('--')
  const given = words.slice(0, end < 0 ? undefined : end).map((word) => word.replace(/^\[/u, ''))
  return given
    .filter((word) => /^-{1,2}[a-z]/u.test(word))
    .map((word) => word.replace(/[=\],.].*$/u, ''))
    .filter((flag) => !flags.has(flag))
    .map((flag) => `${name} has no ${flag}`)
    .at(0)
}

const MANIFEST = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as Record<
  'scripts' | 'dependencies' | 'devDependencies' | 'peerDependencies',
  Record<string, string>
> & { name: string }

export const SCRIPTS = MANIFEST.scripts

/** What the documentation may install: the package, what it is tested with, and what that needs beside it. */
export const PACKAGES: ReadonlySet<string> = new Set([
  MANIFEST.name,
  ...Object.keys(MANIFEST.dependencies),
  ...Object.keys(MANIFEST.devDependencies),
  ...Object.keys(MANIFEST.peerDependencies),
  'ioredis',
])

/** The help of a script that package.json runs with tsx, and for `bench` the names of the benchmarks. */
export async function scriptHelp(name: string): Promise<string> {
  const [, ...args] = SCRIPTS[name].split(' && ').at(-1)!.split(' ')
  const outputs = await Promise.all(
    (name === 'bench' ? ['--help', '--list'] : ['--help']).map(async (flag) =>
      run(process.execPath, [...args, flag], { cwd: ROOT }),
    ),
  )
  return outputs.map(({ stdout }) => stdout).join('\n')
}
