/** `up` in a terminal: a real pseudo-terminal, real keys, real members. */
import { spawn, type ChildProcess } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { isAlive } from '../../scripts/support/linux-processes.ts'
import { program } from '../../scripts/support/test-cluster.ts'
import { until } from '../../src/testing/wait.ts'

let folder = ''
let terminal: ChildProcess | undefined
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'bellwether-terminal-'))
})
afterEach(async () => {
  const pid = terminal?.exitCode === null ? pidOfUp() : undefined
  terminal?.kill('SIGKILL')
  if (pid !== undefined) await until(() => !isAlive(pid))
  rmSync(folder, { recursive: true, force: true })
})

function pidOfUp(): number {
  return Number(readFileSync(join(folder, 'pid'), 'utf8'))
}

interface Terminal {
  readonly press: (key: string) => void
  /** The latest picture, without colours. */
  readonly frame: () => string
  readonly written: () => string
}

/** What the terminal shows of each member is the latest line that begins with its name. */
function open(rows: number, flags = ''): Terminal {
  const up = `echo $$ > pid; stty rows ${rows} cols 100; exec "${process.execPath}" "${program}" up -n 3 ${flags} 2> err`
  terminal = spawn('script', ['-qfec', up, '/dev/null'], {
    cwd: folder,
    env: {
      ...process.env,
      TMPDIR: folder,
      TERM: 'xterm',
      PATH: `${folder}:${process.env['PATH']}`,
    },
  })
  let out = ''
  terminal.stdout!.on('data', (chunk) => (out += String(chunk)))
  return {
    press: (key) => terminal!.stdin!.write(key),
    // oxlint-disable-next-line no-control-regex -- The escape character is what a terminal is told with.
    frame: () => out.slice(out.lastIndexOf('bellwether up')).replaceAll(/\u001b\[[\d;]*\w/gu, ''),
    written: () => out,
  }
}

describe('up in a terminal', () => {
  test('shows the members, and keys pause, resume, cut, heal, kill and start the selected one', async () => {
    const { press, frame } = open(30)
    // The leader is selected, and stays selected when another member leads.
    const [, leader] = await until(
      () => />\s([abc]) +\d+ +running +\1 +\S+ {2}leads/u.exec(frame()),
      frame,
    )
    const member = async (state: string): Promise<unknown> =>
      until(() => new RegExp(`> ${leader} +\\S+ +${state} `, 'u').test(frame()), frame)
    expect(frame()).toContain('safety quorum, with trustRefusals')
    for (const [key, state] of ['p paused', 'r running', 'c cut', 'h running', 'k dead'].map(
      (pair) => pair.split(' '),
    )) {
      press(key)
      await member(state)
    }
    press('s')
    await until(() => new RegExp(`> ${leader} +\\d+ +running +[abc]`, 'u').test(frame()), frame)
    press('q')
    await until(() => terminal!.exitCode !== null)
    expect(terminal!.exitCode).toBe(0)
    expect(readFileSync(join(folder, 'err'), 'utf8')).toBe('')
  })

  test('keys add a member, make it a voter and remove it, and each is seen as the members report it', async () => {
    const { press, frame } = open(30)
    await until(() => /leads/u.test(frame()), frame)
    const row = async (state: string, end: string): Promise<unknown> =>
      until(() => new RegExp(`d +\\S+ +${state} +\\S+ +\\S+${end}\\s*\n`, 'u').test(frame()), frame)
    press('a')
    await row('running', ' {2}observer')
    // Down, from the leader to the new member, which is the last.
    while (!/> d /u.test(frame())) {
      press('\u001b[B')
      await until(() => /> /u.test(frame()), frame)
      await sleep(50)
    }
    press('v')
    await row('running', '')
    press('o')
    await row('dead', ' {2}outside')
    // It is not started again: its exit code says that it was removed.
    await sleep(3000)
    await row('dead', ' {2}outside')
    press('q')
    await until(() => terminal!.exitCode !== null)
    expect(readFileSync(join(folder, 'err'), 'utf8')).toBe('')
  })

  test('says why a group whose algorithm keeps no configuration cannot change', async () => {
    const { press, frame } = open(30, '--algorithm roulette-majority')
    await until(() => /leads/u.test(frame()), frame)
    press('a')
    await until(() => /\sd {2}[abc]: .*roulette-majority/u.test(frame()), frame)
    expect(frame()).not.toMatch(/d +\S+ +(?:running|dead)/u)
    press('q')
    await until(() => terminal!.exitCode !== null)
  })

  test('opens the lab without its token among the arguments of the browser', async () => {
    const opened = join(folder, 'opened')
    const browser = `#!/bin/sh\necho "$1" > ${opened}.new; mv ${opened}.new ${opened}\n`
    writeFileSync(join(folder, 'xdg-open'), browser, { mode: 0o700 })
    const { press } = open(30, '--lab')
    await until(() => existsSync(opened), 'the browser')
    const link = readFileSync(opened, 'utf8').trim()
    expect(link).not.toContain('token')
    expect(statSync(fileURLToPath(link)).mode & 0o777).toBe(0o600)
    const [, token] = /token=([\w-]+)/u.exec(readFileSync(fileURLToPath(link), 'utf8'))!
    expect(readFileSync(join(folder, 'err'), 'utf8')).toContain(token)
    press('q')
    await until(() => terminal!.exitCode !== null)
    expect(existsSync(fileURLToPath(link))).toBe(false)
  })

  test('never writes more lines at once than a low terminal has', async () => {
    const { frame, written } = open(10)
    await until(() => /> [abc] +\d+ +running +[abc]/u.test(frame()), frame)
    await until(() => written().split('bellwether up').length > 10)
    for (const one of written().split('bellwether up').slice(1)) {
      expect(one.split('\n').length).toBeLessThanOrEqual(10)
    }
  })

  test('is closed: members and up end, and nothing is complained of', async () => {
    const { frame } = open(30)
    await until(() => /leads/u.test(frame()), frame)
    const pids = [...frame().matchAll(/[abc] +(\d+) +running/gu)].map(([, pid]) => Number(pid))
    expect(pids).toHaveLength(3)
    const up = pidOfUp()
    terminal!.kill('SIGKILL')
    await until(() => ![up, ...pids].some(isAlive))
    expect(readFileSync(join(folder, 'err'), 'utf8')).toBe('')
  })
})
