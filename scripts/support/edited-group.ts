/** Runs members on this machine that start with any list of members, lose their state, or are paused; records when each term passed `term.assert()`. */
import { spawn, type ChildProcess } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { copyFileSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { freePorts } from '../../src/testing/local-cluster.ts'
import { until } from '../../src/testing/wait.ts'
import type { Noted } from '../campaigns/soak-check.ts'

const member = fileURLToPath(new URL('../campaigns/soak-member.js', import.meta.url))
const BRISK = ['--detection', '600ms', '--lease', '800ms']

/** The first and the last moment at which `term.assert()` passed in a term. */
interface Span {
  readonly node: string
  readonly term: number
  readonly fromNs: bigint
  untilNs: bigint
}

export class EditedGroup implements AsyncDisposable {
  readonly state = mkdtempSync(join(tmpdir(), 'bellwether-edited-'))
  readonly refusals: string[] = []
  private readonly key = randomBytes(32).toString('hex')
  private readonly spans = new Map<string, Span>()
  private readonly ports = new Map<string, number>()
  private readonly running = new Map<string, ChildProcess>()
  private readonly leading = new Map<string, number>()
  /** Members whose present process leads or follows a leader. */
  private readonly active = new Set<string>()

  static async of(names: readonly string[]): Promise<EditedGroup> {
    const group = new EditedGroup()
    const ports = await freePorts(names.length)
    names.forEach((name, i) => group.ports.set(name, ports[i]))
    return group
  }

  get leaders(): readonly string[] {
    return [...this.leading.keys()]
  }

  get term(): number | undefined {
    return [...this.leading.values()].at(-1)
  }

  /** Starts a member with this list; `at` gives members the addresses of others. */
  start(id: string, list: readonly string[], at: Readonly<Record<string, string>> = {}): void {
    const members = list.map((name) => `${name}=127.0.0.1:${this.ports.get(at[name] ?? name)}`)
    const words = [member, 'node', '--id', id, '--members', members.join(',')]
    const child = spawn(process.execPath, [...words, '--state', this.state, ...BRISK], {
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
      env: { ...process.env, SOAK_KEY: this.key },
    })
    this.running.set(id, child)
    this.active.delete(id)
    createInterface({ input: child.stdout! }).on('line', (line) => this.read(line))
    let complaint = ''
    child.stderr!.on('data', (chunk) => (complaint += String(chunk)))
    child.on('exit', () => {
      this.leading.delete(id)
      if (this.running.get(id) === child) this.running.delete(id)
      if (complaint.includes('StoreError')) this.refusals.push(complaint.trim())
    })
  }

  async kill(id: string): Promise<void> {
    const child = this.running.get(id)
    if (child === undefined) return
    const gone = once(child, 'exit')
    child.kill('SIGKILL')
    await gone
  }

  /** The member, which does not run, loses its state. */
  forget(id: string): void {
    for (const file of readdirSync(this.state)) {
      if (file.includes(`.${id}.`)) rmSync(join(this.state, file), { force: true })
    }
  }

  /** Copies the state of the member, which does not run. The result restores the copy. */
  copyState(id: string): () => void {
    const name = readdirSync(this.state).find((file) => file.endsWith(`.${id}.state`))!
    const [file, copy] = [join(this.state, name), join(this.state, 'a copy')]
    copyFileSync(file, copy)
    return () => copyFileSync(copy, file)
  }

  async restart(id: string, list: readonly string[], times: number): Promise<void> {
    for (let i = 0; i < times; i++) {
      await this.kill(id)
      this.start(id, list)
      await sleep(1000)
    }
  }

  /** Waits until the present process of the member leads or follows a leader: its peers know this incarnation. */
  async accepted(id: string): Promise<void> {
    await until(() => this.active.has(id), `${id} to be accepted`, 20_000)
  }

  pause(id: string): void {
    this.running.get(id)?.kill('SIGSTOP')
  }

  resume(id: string): void {
    this.running.get(id)?.kill('SIGCONT')
  }

  /** Waits until a member leads, or for as long as an election may take. */
  async settled(ms = 8000): Promise<void> {
    await until(() => (this.leading.size > 0 ? true : undefined), 'a leader', ms).catch(
      () => undefined,
    )
    await sleep(300)
  }

  /** How many terms were valid. */
  get terms(): number {
    return this.spans.size
  }

  /** Terms that were valid at once, and terms that fell, by the answers of `term.assert()` alone. */
  get violations(): string[] {
    const spans = [...this.spans.values()].toSorted((a, b) => (a.fromNs < b.fromNs ? -1 : 1))
    return spans.flatMap((a, i) =>
      spans.slice(i + 1).flatMap((b) => {
        const names = `${a.node} in ${a.term} and ${b.node} in ${b.term}`
        if (b.fromNs <= a.untilNs) return [`${names} were valid at once`]
        return b.term <= a.term ? [`${names}: the later term is not larger`] : []
      }),
    )
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const id of this.running.keys()) this.resume(id)
    await Promise.all([...this.running.keys()].map(async (id) => this.kill(id)))
    rmSync(this.state, { recursive: true, force: true })
  }

  private read(line: string): void {
    const { event, node, pid, term, at } = JSON.parse(line) as Noted
    const isPresent = this.running.get(node)?.pid === pid
    if (isPresent && event === 'leader' && term !== undefined) this.active.add(node)
    if (event === 'elected') this.leading.set(node, term)
    if (event === 'lost') this.leading.delete(node)
    if (event !== 'valid') return
    // Of one process: a member that restarts must not lead in an earlier term again.
    const key = `${pid} ${term}`
    const span = this.spans.get(key)
    if (span === undefined) {
      this.spans.set(key, { node, term, fromNs: BigInt(at), untilNs: BigInt(at) })
    } else span.untilNs = BigInt(at)
  }
}
