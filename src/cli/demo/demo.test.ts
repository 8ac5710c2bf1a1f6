import { EventEmitter } from 'node:events'
import { describe, expect, test } from 'vitest'
import { demo, type DemoIo } from './demo.ts'
import { PLAIN } from '../terminal/palette.ts'

/** A keyboard whose keys are pressed at given frames. */
class Keyboard extends EventEmitter {
  raw = false
  flowing = false

  setRawMode(raw: boolean): void {
    this.raw = raw
  }

  resume(): void {
    this.flowing = true
  }

  pause(): void {
    this.flowing = false
  }
}

interface Show {
  readonly written: string
  readonly frames: number
  readonly keyboard: Keyboard
}

/** Plays without waiting; `onFrame` may press keys. */
async function show(
  onFrame: (frame: number, keyboard: Keyboard, end: () => void) => void = () => undefined,
  io: Partial<DemoIo> = {},
): Promise<Show> {
  const keyboard = new Keyboard()
  const controller = new AbortController()
  let written = ''
  let frames = 0
  await demo({
    stdout: { write: (text) => (written += text) },
    stdin: keyboard,
    isTTY: true,
    columns: 80,
    rows: 24,
    palette: PLAIN,
    signal: controller.signal,
    sleep: () => {
      frames += 1
      onFrame(frames, keyboard, () => controller.abort())
      return frames < 2000 ? Promise.resolve() : Promise.reject(new Error('it does not end'))
    },
    ...io,
  })
  return { written, frames, keyboard }
}

const SHOW_CURSOR = '\u001B[?25h'
const clocks = (written: string): string[] =>
  [...written.matchAll(/ (\d+\.\d) ms [▶‖]/gu)].map((match) => match[1])

describe('the demo', () => {
  test('without a terminal prints the account once', async () => {
    const { written, frames } = await show(undefined, { isTTY: false })
    expect(frames).toBe(0)
    expect(written).toMatch(/^Member 5 leads in term 2/u)
    expect(written).not.toContain('\u001B')
  })

  test('plays about twelve seconds: election, crash, a new leader, the old one back', async () => {
    const { written, frames } = await show()
    expect(frames * 50).toBeGreaterThan(11_000)
    expect(frames * 50).toBeLessThan(13_000)
    expect(written).toMatch(
      /5 {2}★ leads.*5 {2}✕ is down.*4 {2}★ leads.*5 {2}↑ is back.*4 {2}│ follows 5/su,
    )
    expect(written).toContain('why  4 has waited long enough (answer)')
    expect(written).toContain('bellwether simulate --algorithm bully')
  })

  test('shows messages on their way, and lost ones', async () => {
    const { written } = await show()
    expect(written).toMatch(/1 ─+election▶/u)
    expect(written).toMatch(/election✕ 5 is down/u)
  })

  test('never draws wider than the terminal, nor higher', async () => {
    for (const [columns, rows] of [
      [80, 24],
      [50, 14],
    ]) {
      const { written } = await show(undefined, { columns, rows })
      const pictures = written.split('\u001B[J').slice(0, -1)
      for (const picture of pictures) {
        // oxlint-disable-next-line no-control-regex
        const lines = picture.replaceAll(/\u001B\[\??\d*[A-Za-z]/gu, '').split('\n')
        expect(lines.length).toBeLessThanOrEqual(rows)
        for (const line of lines) expect(line.trim().length).toBeLessThanOrEqual(columns)
      }
    }
  })

  test('pauses on space and goes on at the next', async () => {
    const { written, frames } = await show((frame, keyboard) => {
      if (frame === 40 || frame === 140) keyboard.emit('data', Buffer.from(' '))
    })
    expect(frames).toBeGreaterThan(330)
    const shown = clocks(written)
    expect(new Set(shown.slice(41, 139)).size).toBe(1)
  })

  test('steps from one event to the next with the right arrow', async () => {
    const { written } = await show((frame, keyboard) => {
      if (frame <= 5) keyboard.emit('data', '\u001B[C')
      else keyboard.emit('data', 'q')
    })
    const shown = clocks(written)
    expect(new Set(shown).size).toBeGreaterThanOrEqual(5)
    expect(shown.map(Number)).toEqual(shown.map(Number).toSorted((a, b) => a - b))
  })

  test.each([
    ['q', 'q'],
    ['Ctrl-C', '\u0003'],
  ])('ends on %s and leaves the terminal as it was', async (_, key) => {
    let during: object = {}
    const { written, frames, keyboard } = await show((frame, keyboard) => {
      during = { raw: keyboard.raw, flowing: keyboard.flowing }
      if (frame === 10) keyboard.emit('data', Buffer.from(key))
    })
    expect(during).toEqual({ raw: true, flowing: true })
    expect(frames).toBe(10)
    expect(keyboard).toMatchObject({ raw: false, flowing: false })
    expect(keyboard.listenerCount('data')).toBe(0)
    expect(written).toContain(SHOW_CURSOR)
  })

  test('ends when its signal says so, and leaves the terminal as it was', async () => {
    const { written, frames, keyboard } = await show((frame, _, end) => {
      if (frame === 10) end()
    })
    expect(frames).toBe(10)
    expect(keyboard.raw).toBe(false)
    expect(written).toContain(SHOW_CURSOR)
  })

  test('leaves the terminal as it was when something fails', async () => {
    const keyboard = new Keyboard()
    let written = ''
    const failing = demo({
      stdout: { write: (text) => (written += text) },
      stdin: keyboard,
      isTTY: true,
      columns: 80,
      rows: 24,
      palette: PLAIN,
      signal: new AbortController().signal,
      sleep: () => Promise.reject(new Error('no clock')),
    })
    await expect(failing).rejects.toThrow('no clock')
    expect(keyboard.raw).toBe(false)
    expect(written).toContain(SHOW_CURSOR)
  })
})
