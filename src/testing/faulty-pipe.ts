/** One direction of one connection through a fault proxy: reads frames, applies faults and writes what remains. */
import type { Socket } from 'node:net'
import type { Random } from '../core/random.ts'
import { WireError } from '../transports/errors.ts'
import { FrameDecoder, frameOf } from '../transports/frame.ts'
import type { Faults } from './frame-faults.ts'

export const NO_COUNTS = { passed: 0, cut: 0, lost: 0, duplicated: 0, reordered: 0, corrupted: 0 }

/** What the pipes of one direction share. The proxy changes `faults` while they run. */
export interface Way {
  faults: Faults
  readonly random: Random
  readonly spared: number
  /** Whether bytes are split into frames; if not, each chunk counts as one frame. */
  readonly framed: boolean
  readonly counters: typeof NO_COUNTS
}

/** The proxy passes frames of any length; members check it. */
const ANY_LENGTH = 1 << 26

export class Pipe {
  private readonly from: Socket
  private readonly to: Socket
  private readonly way: Way
  private readonly decoder = new FrameDecoder(ANY_LENGTH)
  private readonly waiting: { readonly dueMs: number; readonly bytes: Buffer }[] = []
  private timer: NodeJS.Timeout | undefined
  private held: Buffer | undefined
  private heldTimer: NodeJS.Timeout | undefined
  private seen = 0
  private raw: boolean
  private ended = false

  constructor(from: Socket, to: Socket, way: Way) {
    this.from = from
    this.to = to
    this.way = way
    this.raw = !way.framed
    from.on('data', (chunk: Buffer) => this.read(chunk))
    from.on('end', () => this.end())
    from.on('error', () => from.destroy())
    from.on('close', () => this.end())
    to.on('drain', () => this.applyFaults())
    to.on('close', () => this.stop())
    this.applyFaults()
  }

  applyFaults(): void {
    if (this.way.faults.stall || this.to.writableNeedDrain) this.from.pause()
    else this.from.resume()
    if (this.ended && !this.way.faults.cut) this.end()
  }

  stop(): void {
    clearTimeout(this.timer)
    clearTimeout(this.heldTimer)
    this.waiting.length = 0
    this.held = undefined
  }

  private read(chunk: Buffer): void {
    if (this.raw) return this.receive(chunk)
    try {
      this.decoder.feed(chunk, (body) => {
        this.receive(frameOf(body))
        return true
      })
    } catch (error) {
      if (!(error instanceof WireError)) throw error
      // Not frames of bellwether: the member decides what to do with them.
      this.raw = true
      this.receive(chunk)
    }
  }

  private receive(bytes: Buffer): void {
    const { faults, random, spared, counters } = this.way
    this.seen += 1
    if (faults.cut) return void (counters.cut += 1)
    if (this.seen <= spared) return this.pass(bytes)
    if (random.chance(faults.loss)) return void (counters.lost += 1)
    if (random.chance(faults.corrupt)) {
      counters.corrupted += 1
      bytes[random.below(bytes.length)] ^= 1 << random.below(8)
    }
    if (this.held === undefined && random.chance(faults.reorder)) {
      counters.reordered += 1
      this.held = bytes
      this.heldTimer = setTimeout(() => this.releaseHeld(), faults.reorderMs)
      return
    }
    this.pass(bytes)
    if (random.chance(faults.duplicate)) {
      counters.duplicated += 1
      this.pass(bytes)
    }
    this.releaseHeld()
  }

  private releaseHeld(): void {
    clearTimeout(this.heldTimer)
    const { held } = this
    this.held = undefined
    if (held !== undefined) this.pass(held)
  }

  private pass(bytes: Buffer): void {
    this.way.counters.passed += 1
    const delayMs = this.drawDelay()
    if (delayMs === 0 && this.waiting.length === 0) return this.write(bytes)
    const last = this.waiting.at(-1)?.dueMs ?? 0
    this.waiting.push({ dueMs: Math.max(last, performance.now() + delayMs), bytes })
    if (this.waiting.length === 1) this.arm()
  }

  private drawDelay(): number {
    const { delayMs } = this.way.faults
    if (typeof delayMs === 'number') return delayMs
    const [min, max] = delayMs
    return min + this.way.random.unit() * (max - min)
  }

  private arm(): void {
    this.timer = setTimeout(() => this.release(), this.waiting[0].dueMs - performance.now())
  }

  private release(): void {
    const nowMs = performance.now() + 0.5
    while (this.waiting.length > 0 && this.waiting[0].dueMs <= nowMs) {
      const { bytes } = this.waiting.shift()!
      if (this.way.faults.cut) this.way.counters.cut += 1
      else this.write(bytes)
    }
    if (this.waiting.length > 0) this.arm()
    else if (this.ended) this.end()
  }

  private write(bytes: Buffer): void {
    if (this.to.writable && !this.to.write(bytes)) this.from.pause()
  }

  /** Passes the end of the connection on after all frames before it, unless a cut hides it. */
  private end(): void {
    this.ended = true
    if (this.way.faults.cut) return
    this.releaseHeld()
    if (this.waiting.length > 0) return
    if (this.from.errored === null) this.to.end()
    else this.to.resetAndDestroy()
    if (this.from.destroyed && !this.to.destroyed) this.to.destroySoon()
  }
}
