/**
 * Sends and receives frames on one socket, with tags under a pre-shared key, and reports every frame and, once, the
 * end to its owner. No received byte makes it throw. First the handshake owns it, then the link, which replaces the
 * callbacks.
 *
 * It adds little delay: frames are reported in the read callback, and the end at FIN or RST, not at the later `close`
 * of the socket.
 */
import type { Socket } from 'node:net'
import type { Json } from '../../core/schema.ts'
import {
  refuse,
  type EndpointContext,
  type CounterName,
  type ChunkReader,
} from './endpoint-context.ts'
import { WireError } from '../errors.ts'
import { FrameDecoder, frameOf, HEADER, MAX_BODY } from '../frame.ts'
import { TAG, type Seal } from './pre-shared-key.ts'

/** The kernel's probes keep idle links in the tables of firewalls, and find broken ones. */
const KEEP_ALIVE_MS = 30_000

/** How long a peer that sends too much is not read. */
const READ_PAUSE_MS = 20

/** A chunk up to this size that arrives again is not decoded again. */
const MAX_REMEMBERED = 256
/** The body of a repeated frame: only a handshake reads bodies. */
const NO_BODY = Buffer.alloc(0)

/** A message to many peers is one body: it is framed once. Frames never change. */
let latest: { readonly body: Buffer; readonly frame: Buffer } = { body: NO_BODY, frame: NO_BODY }

function plainFrameOf(body: Buffer): Buffer {
  if (body !== latest.body) latest = { body, frame: frameOf(body) }
  return latest.frame
}

export class Connection {
  onFrame: (payload: Json, body: Buffer) => void = () => {}
  /** The peer, or an error, ended the connection. Not called when this side ends it. */
  onClosed: (error: Error | undefined) => void = () => {}
  onDrain: () => void = () => {}
  /** Whether frames are still reported to the owner. */
  isOpen = true
  /** Frames of the link that were written, without those of the handshake. */
  sent = 0

  private readonly context: EndpointContext
  private readonly socket: Socket
  private readonly decoder = new FrameDecoder(MAX_BODY)
  private outgoing: Seal | undefined
  private incoming: Seal | undefined
  private timer: NodeJS.Timeout | undefined
  private isReadingPaused = false
  private corked = false
  /** The handshake is complete, and frames carry no tag. */
  private isPlain = false
  /** Of the latest frame. */
  private bodyLength = 0
  private lastPayload: Json | undefined
  /** The latest chunk, if it was one whole frame. */
  private readonly lastChunk = Buffer.allocUnsafe(MAX_REMEMBERED)
  private lastLength = -1

  constructor(context: EndpointContext, socket: Socket, incoming?: ChunkReader) {
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

  completeHandshake(): void {
    this.isPlain = this.incoming === undefined
    this.socket.setKeepAlive(true, KEEP_ALIVE_MS)
  }

  /** What is written until `uncork`, or until the current chunk is processed, leaves in one piece. */
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
  get isWritable(): boolean {
    return !this.socket.writableNeedDrain
  }

  /** From now on every frame in both directions carries a tag. */
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

  send(body: Buffer): void {
    this.sent += 1
    this.context.counters.framesSent += 1
    this.write(body)
  }

  /**
   * Reads nothing for a moment. To drop the frames of a flood takes time too, and libuv reads megabytes of one
   * socket before the next one: so TCP slows down the sender, and other peers are read.
   */
  pauseReading(): void {
    if (this.isReadingPaused) return
    this.isReadingPaused = true
    this.socket.pause()
    setTimeout(() => {
      this.isReadingPaused = false
      this.socket.resume()
    }, READ_PAUSE_MS).unref()
  }

  /** Sends no more, but reads on: `onClosed` reports that the peer has read everything and ended too. */
  retire(): void {
    this.socket.end()
    this.expireIn(this.context.limits.lingerMs, () => this.ended(undefined))
  }

  /** Ends the connection after a flush. Nothing more is reported to the owner. */
  close(): void {
    if (!this.isOpen) return
    this.isOpen = false
    this.socket.end()
    this.expireIn(this.context.limits.lingerMs, () => this.socket.destroy())
  }

  /** Ends the connection at once. Nothing more is reported to the owner. */
  destroy(): void {
    this.isOpen = false
    this.socket.destroy()
  }

  socketClosed(): Promise<void> {
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
    const wasOpen = this.isOpen
    this.destroy()
    if (wasOpen) this.onClosed(error)
  }

  private readonly read = (chunk: Buffer): void => {
    if (!this.isOpen) return
    this.context.counters.bytesReceived += chunk.length
    if (this.isRepeated(chunk)) this.onFrame(this.lastPayload!, NO_BODY)
    else this.decodeChunk(chunk)
    if (this.corked) this.uncork()
  }

  /** The heartbeats of a leader are the same bytes again and again: they are decoded once. */
  private isRepeated(chunk: Buffer): boolean {
    const { length } = chunk
    return length === this.lastLength && chunk.compare(this.lastChunk, 0, length) === 0
  }

  private decodeChunk(chunk: Buffer): void {
    this.lastLength = -1
    try {
      this.decoder.feed(chunk, this.take)
    } catch (error) {
      if (!(error instanceof WireError)) throw error
      refuse(this.context, error.counter as CounterName, error.message)
      this.ended(error)
      return
    }
    // Remembered: exactly one frame, without a tag that differs each time.
    const alone = this.decoder.held === 0 && chunk.length === HEADER + this.bodyLength
    if (!alone || !this.isPlain || chunk.length > MAX_REMEMBERED) return
    this.lastLength = chunk.copy(this.lastChunk)
  }

  private readonly take = (framed: Buffer): boolean => {
    const body = this.incoming === undefined ? framed : this.incoming.check(framed)
    this.bodyLength = body.length
    this.lastPayload = this.context.codec.decode(body)
    this.onFrame(this.lastPayload, body)
    return this.isOpen
  }
}
