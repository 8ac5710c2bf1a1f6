/** docs/guide/start.md as a newcomer follows it: the packed package in an empty folder, every block as printed, in one shell. */
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { installIn, packInto } from '../support/packed-package.ts'
import { freePorts } from '../../src/testing/local-cluster.ts'
import { until } from '../../src/testing/wait.ts'

const page = readFileSync(new URL('../../docs/guide/start.md', import.meta.url), 'utf8')
const folder = mkdtempSync(join(tmpdir(), 'bellwether-start-'))
let shell: ChildProcess
afterAll(() => {
  try {
    process.kill(-shell.pid!, 'SIGKILL') // whatever a failure has left running
  } catch {
    // nothing
  }
  rmSync(folder, { recursive: true, force: true })
})

/** Ports that are free, instead of the printed ones. */
const printed = [...new Set(page.match(/\b74\d\d\b/gu))]
const ports = await freePorts(printed.length)
const text = page.replaceAll(/\b74\d\d\b/gu, (port) => String(ports[printed.indexOf(port)]))

const sections = text.split(/^## /mu).slice(1)
const blocksOf = (section: string) =>
  [...section.matchAll(/^```(\w+)\n([\s\S]*?)^```$/gmu)].map(([, kind, code], i, all) => ({
    kind,
    code,
    // The last name of a file before the block.
    file: [...section.slice(0, all[i].index).matchAll(/`([\w.]+\.mjs)`/gu)].at(-1)?.[1],
  }))

/** The printed line, with any number and any member. Which member leads depends on the moments at which they start. */
function pattern(line: string): RegExp {
  const source = line
    .replaceAll(/[.*+?^${}()|[\]\\]/gu, String.raw`\$&`)
    .replaceAll(/\d+/gu, String.raw`\d+`)
    .replaceAll(/\b[abc]\b/gu, '[abc]')
    .replaceAll(/ +/gu, ' +')
  return new RegExp(source.replace('# pass', '(?:#|ℹ) pass'), 'u')
}

test('every block of the page works as printed', { timeout: 300_000 }, async () => {
  const { archive } = packInto(folder)
  const packages = ['commander', 'picocolors', 'croner']
  const bash = spawn('bash', [], { cwd: folder, detached: true })
  shell = bash
  let out = ''
  for (const stream of [bash.stdout, bash.stderr])
    stream.setEncoding('utf8').on('data', (chunk: string) => (out += chunk))
  let [ran, compared] = [0, 0]
  for (const section of sections) {
    let from = out.length
    for (const { kind, code, file } of blocksOf(section)) {
      if (kind === 'js') writeFileSync(join(folder, file!), code)
      if (kind === 'sh') {
        from = out.length
        ran += 1
        // An installation from the registry, of what is packed here.
        if (code.includes('npm install bellwether')) installIn(folder, archive, packages)
        const lines = code.replaceAll(/^npm (?:init|install) .*$/gmu, ':')
        bash.stdin.write(`${lines}echo "block ${ran}:" $?\n`)
        await until(() => out.includes(`block ${ran}:`), `the end of\n${code}${out}`, 60_000)
        if (!out.includes(`block ${ran}: 0`)) throw new Error(`this block failed:\n${code}${out}`)
      }
      if (kind !== 'text') continue
      for (const line of code.trim().split('\n')) {
        compared += 1
        const wanted = pattern(line)
        await until(() => wanted.test(out.slice(from)), `"${line}" in\n${out}`, 30_000)
      }
    }
  }
  bash.stdin.end()
  await once(bash, 'exit')
  expect(sections).toHaveLength(10)
  expect([ran, compared]).toEqual([17, 18])
})
