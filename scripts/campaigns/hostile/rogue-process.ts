/** A malicious process of a shared port: holds the key and the name of a node, sends frames to the processes of the others, and begins connection after connection. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Random } from '../../../src/core/random.ts'
import type { Json } from '../../../src/core/schema.ts'
import { tcp } from '../../../src/index.ts'
import { DEFAULT_NODE_NAME } from '../../../src/runtime/node.ts'
import { readPairFrame } from '../../../src/transports/shared/pair-frames.ts'
import { SHARED_CONFIGURATION } from '../../../src/transports/shared/shared-port.ts'
import type { Introduction } from '../../../src/transports/handshake.ts'
import type { Endpoint, Identity, LinkLoss, Peer } from '../../../src/transports/transport.ts'
import type { SeenNumbers } from './rogue-frames.ts'
import { HABITS, type Habit, type Known, type RoguePairFrames } from './rogue-pair-frames.ts'

/** Below what a process accepts of one peer, so that most frames are processed. */
const FRAMES_PER_SECOND = 1500
const BATCH_MS = 20
/** A rogue that is hardly ever connected tests nothing. */
const MOST_IDLE_MS = 60_000
const MOST_RECENT = 200
/** In a rejection. */
const SEEN = /(?:over:|cannot follow) (\d+)/u

export interface RogueProcessOptions {
  readonly id: string
  readonly address: string
  readonly key: string
  readonly peers: readonly Peer[]
  readonly foreign: readonly string[]
  readonly random: Random
  readonly frames: RoguePairFrames
  readonly seen: SeenNumbers
}

export class RogueProcess implements AsyncDisposable {
  connections = 0
  /** Frames of members that have accepted it. */
  groupFrames = 0
  private endpoint!: Endpoint
  private readonly links = new Map<string, RogueLink>()
  private incarnation = 1

  private constructor(options: RogueProcessOptions) {
    for (const { id } of options.peers) this.links.set(id, new RogueLink(options, id))
  }

  static async open(options: RogueProcessOptions): Promise<RogueProcess> {
    const rogue = new RogueProcess(options)
    const { id, address, key, peers } = options
    const shown: Identity = {
      id,
      cluster: DEFAULT_NODE_NAME,
      configuration: SHARED_CONFIGURATION,
      options: { port: SHARED_CONFIGURATION },
      get incarnation() {
        return rogue.incarnation
      },
    }
    const link = (peer: string): RogueLink => rogue.links.get(peer)!
    const events = {
      connected: (peer: string) => {
        rogue.connections += 1
        rogue.send(link(peer), link(peer).begin())
      },
      frame: (peer: string, payload: Json) => {
        if (link(peer).learn(payload)) rogue.groupFrames += 1
      },
      lost: (peer: string, loss: LinkLoss) => {
        link(peer).isConnected = false
        if (loss.kind === 'rejected' && loss.seen !== undefined) rogue.incarnation = loss.seen
      },
      refused: () => undefined,
    }
    rogue.endpoint = await tcp({ key }).listen(shown, address, peers, events, { answerMs: 1500 })
    for (const peer of peers) rogue.endpoint.probe(peer.id)
    return rogue
  }

  get sent(): number {
    return [...this.links.values()].reduce((sum, { total }) => sum + total, 0)
  }

  /** Sends so many frames, over as many connections as that takes, unless a process dies. */
  async attack(count: number, hasKilled: () => boolean): Promise<void> {
    const each = Math.ceil(count / this.links.size)
    const links = [...this.links.values()]
    await Promise.all(links.map(async (link) => this.attackOne(link, each, hasKilled)))
  }

  private async attackOne(link: RogueLink, count: number, hasKilled: () => boolean): Promise<void> {
    const batch = Math.ceil((FRAMES_PER_SECOND * BATCH_MS) / 1000)
    let idleMs = 0
    while (link.total < count && !hasKilled()) {
      await sleep(BATCH_MS)
      if (!link.isConnected) {
        this.endpoint.probe(link.peer)
        idleMs += BATCH_MS
        if (idleMs > MOST_IDLE_MS) throw new Error(`${link.peer} accepts no frame of the rogue`)
        continue
      }
      const due = Math.min(batch, count - link.total)
      for (let i = 0; i < due; i++) this.send(link, [link.draw()])
      if (!link.isOver()) continue
      link.isConnected = false
      this.endpoint.release(link.peer)
    }
  }

  private send(link: RogueLink, frames: readonly Json[]): void {
    for (const frame of frames) {
      this.endpoint.send(link.peer, frame)
      link.count(frame)
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.endpoint.close()
  }
}

/** What the rogue has seen of one peer, and the connection with it. */
class RogueLink {
  readonly peer: string
  isConnected = false
  /** Of all connections. */
  total = 0
  private sent = 0
  private habit: Habit = 'mixed'
  private limit = 0
  private readonly options: RogueProcessOptions
  private readonly introductions = new Map<string, Introduction>()
  private readonly incarnations = new Map<string, number>()
  private readonly recent: Json[] = []
  /** The groups under the numbers of the rogue. */
  private readonly announced = new Map<number, string>()

  constructor(options: RogueProcessOptions, peer: string) {
    this.options = options
    this.peer = peer
  }

  /** The first frames of a connection. */
  begin(): Json[] {
    const { random, frames } = this.options
    this.isConnected = true
    this.sent = 0
    this.announced.clear()
    this.habit = HABITS[random.below(HABITS.length)]
    this.limit = 20 + random.below(random.below(4) === 0 ? 4000 : 400)
    return [['session', false], ...frames.opening(this.known)]
  }

  draw(): Json {
    return this.options.frames.draw(this.known, this.habit)
  }

  count(frame: Json): void {
    this.total += 1
    const read = readPairFrame(frame)
    if (read === undefined) return // the peer does not count it
    if (read[0] === 'session') this.sent = 0
    else this.sent += 1
    if (read[0] === 'open') this.announced.set(read[1], read[2].cluster)
  }

  isOver(): boolean {
    return this.sent > this.limit
  }

  /** Whether it is the frame of a group. */
  learn(payload: Json): boolean {
    this.recent.push(payload)
    if (this.recent.length > MOST_RECENT) this.recent.shift()
    this.options.seen.learn(JSON.stringify(payload))
    const frame = readPairFrame(payload)
    if (frame?.[0] === 'open') this.introductions.set(frame[2].cluster, frame[2])
    if (frame?.[0] === 'reject') this.rejected(frame[1], frame[2].detail)
    return typeof frame?.[0] === 'number'
  }

  /** A member names the incarnation that it has seen: from now on the rogue has this one. */
  private rejected(number: number, detail: string): void {
    const seen = SEEN.exec(detail)?.[1]
    const group = this.announced.get(number)
    if (seen !== undefined && group !== undefined) this.incarnations.set(group, Number(seen))
  }

  private get known(): Known {
    const { introductions, incarnations, recent, sent, peer } = this
    const { id: rogue, foreign } = this.options
    return { rogue, peer, introductions, foreign, incarnations, recent, sent }
  }
}
