/**
 * Draws the view of `up` in a terminal (the state of each member and the latest events), and reads the keys that apply
 * faults and change the group.
 */
import { clearLine, cursorTo, emitKeypressEvents, moveCursor } from 'node:readline'
import colors from 'picocolors'
import type { EventRecord } from '../../index.ts'
import { monotonic } from '../../clock/monotonic.ts'
import type { LocalCluster } from '../../testing/local-cluster.ts'
import type { GroupKeys } from '../processes/member-changes.ts'
import { counted } from './print.ts'
import { clip, EVENTS_SHOWN, firstShown, roomFor } from './view-room.ts'

interface Row {
  leader: string | null
  term: string
  leads: boolean
  role: string
}

/** The keys that apply a fault to the selected member. */
const FAULTS: Readonly<Record<string, 'kill' | 'stop' | 'pause' | 'resume' | 'isolate' | 'start'>> =
  { k: 'kill', t: 'stop', p: 'pause', r: 'resume', c: 'isolate', s: 'start' }
/** The keys that ask the leader to change the group; the first one is about a new member. */
const CHANGES: Readonly<Record<string, 'add' | 'promote' | 'remove'>> = {
  a: 'add',
  v: 'promote',
  o: 'remove',
}
const KEYS = [
  '↑↓ select  k kill  t stop  p pause  r resume  c cut off  h heal all  s start  q quit',
  'a add a member  v make it a voter  o remove it (out)',
]
const REDRAW_MS = 200

export class ClusterView {
  lab: string | null = null
  private readonly names: string[]
  private readonly promise: string
  private readonly rows = new Map<string, Row>()
  private readonly events: string[] = []
  private readonly started = monotonic.now()
  private leaderlessMs = 0
  private measuredAt = monotonic.now()
  /** Undefined until a key selects a member: then the leader is selected. */
  private chosen: number | undefined
  private drawn = 0
  private timer: NodeJS.Timeout | undefined
  private cluster: LocalCluster | undefined
  private group: GroupKeys | undefined
  private state = ''
  private quit: () => void = () => undefined

  /** `promise`: one line about the safety of this cluster. */
  constructor(names: readonly string[], promise: string) {
    this.names = []
    this.promise = promise
    for (const name of names) this.addRow(name, 'voter')
  }

  open(cluster: LocalCluster, group: GroupKeys, state: string, quit: () => void): void {
    this.cluster = cluster
    this.group = group
    this.state = state
    this.quit = quit
    emitKeypressEvents(process.stdin)
    process.stdin.setRawMode(true)
    process.stdin.on('keypress', this.pressed)
    process.stdin.resume()
    this.timer = setInterval(() => this.draw(), REDRAW_MS)
    this.draw()
  }

  /** `hungUp`: the terminal has gone, and its modes cannot be restored. */
  close(hungUp: boolean): void {
    clearInterval(this.timer)
    process.stdin.off('keypress', this.pressed)
    if (!hungUp) process.stdin.setRawMode(false)
    process.stdin.pause()
  }

  show(entry: EventRecord): void {
    this.measureLeaderless()
    const row = this.rows.get(entry.node)
    if (row === undefined) return
    if (entry.event === 'elected') row.leads = true
    if (['lost', 'exited', 'started'].includes(entry.event)) row.leads = false
    if (entry.event === 'leader' || entry.event === 'exited') row.leader = entry.leader
    row.term = entry.termText
    if (entry.event === 'reconfigured') this.assignRoles(entry.reason ?? '')
    this.tell(this.describe(entry))
  }

  private tell(line: string): void {
    this.events.push(line)
    if (this.events.length > EVENTS_SHOWN) this.events.shift()
    if (this.cluster !== undefined) this.draw()
  }

  private addRow(name: string, role: string): void {
    if (this.rows.has(name)) return
    this.names.push(name)
    this.rows.set(name, { leader: null, term: '0', leads: false, role })
  }

  /** From the list of an event: `a, b, d (observer)`. */
  private assignRoles(list: string): void {
    const roles = new Map(
      list.split(', ').map((member): [string, string] => {
        const [, name, role = 'voter'] = /^(\S+)(?: \((.*)\))?$/u.exec(member) ?? ['', member]
        return [name, role]
      }),
    )
    for (const [name, row] of this.rows) row.role = roles.get(name) ?? 'outside'
  }

  private async change(kind: 'add' | 'promote' | 'remove', selected: string): Promise<void> {
    const { name, done } = this.group![kind](selected)
    this.tell(`${this.time()}  ${name}  ${kind} …`)
    const text = await done
    if (this.cluster!.names.includes(name)) this.addRow(name, 'observer')
    this.tell(`${this.time()}  ${name}  ${text}`)
  }

