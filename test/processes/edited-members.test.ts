/**
 * Restarts with an edited list of members, in which the new members are no majority: no order of them gives two
 * leaders. Real processes.
 */
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, describe, expect, test } from 'vitest'
import { program } from '../../scripts/support/test-cluster.ts'
import type { EventRecord } from '../../src/index.ts'
import { freePorts } from '../../src/testing/local-cluster.ts'
import { until } from '../../src/testing/wait.ts'

const BRISK = ['--detection', '600ms', '--period', '200ms', '--lease', '800ms']

/** Members on this machine that a test starts with any list, and the terms that they hold. */
class EditedGroup implements AsyncDisposable {
  readonly state = mkdtempSync(join(tmpdir(), 'bellwether-edited-'))
  readonly refusals: string[] = []
  readonly overlaps: string[] = []
  private readonly ports = new Map<string, number>()
  private readonly running = new Map<string, ChildProcess>()
  private readonly leading = new Map<string, number>()

  static async of(names: readonly string[]): Promise<EditedGroup> {
    const group = new EditedGroup()
    const ports = await freePorts(names.length)
    names.forEach((name, i) => group.ports.set(name, ports[i]))
    return group
  }

  get leaders(): readonly string[] {
    return [...this.leading.keys()]
  }

  /** Starts a member with this list; `at` gives members the addresses of others. */
  start(id: string, list: readonly string[], at: Readonly<Record<string, string>> = {}): void {
    const members = list.map((name) => `${name}=127.0.0.1:${this.ports.get(at[name] ?? name)}`)
    const words = [program, 'node', '--json', '--id', id, '--members', members.join(',')]
    const child = spawn(process.execPath, [...words, '--state', this.state, ...BRISK], {
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    this.running.set(id, child)
    createInterface({ input: child.stdout }).on('line', (line) => this.read(line))
    let complaint = ''
    child.stderr.on('data', (chunk) => (complaint += String(chunk)))
    child.on('exit', (code) => {
      this.leading.delete(id)
      if (this.running.get(id) === child) this.running.delete(id)
      if (code === 2) this.refusals.push(complaint.trim())
    })
  }

  async stop(id: string): Promise<void> {
    const child = this.running.get(id)
    if (child === undefined) return
    const gone = once(child, 'exit')
    child.kill('SIGKILL')
    await gone
  }

  /** Waits until a member leads, or for as long as an election may take. */
  async settled(): Promise<void> {
    await until(() => (this.leading.size > 0 ? true : undefined), 'a leader', 8000).catch(
      () => undefined,
    )
    await sleep(300)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([...this.running.keys()].map(async (id) => this.stop(id)))
    rmSync(this.state, { recursive: true, force: true })
  }

  private read(line: string): void {
    const { event, node, term } = JSON.parse(line) as EventRecord
    if (event === 'lost') this.leading.delete(node)
    if (event !== 'elected') return
    this.leading.set(node, term)
    if (this.leading.size > 1) this.overlaps.push(JSON.stringify([...this.leading]))
  }
}

const groups: EditedGroup[] = []
afterEach(async () => {
  for (const group of groups.splice(0)) await group[Symbol.asyncDispose]()
})

/** Every order of the members. */
function orders(names: readonly string[]): string[][] {
  if (names.length < 2) return [[...names]]
  return names.flatMap((name) =>
    orders(names.filter((other) => other !== name)).map((rest) => [name, ...rest]),
  )
}

const OLD = ['a', 'b', 'c']
const CHANGES: readonly (readonly [
  name: string,
  from: readonly string[],
  to: readonly string[],
])[] = [
  ['3 → 4', OLD, ['a', 'b', 'c', 'd']],
  ['3 → 5', OLD, ['a', 'b', 'c', 'd', 'e']],
  ['5 → 3', ['a', 'b', 'c', 'd', 'e'], OLD],
  ['replace one', OLD, ['a', 'b', 'd']],
]

/** The orders that the short form tries; `ORDERS=all` tries every one of them. */
function tried(from: readonly string[], to: readonly string[]): string[][] {
  const all = orders([...new Set([...from, ...to])].filter((name) => to.includes(name)))
  if (process.env['ORDERS'] === 'all') return all
  return [all[0], all.at(-1)!]
}

describe.each(CHANGES)('%s by restarts with another list', (_name, from, to) => {
  test.each(tried(from, to).map((order) => [order.join(' '), order] as const))(
    'in the order %s never gives two leaders, and each old member says why it does not start',
    async (_order, order) => {
      const group = await EditedGroup.of([...new Set([...from, ...to])])
      groups.push(group)
      for (const name of from) group.start(name, from)
      await group.settled()
      expect(group.leaders).toHaveLength(1)
      for (const name of order) {
        await group.stop(name)
        group.start(name, to)
        await sleep(400)
      }
      await group.settled()
      expect(group.overlaps).toEqual([])
      const old = order.filter((name) => from.includes(name))
      await until(() => (group.refusals.length >= old.length ? true : undefined))
      for (const refusal of group.refusals) expect(refusal).toContain('could elect a second leader')
    },
  )
})

test('members that swap their addresses keep one leader', async () => {
  const group = await EditedGroup.of(OLD)
  groups.push(group)
  for (const name of OLD) group.start(name, OLD)
  await group.settled()
  const swapped = { b: 'c', c: 'b' }
  for (const name of ['b', 'c', 'a']) {
    await group.stop(name)
    group.start(name, OLD, swapped)
    await sleep(600)
  }
  await group.settled()
  expect(group.overlaps).toEqual([])
  expect(group.leaders).toHaveLength(1)
})
