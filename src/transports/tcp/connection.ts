/**
 * Sends and receives frames on one socket, encrypted under a pre-shared key, and reports every frame and, once, the
 * end to its owner. No received byte makes it throw. First the handshake owns it, then the link, which replaces the
 * callbacks. Until then frames must be short, and what the owner does not admit is never decoded.
 *
 * It adds little delay: frames are reported in the read callback, and the end at FIN or RST, not at the later `close`
 * of the socket.
 */
import type { Socket } from 'node:net'
import { clearTimeout, setTimeout } from '../../clock/native-timers.ts'
import type { Json } from '../../core/schema.ts'
import {
  refuse,
  type EndpointContext,
  type CounterName,
  type ChunkReader,
} from './endpoint-context.ts'
import { WireError } from '../errors.ts'
import { FrameDecoder, frameOf, HEADER, MAX_BODY } from '../frame.ts'
import { TAG, type Ciphers } from './security/noise.ts'

/** The kernel's probes keep idle links in the tables of firewalls, and find broken ones. */
const KEEP_ALIVE_MS = 30_000

/** How long a peer that sends too much is not read. */
const READ_PAUSE_MS = 20

/** The largest body of a peer whose handshake is not complete. */
const MAX_HANDSHAKE_BODY = 4096

/** How long a socket that the peer has ended is kept, unless the owner destroys it: meanwhile a leader is elected. */
const TEAR_DOWN_MS = 25

/** A body up to this size that arrives again is not decoded again. */
const MAX_REMEMBERED = 256
const NO_BODY = Buffer.alloc(0)

/** A message to many peers is one body: it is framed once. Frames never change. */
let latest: { readonly body: Buffer; readonly frame: Buffer } = { body: NO_BODY, frame: NO_BODY }

function plainFrameOf(body: Buffer): Buffer {
  if (body !== latest.body) latest = { body, frame: frameOf(body) }
  return latest.frame
}

export class Connection {
  onFrame: (payload: Json) => void = () => {}
  /** Takes bodies as they are, before the ciphers are known. */
  onBytes: ((body: Buffer) => void) | undefined
  /** Whether a frame of this size is decoded; others are dropped unread. */
  admits: (bytes: number) => boolean = () => true
  /** The peer, or an error, ended the connection. Not called when this side ends it. */
  onClosed: (error: Error | undefined) => void = () => {}
  onDrain: () => void = () => {}
  /** Whether frames are still reported to the owner. */
  isOpen = true
  /** Frames of the link that were written, without those of the handshake. */
  sent = 0

  private readonly context: EndpointContext
  private readonly socket: Socket
  private readonly decoder = new FrameDecoder(MAX_HANDSHAKE_BODY)
  private ciphers: Ciphers | undefined
  private timer: NodeJS.Timeout | undefined
  isReadingPaused = false
  private corked = false
  /** The latest short body, and what it means. */
  private readonly lastBody = Buffer.allocUnsafe(MAX_REMEMBERED)
  private lastLength = -1
  private lastPayload: Json = null

  constructor(context: EndpointContext, socket: Socket, incoming?: ChunkReader) {
    this.context = context
    this.socket = socket
    context.connections.add(this)
    context.counters.open += 1
    socket.setNoDelay(true)
    if (incoming === undefined) socket.on('data', this.read)
    else incoming.take = this.read
    socket.on('end', () => this.peerEnded())
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
    this.decoder.limit = MAX_BODY + TAG
    this.socket.setKeepAlive(true, KEEP_ALIVE_MS)
  }

  /** The peer answers with one body that may be longer than a frame. */
  expectLong(bytes: number): void {
    this.decoder.limit = bytes + TAG
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

  /** The address of the peer's machine; empty: the socket is closed already. */
  get remoteAddress(): string {
    return this.socket.remoteAddress ?? ''
  }

  /** Whether a frame would go out at once rather than wait in memory for a slow peer. */
  get isWritable(): boolean {
    return !this.socket.writableNeedDrain
  }

  /** From now on every frame in both directions is encrypted. */
  protect(ciphers: Ciphers): void {
    this.ciphers = ciphers
    this.onBytes = undefined
  }

  write(body: Buffer): void {
    const frame = this.ciphers === undefined ? plainFrameOf(body) : frameOf(body, TAG)
    this.ciphers?.outgoing.encryptInto(frame, HEADER, body)
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

  /** The owner may dial at once: that must not wait until this socket is torn down. */
  private peerEnded(): void {
    if (this.isOpen) this.expireIn(TEAR_DOWN_MS, () => this.socket.destroy())
    else this.socket.destroy()
    this.report(undefined)
  }

  private ended(error: Error | undefined): void {
    this.socket.destroy()
    this.report(error)
  }

  private report(error: Error | undefined): void {
    const wasOpen = this.isOpen
    this.isOpen = false
    if (wasOpen) this.onClosed(error)
  }

  private readonly read = (chunk: Buffer): void => {
    if (!this.isOpen) return
    this.context.counters.bytesReceived += chunk.length
    try {
      this.decoder.feed(chunk, this.take)
    } catch (error) {
      if (!(error instanceof WireError)) throw error
      refuse(this.context, error.counter as CounterName, error.message)
      this.ended(error)
    }
    if (this.corked) this.uncork()
  }

  private readonly take = (framed: Buffer): boolean => {
    if (!this.admits(framed.length)) this.ciphers?.incoming.passOver()
    else if (this.onBytes !== undefined) this.onBytes(framed)
    else this.onFrame(this.decode(this.ciphers?.incoming.decrypt(framed) ?? framed))
    return this.isOpen
  }

  /** The heartbeats of a leader are the same bytes again and again: they are decoded once. */
  private decode(body: Buffer): Json {
    const { length } = body
    if (length === this.lastLength && body.compare(this.lastBody, 0, length) === 0) {
      return this.lastPayload
    }
    const payload = this.context.codec.decode(body)
    this.lastLength = length > MAX_REMEMBERED ? -1 : body.copy(this.lastBody)
    this.lastPayload = payload
    return payload
  }
}
