/**
 * Encodes and decodes frames as bytes: four bytes of length, big-endian, then the body, a JSON value (with a tag under
 * a pre-shared key).
 *
 * The decoder accepts any chunking, holds at most one unfinished frame, and checks the length before it allocates
 * anything: a header that announces 4 GiB costs four bytes.
 */
import { isUtf8 } from 'node:buffer'
import type { Json } from '../core/schema.ts'
import { WireError } from './errors.ts'

/** The largest body. The largest message of 1,000 members fits into it. */
export const MAX_BODY = 16 * 1024

export const HEADER = 4

export interface Codec {
  encode(payload: Json): Buffer
  /** Throws WireError on malformed bytes. */
  decode(body: Buffer): Json
}

export const jsonCodec: Codec = {
  encode: (payload) => Buffer.from(JSON.stringify(payload)),
  decode(body) {
    // toString would replace invalid bytes silently.
    if (!isUtf8(body)) throw new WireError('malformed', 'a frame is not UTF-8')
    try {
      return JSON.parse(body.toString()) as Json
    } catch {
      throw new WireError('malformed', 'a frame is not JSON')
    }
  },
}

/** A frame in one buffer, which leaves in one write; the caller fills the last `tail` bytes. */
export function frameOf(body: Buffer, tail = 0): Buffer {
  const frame = Buffer.allocUnsafe(HEADER + body.length + tail)
  frame.writeUInt32BE(body.length + tail, 0)
  body.copy(frame, HEADER)
  return frame
}

export class FrameDecoder {
  /** The largest length that a header may announce. */
  limit: number
  private readonly header = Buffer.alloc(HEADER)
  private headerFill = 0
  private body: Buffer | undefined
  private bodyFill = 0

  constructor(limit: number = MAX_BODY) {
    this.limit = limit
  }

  /** Bytes that wait for the rest of their frame. */
  get held(): number {
    return this.headerFill + (this.body === undefined ? 0 : this.bodyFill)
  }

  /**
   * Calls `take` with every complete body, which is valid during the call only; it returns whether to go on. Throws
   * WireError on a length of zero or above the limit; the decoder must not be used after that.
   */
  feed(chunk: Buffer, take: (body: Buffer) => boolean): void {
    let at = 0
    while (at < chunk.length) {
      if (this.body === undefined) {
        const whole = this.headerFill === 0 && chunk.length - at >= HEADER
        const start = whole ? at + HEADER : this.readHeader(chunk, at)
        if (start < 0) return
        const length = whole ? chunk.readUInt32BE(at) : this.header.readUInt32BE(0)
        at = start
        this.check(length)
        this.headerFill = 0
        if (chunk.length - at >= length) {
          // The common case: the whole frame is here, and nothing is copied.
          at += length
          if (!take(chunk.subarray(at - length, at))) return
          continue
        }
        this.body = Buffer.allocUnsafe(length)
        this.bodyFill = 0
      }
      const count = Math.min(this.body.length - this.bodyFill, chunk.length - at)
      chunk.copy(this.body, this.bodyFill, at, at + count)
      this.bodyFill += count
      at += count
      if (this.bodyFill < this.body.length) return
      const whole = this.body
      this.body = undefined
      if (!take(whole)) return
    }
  }

  /** Completes the header. Returns where the body begins, or -1 while bytes are missing. */
  private readHeader(chunk: Buffer, at: number): number {
    const count = Math.min(HEADER - this.headerFill, chunk.length - at)
    chunk.copy(this.header, this.headerFill, at, at + count)
    this.headerFill += count
    return this.headerFill < HEADER ? -1 : at + count
  }

  private check(length: number): void {
    if (length === 0) throw new WireError('malformed', 'a frame of no bytes')
    if (length > this.limit) {
      const reason = `a frame of ${length} bytes; at most ${this.limit} are allowed`
      throw new WireError('oversized', reason)
    }
  }
}
