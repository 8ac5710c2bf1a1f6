/**
 * Draws the view of `up` in a terminal (the state of each member and the latest events), and reads the keys that apply
 * faults.
 */
import { clearLine, cursorTo, emitKeypressEvents, moveCursor } from 'node:readline'
import colors from 'picocolors'
import type { EventRecord } from '../../index.ts'
import { monotonic } from '../../clock/monotonic.ts'
import type { LocalCluster } from '../../testing/local-cluster.ts'
import { counted } from './print.ts'

interface Row {
  leader: string | null
  term: string
  leads: boolean
}

/** The keys that apply a fault to the selected member. */
const FAULTS: Readonly<Record<string, 'kill' | 'stop' | 'pause' | 'resume' | 'isolate' | 'start'>> =
  { k: 'kill', t: 'stop', p: 'pause', r: 'resume', c: 'isolate', s: 'start' }
const EVENTS_SHOWN = 8
const REDRAW_MS = 200

export class ClusterView {
  lab: string | null = null
  private readonly names: readonly string[]
  private readonly promise: string
  private readonly rows: ReadonlyMap<string, Row>
  private readonly events: string[] = []
  private readonly started = monotonic.now()
  private leaderlessMs = 0
  private measuredAt = monotonic.now()
  /** Undefined until a key selects a member: then the leader is selected. */
  private chosen: number | undefined
  private drawn = 0
  private timer: NodeJS.Timeout | undefined
  private cluster: LocalCluster | undefined
  private state = ''
  private quit: () => void = () => undefined

  /** `promise`: one line about the safety of this cluster. */
  constructor(names: readonly string[], promise: string) {
    this.names = names
    this.promise = promise
    this.rows = new Map(names.map((name) => [name, { leader: null, term: '0', leads: false }]))
  }

  open(cluster: LocalCluster, state: string, quit: () => void): void {
    this.cluster = cluster
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
    this.events.push(this.describe(entry))
    if (this.events.length > EVENTS_SHOWN) this.events.shift()
    if (this.cluster !== undefined) this.draw()
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
    const keys =
      '↑↓ select  k kill  t stop  p pause  r resume  c cut off  h heal all  s start  q quit'
    const { members, events } = roomFor(this.names.length, height - head.length - 2)
    const first = firstShown(this.names.length, members, this.selected)
    const shown = this.names.slice(first, first + members)
    const latest = events === 0 ? [] : this.events.slice(-events)
    return [
      ...head,
      ...shown.map((name, i) => this.row(name, first + i)),
      '',
      ...latest,
      ...Array<string>(events - latest.length).fill(''),
      colors.dim(keys),
    ]
  }

  private row(name: string, index: number): string {
    const { leader, term } = this.rows.get(name)!
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
    const text = cells.join('')
    if (this.leads(name)) return colors.green(`${text}  leads`)
    return condition === 'running' ? text : colors.yellow(text)
  }

  private describe({ node, event, leader, termText, reason, peer }: EventRecord): string {
    const at = ((monotonic.now() - this.started) / 1000).toFixed(2).padStart(8)
    const what = event === 'leader' ? `follows ${leader ?? 'nobody'}` : `${event} ${peer ?? ''}`
    const why = reason === null ? '' : `(${reason.split('\n')[0]})`
    return `${at} s  ${node}  ${what.trim()}  term ${termText} ${why}`
  }
}

/** How many members and events fit: lines that scroll out of the terminal cannot be redrawn. */
export function roomFor(members: number, height: number): { members: number; events: number } {
  const events = Math.max(0, Math.min(EVENTS_SHOWN, height - members))
  return { members: Math.max(1, Math.min(members, height - events)), events }
}

/** The first member that is shown, so that the selected one is visible. */
export function firstShown(members: number, room: number, selected: number): number {
  return Math.max(0, Math.min(selected - Math.floor(room / 2), members - room))
}

/** Clips a line to its visible width; a clipped line loses its colours. */
function clip(line: string, width: number): string {
  // oxlint-disable-next-line no-control-regex -- Colours begin with the escape character.
  const seen = line.replaceAll(/\u001b\[\d*m/gu, '')
  return seen.length <= width ? line : seen.slice(0, width)
}
