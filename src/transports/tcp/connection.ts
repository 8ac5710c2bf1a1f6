/**
 * One socket that carries frames. It tells its owner of every frame and, once, of its end; nothing that
 * arrives can throw out of it. The owner changes its callbacks as the connection grows up: handshake,
 * then link.
 *
 * The way from the kernel to the owner is kept short: frames are handed over in the read callback, and
 * the end is told at FIN or RST, not at the later `close` of the socket.
 */
import type { Socket } from 'node:net'
import type { Json } from '../../core/schema.ts'
import { refuse, type Context, type CounterName, type Incoming } from './endpoint-context.ts'
import { WireError } from '../errors.ts'
import { FrameDecoder, frameOf, HEADER, MAX_BODY } from '../frame.ts'
import { TAG, type Seal } from './pre-shared-key.ts'

/** Idle links live long: the kernel's probes keep them in the tables of firewalls, and free dead ones. */
const KEEP_ALIVE_MS = 30_000

/** How long a peer that sends too much is not read. */
const REST_MS = 20

/** Chunks up to this size are recognised when they come again. */
const REMEMBERED = 256
/** Only a handshake asks for the bytes of a frame. */
const NO_BODY = Buffer.alloc(0)

/** What goes to many peers comes as one body, many times: it is framed once, and nobody changes a frame. */
let latest: { readonly body: Buffer; readonly frame: Buffer } = { body: NO_BODY, frame: NO_BODY }

function plainFrameOf(body: Buffer): Buffer {
  if (body !== latest.body) latest = { body, frame: frameOf(body) }
  return latest.frame
}

export class Connection {
  onFrame: (payload: Json, body: Buffer) => void = () => {}
  /** The peer, or an error, ended the connection. Not called when we end it ourselves. */
  onClosed: (error: Error | undefined) => void = () => {}
  onDrain: () => void = () => {}
  /** Whether frames still go to the owner. */
  open = true
  /** Frames of the owner's that were written, the handshake's not counted. */
  sent = 0

  private readonly context: Context
  private readonly socket: Socket
  private readonly decoder = new FrameDecoder(MAX_BODY)
  private outgoing: Seal | undefined
  private incoming: Seal | undefined
  private timer: NodeJS.Timeout | undefined
  private resting = false
  private corked = false
  /** The handshake is over, and has given frames no seal. */
  private isPlain = false
  /** The length of the latest frame's body, and what it said. */
  private taken = 0
  private repeated: Json | undefined
  /** The latest chunk, if it was one whole frame. */
  private readonly lastChunk = Buffer.allocUnsafe(REMEMBERED)
  private lastLength = -1

  constructor(context: Context, socket: Socket, incoming?: Incoming) {
    this.context = context
    this.socket = socket
    context.connections.add(this)
    context.counters.open += 1
    socket.setNoDelay(true)
    if (incoming === undefined) socket.on('data', this.read)
    else incoming.take = this.read
    socket.on('end', () => this.ended(undefined))
    socket.on('error', (error) => this.ended(error))
    socket.on('drain', () => this.onDrain())
    socket.on('close', () => {
      this.ended(undefined)
      clearTimeout(this.timer)
      context.counters.open -= 1
      context.connections.delete(this)
    })
  }

  /** The handshake is over: this one is to last. */
  settle(): void {
    this.isPlain = this.incoming === undefined
    this.socket.setKeepAlive(true, KEEP_ALIVE_MS)
  }

  /** What is written until `uncork`, or until the chunk that is being read is done with, leaves in one piece. */
  cork(): void {
    this.socket.cork()
    this.corked = true
  }

  uncork(): void {
    if (!this.corked) return
    this.corked = false
    this.socket.uncork()
  }

  /** Whether a frame would go out at once rather than wait in memory for a slow peer. */
  get ready(): boolean {
    return !this.socket.writableNeedDrain
  }

  /** From here on every frame in both directions carries a tag. */
  protect(outgoing: Seal, incoming: Seal): void {
    this.outgoing = outgoing
    this.incoming = incoming
    this.isPlain = false
    this.lastLength = -1
    this.decoder.limit = MAX_BODY + TAG
  }

  write(body: Buffer): void {
    const frame = this.outgoing === undefined ? plainFrameOf(body) : frameOf(body, TAG)
    this.outgoing?.sign(frame)
    this.context.counters.bytesSent += frame.length
    this.socket.write(frame)
  }

  /** A frame of the owner's. */
  send(body: Buffer): void {
    this.sent += 1
    this.context.counters.framesSent += 1
    this.write(body)
  }

  /**
   * Reads nothing for a moment. Dropping what a flood brings takes time, too, and libuv reads megabytes of one
   * socket before it turns to the others: TCP slows whoever floods down, and the others have their turn.
   */
  rest(): void {
    if (this.resting) return
    this.resting = true
    this.socket.pause()
    setTimeout(() => {
      this.resting = false
      this.socket.resume()
    }, REST_MS).unref()
  }

  /** Sends no more, but reads on: `onClosed` tells that the peer has read everything and ended too. */
  retire(): void {
    this.socket.end()
    this.expireIn(this.context.limits.lingerMs, () => this.ended(undefined))
  }

  /** Ends the connection after what was written has been flushed. The owner hears nothing more. */
  close(): void {
    if (!this.open) return
    this.open = false
    this.socket.end()
    this.expireIn(this.context.limits.lingerMs, () => this.socket.destroy())
  }

  /** Ends the connection at once. The owner hears nothing more. */
  destroy(): void {
    this.open = false
    this.socket.destroy()
  }

  /** Resolves when the socket is gone. */
  gone(): Promise<void> {
    if (this.socket.closed) return Promise.resolve()
    return new Promise((resolve) => {
      this.socket.once('close', () => resolve())
    })
  }

  private expireIn(ms: number, expired: () => void): void {
    clearTimeout(this.timer)
    this.timer = setTimeout(expired, ms)
  }

  private ended(error: Error | undefined): void {
    const wasOpen = this.open
    this.destroy()
    if (wasOpen) this.onClosed(error)
  }

  private readonly read = (chunk: Buffer): void => {
    if (!this.open) return
    this.context.counters.bytesReceived += chunk.length
    if (this.isRepeated(chunk)) this.onFrame(this.repeated!, NO_BODY)
    else this.digest(chunk)
    if (this.corked) this.uncork()
  }

  /** A leader that shows itself says the same again and again: that is taken apart once. */
  private isRepeated(chunk: Buffer): boolean {
    const { length } = chunk
    return length === this.lastLength && chunk.compare(this.lastChunk, 0, length) === 0
  }

  private digest(chunk: Buffer): void {
    this.lastLength = -1
    try {
      this.decoder.feed(chunk, this.take)
    } catch (error) {
      if (!(error instanceof WireError)) throw error
      refuse(this.context, error.counter as CounterName, error.message)
      this.ended(error)
      return
    }
    // One frame and nothing else, which no seal makes different each time.
    const alone = this.decoder.held === 0 && chunk.length === HEADER + this.taken
    if (!alone || !this.isPlain || chunk.length > REMEMBERED) return
    this.lastLength = chunk.copy(this.lastChunk)
  }

  private readonly take = (framed: Buffer): boolean => {
    const body = this.incoming === undefined ? framed : this.incoming.check(framed)
    this.taken = body.length
    this.repeated = this.context.codec.decode(body)
    this.onFrame(this.repeated, body)
    return this.open
  }
}
