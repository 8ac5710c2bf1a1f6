/**
 * `bellwether demo`: a simulated election in slow motion. Five members elect the strongest; it crashes;
 * the next takes over; the strongest comes back and leads again. Without a terminal, the account of the
 * same run.
 */
import { setTimeout as wait } from 'node:timers/promises'
import pc from 'picocolors'
import { algorithms } from '../../algorithms/index.ts'
import type { SimConfig } from '../../sim/config.ts'
import { record, summarize } from '../../sim/run.ts'
import { parseSettings } from '../../sim/settings.ts'
import { diagramOf } from '../../diagram/diagram.ts'
import { eventTimes, TimeScale } from '../../diagram/layout/time-scale.ts'
import { account } from '../terminal/run-summary.ts'
import { FIXED_LINES, headline, nextEvent, sceneLines, type Scene } from './demo-view.ts'
import type { Palette } from '../terminal/palette.ts'

export interface DemoIo {
  readonly stdout: { write(text: string): unknown }
  /** Null: no keys. */
  readonly stdin: DemoInput | null
  /** Whether somebody watches: a terminal, and no CI. */
  readonly isTTY: boolean
  /** Read anew for each picture: terminals change their size. */
  readonly columns: number
  readonly rows: number
  readonly palette: Palette
  readonly signal: AbortSignal
  /** Waits; the tests' does not. */
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<unknown>
}

interface DemoInput {
  setRawMode?(raw: boolean): unknown
  on(event: 'data', listener: (chunk: Buffer | string) => void): unknown
  off(event: 'data', listener: (chunk: Buffer | string) => void): unknown
  resume(): unknown
  pause(): unknown
}

const SETTINGS = [
  ['algorithm', 'bully'],
  ['nodes', '5'],
  ['seed', '1'],
  ['crash', '5@60ms'],
  ['recover', '5@150ms'],
  ['until', '200ms'],
] as const
const COMMAND = `bellwether simulate ${SETTINGS.map(([key, value]) => `--${key} ${value}`).join(' ')}`

/** How long it takes to watch, and how often it is drawn. */
const WATCH_MS = 12_000
const FRAME_MS = 50

const HIDE_CURSOR = '\u001B[?25l'
const SHOW_CURSOR = '\u001B[?25h'
const CLEAR_LINE = '\u001B[2K'
const CLEAR_BELOW = '\u001B[J'

/** The process's own terminal. `signal` ends the show and restores the terminal. */
export function processIo(signal: AbortSignal): DemoIo {
  const { stdout, stdin, env } = process
  return {
    stdout,
    stdin: stdin.isTTY ? stdin : null,
    isTTY: stdout.isTTY && env['CI'] === undefined && env['TERM'] !== 'dumb',
    get columns() {
      return stdout.columns ?? 80
    },
    get rows() {
      return stdout.rows ?? 24
    },
    palette: pc,
    signal,
    sleep: (ms, signal) => wait(ms, undefined, { signal }),
  }
}

export async function demo(io: DemoIo): Promise<void> {
  const config = parseSettings(SETTINGS, { algorithms, detectors: [] })
  if (io.isTTY) await play(sceneOf(config), io)
  else {
    const { world, recording } = record(config)
    const { palette, columns: width } = io
    io.stdout.write(account({ config, summary: summarize(world), recording }, { palette, width }))
  }
}

function sceneOf(config: SimConfig): Scene {
  const { world, recording } = record(config)
  const space = diagramOf(world, recording)
  const times = eventTimes(space, space.arrows, space.marks)
  if (space.endUs > times[times.length - 1]) times.push(space.endUs)
  const scale = stretched(times, WATCH_MS)
  return { space, recording, labels: config.labels, scale, headline: headline(space) }
}

/** Makes the whole take about so long; quiet stretches pass quickly. */
function stretched(times: readonly number[], length: number): TimeScale {
  const scaled = (perUs: number): TimeScale =>
    new TimeScale(times, { perUs, longest: length / 12, broken: length / 12 })
  let [low, high] = [0, 1]
  for (let i = 0; i < 40; i++) {
    const middle = (low + high) / 2
    if (scaled(middle).length < length) low = middle
    else high = middle
  }
  return scaled(high)
}

/** What the keys do to the show. */
class Transport {
  place = 0
  playing = true
  over = false
  private readonly scene: Scene

  constructor(scene: Scene) {
    this.scene = scene
  }

  press(keys: string): void {
    if (keys === 'q' || keys === 'Q' || keys === '\u0003' || keys === '\u001B') this.over = true
    else if (keys === ' ') this.playing = !this.playing
    else if (keys === '\u001B[C') {
      this.playing = false
      const { scale } = this.scene
      this.place = scale.at(nextEvent(this.scene, scale.timeAt(this.place)))
    }
  }

  tick(ms: number): void {
    const { length } = this.scene.scale
    if (this.playing) this.place = Math.min(length, this.place + ms)
    if (this.place >= length) this.over = true
  }
}

/** A picture higher than the terminal could not be drawn over: blank lines go first, then the last. */
function fitted(lines: readonly string[], most: number): string[] {
  if (lines.length <= most) return [...lines]
  return lines.filter((line) => line !== '').slice(0, Math.max(1, most))
}

async function play(scene: Scene, io: DemoIo): Promise<void> {
  const { stdout, stdin, signal, palette } = io
  const transport = new Transport(scene)
  const onData = (chunk: Buffer | string): void => transport.press(chunk.toString())
  let drawn = 0
  const draw = (): void => {
    const width = Math.max(40, io.columns)
    const fixed = FIXED_LINES + scene.space.members
    const messageLines = Math.max(1, Math.min(6, io.rows - fixed - 1))
    const { place, playing } = transport
    const whole = sceneLines(scene, { place, playing, width, messageLines }, palette)
    const lines = fitted(whole, io.rows - 1)
    // Over the last picture: up to its first line, then every line anew.
    const up = drawn === 0 ? '' : `\u001B[${drawn}A`
    stdout.write(up + lines.map((line) => `\r${CLEAR_LINE}${line}\n`).join('') + CLEAR_BELOW)
    drawn = lines.length
  }
  stdin?.setRawMode?.(true)
  stdin?.on('data', onData)
  stdin?.resume()
  stdout.write(HIDE_CURSOR)
  try {
    while (!transport.over && !signal.aborted) {
      draw()
      await io.sleep(FRAME_MS, signal)
      transport.tick(FRAME_MS)
    }
    draw()
  } catch (error) {
    // Being told to stop is no failure.
    if (!signal.aborted) throw error
  } finally {
    stdin?.off('data', onData)
    stdin?.setRawMode?.(false)
    stdin?.pause()
    stdout.write(SHOW_CURSOR)
  }
  stdout.write(`\n${palette.dim(`The same in full: ${COMMAND}`)}\n`)
}
