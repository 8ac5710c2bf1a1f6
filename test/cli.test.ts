/** The command line as a user meets it: real processes, the built package. */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, describe, expect, test } from 'vitest'
import type { Summary } from '../src/sim/index.ts'

const bin = fileURLToPath(new URL('../bin/bellwether.js', import.meta.url))
const folder = mkdtempSync(join(tmpdir(), 'bellwether-cli-'))
afterAll(() => rmSync(folder, { recursive: true }))

function bellwether(...args: string[]): { code: number | null; out: string; err: string } {
  const { status, stdout, stderr } = spawnSync(process.execPath, [bin, ...args], {
    encoding: 'utf8',
    env: { ...process.env, NO_COLOR: '1' },
  })
  return { code: status, out: stdout, err: stderr }
}

const CRASH = [
  'simulate',
  '--algorithm',
  'bully',
  '--nodes',
  '5',
  '--seed',
  '1',
  '--crash',
  '5@100ms',
]

describe('simulate', () => {
  test('elects 4 when 5 of 5 crashes, agreed, without violations, in the same bytes twice', () => {
    const first = bellwether(...CRASH, '--json')
    const second = bellwether(...CRASH, '--json')
    expect(first.code).toBe(0)
    expect(first.out).toBe(second.out)
    const summary = JSON.parse(first.out) as Summary
    expect(summary).toMatchObject({
      algorithm: 'bully',
      nodes: 5,
      seed: 1,
      leader: 4,
      agreed: true,
      violations: [],
    })
    expect(summary.members).toHaveLength(5)
    expect(summary.members[4]).toMatchObject({ id: 5, up: false, leader: null })
    const { messages } = summary
    const apart = messages.detector + messages.heartbeat + messages.repair
    expect(messages.total).toBe(messages.election + apart)
  })

  test('hands over to whom a leader names when it resigns', () => {
    const algorithm = ['--algorithm', 'bully-fd-quorum', '--nodes', '5']
    const { code, out } = bellwether('simulate', ...algorithm, '--resign', '5>3@200ms', '--json')
    expect([code, JSON.parse(out)]).toMatchObject([0, { leader: 3, agreed: true, violations: [] }])
  })

  test('writes a trace that replays to the same bytes', () => {
    const file = join(folder, 'trace.txt')
    const again = join(folder, 'again.txt')
    expect(bellwether(...CRASH, '--trace', file, '--json').code).toBe(0)
    expect(bellwether('simulate', '--replay', file, '--trace', again).code).toBe(0)
    expect(readFileSync(again, 'utf8')).toBe(readFileSync(file, 'utf8'))
  })

  test('a changed trace is reported with its line', () => {
    const file = join(folder, 'tampered.txt')
    bellwether(...CRASH, '--trace', file, '--json')
    writeFileSync(file, readFileSync(file, 'utf8').replace('leader -→4', 'leader -→3'))
    const { code, err } = bellwether('simulate', '--replay', file)
    expect(code).toBe(1)
    expect(err).toMatch(/tampered\.txt:\d+: the trace says ".*leader -→3", the run ".*leader -→4"/u)
  })

  test('calls the strongest 1 where the document does', () => {
    const bully = ['simulate', '--algorithm', 'bully', '--json']
    const { out } = bellwether(...bully, '--strongest', 'lowest', '--crash', '1@100ms')
    expect(JSON.parse(out)).toMatchObject({ leader: 2, agreed: true })
  })

  test('adds, promotes and removes a member and changes the timing, and the group keeps its leader', () => {
    const group = ['--algorithm', 'bully-fd-quorum', '--nodes', '4', '--voters', '1,2,3']
    const grow = ['--add', '4@500ms', '--promote', '4@1s', '--remove', '1@2s']
    const changes = [...group, ...grow, '--reconfigure', '+200ms@3s', '--until', '5s']
    const trace = bellwether('simulate', ...changes, '--trace', '-').out
    const written = [...trace.matchAll(/^\S+ change 3 (\d) (\w+)$/gmu)].map((found) =>
      found.slice(1),
    )
    expect(written).toEqual(
      expect.arrayContaining([
        ['4', 'voter'],
        ['1', 'outside'],
      ]),
    )
    const summary = bellwether('simulate', ...changes)
    expect(summary.code).toBe(0)
    expect(summary.out).toMatch(/^Member 3 leads in term 1·3: agreed by all/u)
    expect(summary.out).toMatch(/^ +1 +up +Out +nobody/mu)
    expect(summary.out).toMatch(/^ +4 +up +Norm +3/mu)
    const { code: refused, err } = bellwether('simulate', '--algorithm', 'bully', '--add', '4@1s')
    expect(refused).toBe(2)
    expect(err).toContain('--add 4@1s: the members of a group of bully cannot change')
  })

  test('exits with 1 when a promise is broken', () => {
    const lossy = [
      '--algorithm',
      'bully-as-printed',
      '--loss',
      '0.4',
      '--nodes',
      '4',
      '--seed',
      '3',
    ]
    expect(bellwether('simulate', ...lossy, '--crash', '4@50ms', '--json').code).toBe(1)
  })

  test('its reader closes the pipe, as head does: no error', () => {
    const words = [process.execPath, bin, 'simulate', '--help']
    const { stderr, status } = spawnSync('sh', ['-c', '"$@" | true', 'sh', ...words], {
      encoding: 'utf8',
    })
    expect([stderr, status]).toEqual(['', 0])
  })

  test('prints help', () => {
    const { code, out } = bellwether('simulate', '--help')
    expect(code).toBe(0)
    for (const option of ['--algorithm', '--crash', '--latency', '--json', '--replay', '--svg']) {
      expect(out).toContain(option)
    }
  })
})

