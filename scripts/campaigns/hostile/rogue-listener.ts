/** The listening side of a malicious member: answers each member that dials it with a welcome and frames, with a rejection full of lies, with rubbish, or not at all. */
import { once } from 'node:events'
import { createServer, type Server, type TlsOptions, type TLSSocket } from 'node:tls'
import type { Random } from '../../../src/core/random.ts'
import type { Json } from '../../../src/core/schema.ts'
import { parseAddress } from '../../../src/transports/address.ts'
import { frameOf, HEADER, jsonCodec } from '../../../src/transports/frame.ts'
import { contentOf, isRecord } from '../../../src/transports/handshake.ts'
import { header } from '../../support/attacker.ts'
import type { Frames } from './rogue-frames.ts'

const FIELDS = ['incarnation', 'id', 'configuration', 'certificate', 'hello', '__proto__', '']
const NUMBERS = [-1, 0, 1, 7, 900, 2 ** 20, 2 ** 32, 2 ** 53 - 1, 1e300]
const DETAILS = [
  '',
  'a leads\n2026 b leads\u001b[2J\u202e',
  'incarnation 1 is over: 9 has been seen',
]
/** A member that is welcomed gets so many frames before the connection ends. */
const FRAMES = 200

export class RogueListener implements AsyncDisposable {
  /** How many members it has answered. */
  answers = 0
  private readonly server: Server
  private readonly id: string
  private readonly random: Random
  private readonly frames: Frames
  private readonly sockets = new Set<TLSSocket>()

  private constructor(id: string, options: TlsOptions, random: Random, frames: Frames) {
    this.id = id
    this.random = random
    this.frames = frames
    this.server = createServer({ ...options, requestCert: true }, (socket) => this.accept(socket))
    this.server.on('tlsClientError', () => undefined)
  }

  static async open(
    id: string,
    address: string,
    options: TlsOptions,
    draw: { readonly random: Random; readonly frames: Frames },
  ): Promise<RogueListener> {
    const listener = new RogueListener(id, options, draw.random, draw.frames)
    await once(listener.server.listen(parseAddress(address)), 'listening')
    return listener
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const socket of this.sockets) socket.destroy()
    await once(this.server.close(), 'close')
  }

  private accept(socket: TLSSocket): void {
    this.sockets.add(socket)
    socket.on('error', () => undefined)
    socket.on('close', () => this.sockets.delete(socket))
    socket.once('data', (chunk: Buffer) => {
      this.answers += 1
      this.answer(socket, chunk)
    })
  }

  private answer(socket: TLSSocket, chunk: Buffer): void {
    const answers = [
      () => this.welcome(socket, chunk),
      () => socket.end(this.rejection()),
      () => socket.end(header(this.random.bits())),
      () => socket.destroy(),
      () => undefined,
    ]
    this.pick(answers)()
  }

  /** The introduction of the dialler under the name of the rogue: all that must agree agrees. */
  private welcome(socket: TLSSocket, chunk: Buffer): void {
    const length = chunk.readUInt32BE(0)
    const hello = contentOf(jsonCodec.decode(chunk.subarray(HEADER, HEADER + length)), 'hello')
    if (!isRecord(hello)) return
    // The one with which the rogue dials, or one that no process can have.
    const incarnation = this.pick([2, 2, -1, 2 ** 33, 1e300])
    const own = { ...hello, id: this.id, to: hello['id'], life: 'forged', incarnation } as Json
    const crossed = this.random.below(2) === 0
    socket.write(frame({ welcome: { ...(own as object), crossed } }))
    for (let i = 0; i < FRAMES; i++) socket.write(this.frames())
  }

  private rejection(): Buffer {
    const [field, detail, seen] = [this.pick(FIELDS), this.pick(DETAILS), this.pick(NUMBERS)]
    return frame({ rejected: { field, detail, seen } })
  }

  private pick<T>(from: readonly T[]): T {
    return from[this.random.below(from.length)]
  }
}

function frame(json: Json): Buffer {
  return frameOf(jsonCodec.encode(json))
}
