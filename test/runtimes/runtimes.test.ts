/** The packed package on each runtime that it supports: join, lead, step down, mutual TLS, and `run`. */
import { execFileSync } from 'node:child_process'
import { copyFileSync, existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { installIn, packInto } from '../support/packed-package.ts'
import { freePorts } from '../../src/testing/local-cluster.ts'

const here = fileURLToPath(new URL('.', import.meta.url))
/** The runtimes, as packages of npm. */
const npm = join(here, 'npm')
const modules = join(npm, 'node_modules')
const runtimes = [
  { name: 'Node 20', program: join(modules, 'node-20/bin/node'), args: [] },
  { name: 'Node 22', program: join(modules, 'node-22/bin/node'), args: [] },
  { name: 'Node 24', program: join(modules, 'node-24/bin/node'), args: [] },
  { name: 'Bun', program: join(modules, '@oven/bun-linux-x64/bin/bun'), args: [] },
  { name: 'Deno', program: join(modules, '@deno/linux-x64-glibc/deno'), args: ['run', '-A'] },
]
const folder = mkdtempSync(join(tmpdir(), 'bellwether-runtimes-'))
let bin: string
beforeAll(() => {
  execFileSync('npm', ['ci', '--no-audit', '--no-fund'], { cwd: npm, stdio: 'pipe' })
  const { archive } = packInto(folder)
  const packages = ['commander', 'picocolors', '@peculiar/x509', 'reflect-metadata']
  bin = join(installIn(folder, archive, packages), 'bin/bellwether.js')
  copyFileSync(join(here, 'smoke.js'), join(folder, 'smoke.js'))
})
afterAll(() => rmSync(folder, { recursive: true }))

describe.each(runtimes)('$name', ({ program, args }) => {
  const run = (...more: string[]): string =>
    execFileSync(program, [...args, ...more], { cwd: folder, encoding: 'utf8', stdio: 'pipe' })

  test('makes certificates', () => {
    run(bin, 'certs', 'a', 'b', 'c', '--group', 'secure', '--replace')
    expect(existsSync(join(folder, 'certs/a.pem'))).toBe(true)
  })

  test('joins, leads and steps down, under the key of this user and under mutual TLS', async () => {
    const ports = await freePorts(6)
    const result = JSON.parse(run('smoke.js', ports.join(','))) as Record<string, unknown>
    const twice = { leaders: [expect.any(String), expect.any(String)], rises: true }
    expect(result).toEqual({ plain: twice, tls: twice })
    for (const name of ['plain', 'secure'])
      rmSync(join(folder, `state-${name}`), { recursive: true })
  })

  test('runs a command while it leads', async () => {
    const [port] = await freePorts(1)
    const member = ['--group', 'run', '--id', 'a', '--members', `a=127.0.0.1:${port}`]
    const out = run(bin, 'run', ...member, '--', 'sh', '-c', 'echo "fence $BELLWETHER_FENCE"')
    expect(out).toMatch(/^fence \d+$/mu)
  })
})