describe('bad input', () => {
  const file = join(folder, 'other.txt')
  writeFileSync(file, 'bellwether trace 99\n----\n')
  const bully = ['simulate', '--algorithm', 'bully']
  test.each([
    [
      ['simulate', '--algorithm', 'bullie'],
      ['--algorithm', 'bullie', 'bully'],
    ],
    [
      [...bully, '--nodes', '-3'],
      ['--nodes', '-3', '1 to'],
    ],
    [
      [...bully, '--nodes', '1e9'],
      ['--nodes', '1e9', 'whole number'],
    ],
    [
      [...bully, '--seed', 'x'],
      ['--seed', 'x', 'whole number'],
    ],
    [
      [...bully, '--crash', '9@100ms'],
      ['--crash', '9@100ms', 'members are 1 to 5'],
    ],
    [
      [...bully, '--crash', 'five'],
      ['--crash', 'five', 'MEMBER@TIME'],
    ],
    [
      [...bully, '--crash', '5@100'],
      ['--crash', '5@100', 'MEMBER@TIME'],
    ],
    [
      [...bully, '--cut', '1|9@1s'],
      ['--cut', '1|9@1s', 'no member 9'],
    ],
    [
      [...bully, '--resign', '5@1s'],
      ['--resign', '5@1s', 'a leader cannot resign: bully does not support resigning'],
    ],
    [
      [...bully, '--heal', '2s'],
      ['--heal', '2s', '@TIME'],
    ],
    [
      [...bully, '--latency', '3'],
      ['--latency', '3', '1ms..5ms'],
    ],
    [
      [...bully, '--loss', '2'],
      ['--loss', '2', 'probability'],
    ],
    [
      [...bully, '--period', '1ms'],
      ['--period', '1ms', 'longer period'],
    ],
    [
      [...bully, '--known-down', '3'],
      ['--known-down', '3', '--down'],
    ],
    [
      [...bully, '--down', '3', '--initiator', '3'],
      ['--initiator', '3', 'down from the beginning'],
    ],
    [
      [...bully, '--ring', '1,2,3,4,5'],
      ['--ring', 'ring'],
    ],
    [
      [...bully, '--detector', 'oracle'],
      ['--detector', 'oracle', 'perfect'],
    ],
    [
      [...bully, '--option', 'form=1'],
      ['--option', 'form=1', 'no option'],
    ],
    [
      ['simulate', '--replay', join(folder, 'nowhere.txt')],
      ['nowhere.txt', 'no such file'],
    ],
    [
      ['simulate', '--replay', file],
      ['trace 99', 'trace 1'],
    ],
    [['simulate', '--replay', file, '--seed', '3'], ['--seed']],
    [['simulate'], ['--algorithm']],
    [['simulate', '--no-such-option'], ['--no-such-option']],
    [['elect'], ['elect']],
  ])('%j: exit 2 and one sentence', (args, words) => {
    const { code, out, err } = bellwether(...args)
    expect(code).toBe(2)
    expect(out).toBe('')
    for (const word of words) expect(err).toContain(word)
    expect(err).not.toMatch(/\n\s+at /u)
    expect(err.trim().split('\n').length).toBeLessThanOrEqual(2)
  })
})