  private get selected(): number {
    const leader = this.names.findIndex((name) => this.leads(name))
    return this.chosen ?? Math.max(0, leader)
  }

  private readonly pressed = (_text: string, key: { name?: string; ctrl?: boolean }): void => {
    const { cluster } = this
    if (cluster === undefined) return
    const name = this.names[this.selected]
    const count = this.names.length
    if (key.name === 'q' || (key.ctrl === true && key.name === 'c')) return this.quit()
    if (key.name === 'up') this.chosen = (this.selected + count - 1) % count
    else if (key.name === 'down') this.chosen = (this.selected + 1) % count
    else if (key.name === 'h') cluster.heal()
    else if (key.name !== undefined && key.name in FAULTS) {
      this.chosen = this.selected // it stays selected when another member leads
      cluster[FAULTS[key.name]](name)
    } else if (key.name !== undefined && key.name in CHANGES) {
      this.chosen = this.selected
      void this.change(CHANGES[key.name], name)
    }
    this.draw()
  }

  private measureLeaderless(): void {
    const now = monotonic.now()
    if (!this.names.some((name) => this.leads(name))) this.leaderlessMs += now - this.measuredAt
    this.measuredAt = now
  }

  /** A paused member does not act as a leader, although its state says so. */
  private leads(name: string): boolean {
    return this.rows.get(name)!.leads && this.cluster?.conditionOf(name) !== 'paused'
  }

  private draw(): void {
    this.measureLeaderless()
    const { stdout } = process
    const height = (stdout.rows || 24) - 1
    const lines = this.lines(height).map((line) => clip(line, (stdout.columns || 80) - 1))
    this.drawn = Math.min(this.drawn, height)
    if (this.drawn > 0) moveCursor(stdout, 0, -this.drawn)
    cursorTo(stdout, 0)
    this.drawn = Math.max(this.drawn, lines.length)
    for (let i = 0; i < this.drawn; i++) {
      clearLine(stdout, 0)
      stdout.write(`${lines[i] ?? ''}\n`)
    }
  }

  private lines(height: number): string[] {
    const seconds = ((monotonic.now() - this.started) / 1000).toFixed(0)
    const without = `${(this.leaderlessMs / 1000).toFixed(1)} s without a leader`
    const head = [
      `${colors.bold('bellwether up')}  ${counted(this.names.length, 'member')}, ${seconds} s, ${without}`,
      colors.dim(this.promise),
      colors.dim(`state in ${this.state}`),
      ...(this.lab === null ? [] : [colors.dim(`lab at ${this.lab}`)]),
      '',
      colors.dim('    member  pid      process  follows  term'),
    ]
    const { members, events } = roomFor(this.names.length, height - head.length - 1 - KEYS.length)
    const first = firstShown(this.names.length, members, this.selected)
    const shown = this.names.slice(first, first + members)
    const latest = events === 0 ? [] : this.events.slice(-events)
    return [
      ...head,
      ...shown.map((name, i) => this.row(name, first + i)),
      '',
      ...latest,
      ...Array<string>(events - latest.length).fill(''),
      ...KEYS.map((line) => colors.dim(line)),
    ]
  }

  private row(name: string, index: number): string {
    const { leader, term, role } = this.rows.get(name)!
    const cluster = this.cluster!
    const condition = cluster.cutsOf(name).size > 0 ? 'cut' : cluster.conditionOf(name)
    const cells = [
      index === this.selected ? '  > ' : '    ',
      name.padEnd(8),
      String(cluster.pidOf(name) ?? '-').padEnd(9),
      condition.padEnd(9),
      (leader ?? '-').padEnd(9),
      term === '0' ? '-' : term,
    ]
    const text = `${cells.join('')}${role === 'voter' ? '' : `  ${role}`}`
    if (this.leads(name)) return colors.green(`${text}  leads`)
    return condition === 'running' ? text : colors.yellow(text)
  }

  private describe({ node, event, leader, termText, reason, peer }: EventRecord): string {
    const what = event === 'leader' ? `follows ${leader ?? 'nobody'}` : `${event} ${peer ?? ''}`
    const why = reason === null ? '' : `(${reason.split('\n')[0]})`
    return `${this.time()}  ${node}  ${what.trim()}  term ${termText} ${why}`
  }

  private time(): string {
    return `${((monotonic.now() - this.started) / 1000).toFixed(2).padStart(8)} s`
  }
}
