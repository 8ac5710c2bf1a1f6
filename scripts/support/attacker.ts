/** A client that attacks a member's port without being a member, a proxy that records and adds frames, and makers of hello frames and headers. */
import { once } from 'node:events'
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net'
import type { Json } from '../../src/core/schema.ts'
import { parseAddress } from '../../src/transports/address.ts'
import { frameOf, HEADER, jsonCodec } from '../../src/transports/frame.ts'
import { introductionOf, type Introduction } from '../../src/transports/handshake.ts'

/** What the members that tests and campaigns attack have in common. */
export const CLUSTER = { cluster: 'test', configuration: 'c0ffee' } as const

export class Attacker {
  readonly socket: Socket
  /** Resolves when the member has ended the connection, or it never came to be. */
  readonly closed: Promise<void>
  private readonly chunks: Buffer[] = []

  constructor(socket: Socket) {
    this.socket = socket
    socket.on('error', () => {})
    socket.on('data', (chunk: Buffer) => this.chunks.push(chunk))
    this.closed = new Promise((resolve) => {
      socket.on('close', () => resolve())
    })
  }

  /** `from`: the address of the attacker's own end. */
  static at(address: string, from?: string): Attacker {
    return new Attacker(connect({ ...parseAddress(address), ...(from && { localAddress: from }) }))
  }

  get received(): Buffer {
    return Buffer.concat(this.chunks)
  }

  send(bytes: Uint8Array): this {
    this.socket.write(bytes)
    return this
  }

  sendJson(...values: Json[]): this {
    for (const value of values) this.send(frameOf(jsonCodec.encode(value)))
    return this
  }

  leave(): void {
    this.socket.destroy()
  }
}

/** A valid hello of a member; `more` changes fields of it. */
export function helloOf(id: string, to: string, more: Partial<Introduction> = {}): Json {
  const identity = { ...CLUSTER, id, incarnation: 1 }
  const introduction = introductionOf(identity, { security: 'plain', life: 'forged', to })
  return { hello: { ...introduction, ...more } }
}

export function header(length: number): Buffer {
  const bytes = Buffer.alloc(HEADER)
  bytes.writeUInt32BE(length >>> 0)
  return bytes
}

/** A proxy between diallers and a member that records what the diallers send, and can add to it. */
export class Recorder implements AsyncDisposable {
  readonly bytes: Buffer[] = []
  private readonly server: Server
  private readonly sockets: Socket[] = []
  private inside: Socket | undefined

  private constructor(target: string) {
    this.server = createServer((dialled) => {
      const inside = connect(parseAddress(target))
      this.inside = inside
      dialled.on('data', (chunk: Buffer) => this.bytes.push(chunk))
      for (const socket of [dialled, inside]) {
        this.sockets.push(socket)
        socket.on('error', () => socket.destroy())
      }
      dialled.pipe(inside).pipe(dialled)
    })
  }

  static async open(target: string): Promise<Recorder> {
    const recorder = new Recorder(target)
    await once(recorder.server.listen(0, '127.0.0.1'), 'listening')
    return recorder
  }

  get address(): string {
    return `127.0.0.1:${(this.server.address() as AddressInfo).port}`
  }

  inject(chunk: Buffer): void {
    this.inside?.write(chunk)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const closed = once(this.server.close(), 'close')
    for (const socket of this.sockets) socket.destroy()
    await closed
  }
}
