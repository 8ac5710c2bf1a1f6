/** `bellwether reproduce` as a user runs it: the built package, real processes. */
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, describe, expect, test } from 'vitest'
import { until } from '../../src/testing/wait.ts'

const bin = fileURLToPath(new URL('../../bin/bellwether.js', import.meta.url))
const folder = mkdtempSync(join(tmpdir(), 'bellwether-reproduce-'))
afterAll(() => rmSync(folder, { recursive: true }))

interface Claim {
  readonly id: string
  readonly source: string
  readonly verdict: string
  readonly figures: Readonly<Record<string, number>>
}

function reproduce(...args: string[]): { code: number | null; out: string; err: string } {
  const { status, stdout, stderr } = spawnSync(process.execPath, [bin, 'reproduce', ...args], {
    encoding: 'utf8',
  })
  return { code: status, out: stdout, err: stderr }
}

describe('reproduce', () => {
  test('lists at least 90 claims, each with its source', () => {
    const claims = JSON.parse(reproduce('--list', '--json').out) as Claim[]
    expect(claims.length).toBeGreaterThanOrEqual(90)
    expect(claims.filter(({ source }) => source === '')).toEqual([])
  })

  test('measures one claim, the same bytes twice, and writes nothing with --json', () => {
    const args = ['--only', '003-launch-two', '--json']
    const first = reproduce(...args)
    expect([first.code, reproduce(...args).out]).toEqual([0, first.out])
    const [claim, ...others] = JSON.parse(first.out) as Claim[]
    expect(others).toEqual([])
    expect(claim).toMatchObject({ id: '003-launch-two', verdict: 'holds' })
    expect(existsSync('bellwether-report')).toBe(false)
  })

  test('writes the report: Markdown with a page for each claim, one HTML page, JSON, samples, each plot as SVG and PNG', () => {
    const out = join(folder, 'report')
    const { code, err } = reproduce('--only', '004-ring-messages', '--out', out)
    expect([code, err]).toEqual([0, expect.stringContaining('report.html')])
    const files = ['claims', 'plots', 'report.html', 'report.json', 'report.md', 'samples.json']
    expect(readdirSync(out).sort()).toEqual(files)
    expect(readdirSync(join(out, 'claims'))).toEqual(['004-ring-messages.md'])
    const { origin } = JSON.parse(readFileSync(join(out, 'report.json'), 'utf8')) as {
      origin: Record<string, unknown>
    }
    expect(origin).toMatchObject({ seed: 1, node: process.version, elections: 0 })
    expect(readdirSync(join(out, 'plots'))).toEqual(['004-ring.png', '004-ring.svg'])
    const page = readFileSync(join(out, 'claims', '004-ring-messages.md'), 'utf8')
    expect(page).toContain('../plots/004-ring.svg')
  })

  test('--compare exits with 0 where all is as before, with 1 on drift, with 2 for another file', () => {
    const out = join(folder, 'compared')
    const only = ['--only', '004-cr-any-number']
    expect(reproduce(...only, '--out', out).code).toBe(0)
    const file = join(out, 'report.json')
    const compare = (path: string) => reproduce(...only, '--json', '--compare', path)
    expect(compare(file)).toMatchObject({ code: 0, err: expect.stringContaining('the same as') })
    const other = join(out, 'other.json')
    const changed = readFileSync(file, 'utf8').replace('{"met":14}', '{"met":13}')
    writeFileSync(other, changed)
    expect(compare(other)).toMatchObject({
      code: 1,
      err: expect.stringContaining('004-cr-any-number: met: 13 → 14'),
    })
    writeFileSync(other, '[]')
    expect(compare(other)).toMatchObject({
      code: 2,
      err: expect.stringContaining('no report.json'),
    })
  })

  test('says what it does not know, and exits with 2', () => {
    expect(reproduce('--only', '999')).toMatchObject({
      code: 2,
      err: 'bellwether: --only 999: there is no such claim; bellwether reproduce --list\n',
    })
    expect(reproduce('--elections', 'many').code).toBe(2)
  })

  test('holds elections on five real processes, and leaves none of them behind', async () => {
    const only = ['--only', '003-processes-fig3', '003-processes-fig4']
    const child = spawn(process.execPath, [bin, 'reproduce', ...only, '--elections', '8', '--json'])
    let out = ''
    child.stdout.on('data', (chunk) => (out += String(chunk)))
    await once(child, 'close')
    const claims = JSON.parse(out) as Claim[]
    expect(claims.map(({ id }) => id)).toEqual(['003-processes-fig3', '003-processes-fig4'])
    const elections = claims.reduce((sum, { figures }) => sum + figures['elections'], 0)
    expect(elections).toBe(8)
    await until(() => membersOf().length === 0)
  })

  test('stops at Ctrl-C, with 130, and leaves no process behind', async () => {
    const args = [
      bin,
      'reproduce',
      '--only',
      '003-processes-fig3',
      '--out',
      join(folder, 'stopped'),
    ]
    const child = spawn(process.execPath, args)
    await until(() => membersOf().length >= 5)
    child.kill('SIGINT')
    const [code] = (await once(child, 'close')) as [number]
    expect([code, existsSync(join(folder, 'stopped'))]).toEqual([130, false])
    await until(() => membersOf().length === 0)
  })
})

/** Processes of this test's elections that run. */
function membersOf(): string[] {
  return readdirSync('/proc').filter((pid) => {
    if (!/^\d+$/u.test(pid)) return false
    try {
      return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('experiments/003/member.js')
    } catch {
      return false
    }
  })
}
