/** Attacks a group as one of its members, with a valid certificate; then removes the rogue and measures how soon the others elect. */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { connect } from 'node:tls'
import { algorithms } from '../../../src/algorithms/index.ts'
import { detectors } from '../../../src/detectors/index.ts'
import { Random } from '../../../src/core/random.ts'
import {
  firstConfiguration,
  type GroupConfiguration,
} from '../../../src/runtime/membership/group-configuration.ts'
import { resolveOptions } from '../../../src/runtime/options/resolve-options.ts'
import { parseAddress } from '../../../src/transports/address.ts'
import type { Options } from '../../../src/transports/handshake.ts'
import { until } from '../../../src/testing/wait.ts'
import { Attacker, helloOf } from '../../support/attacker.ts'
import { program, TestCluster } from '../../support/test-cluster.ts'
import { RogueListener } from './rogue-listener.ts'
import { rogueFrames, SeenNumbers, type Frames } from './rogue-frames.ts'

const ROGUE = 'd'
const GROUP = 'cluster'
const ELECT_MS = 10_000
/** Below what a member accepts of one peer, so that most frames are processed. */
const FRAMES_PER_SECOND = 1500
/** In a rejection: the configuration of a member other than the rogue. */
const HASH_OF_ANOTHER = new RegExp(String.raw`\\"([0-9a-f]{16})\\" at (?!${ROGUE}\b)`, 'u')
const ODD_OPTIONS = JSON.parse('{"__proto__":"a","toString":"b","\\u001b[2J":"c"}') as Options
/** A rogue that is never accepted tests nothing. */
const MOST_REJECTIONS = 100
/** How long the rogue only listens. */
const LISTEN_MS = 1500
const TIMING = { detection: 900, period: 300, lease: 1000 }
const FLAGS = Object.entries(TIMING).flatMap(([name, ms]) => [`--${name}`, `${ms}ms`])
const IMPLEMENTATIONS = {
  algorithms,
  detectors,
  byDefault: { advisory: 'bully-fd', quorum: 'bully-fd-quorum', detector: 'link' },
} as const

interface RogueResult {
  readonly attack: 'a member with a valid certificate'
  readonly run: number
  readonly frames: number
  /** Handshakes of the rogue that members accepted. */
  readonly connections: number
  /** Members that dialled the rogue and got an answer. */
  readonly answers: number
  /** From the removal of the rogue and the death of the leader to a leader that all others follow. */
  readonly electedMs: number
  readonly deaths: number
  readonly ok: boolean
}

/** The certificates of five members, and the list of those that are refused. */
class Credentials implements Disposable {
  readonly folder = mkdtempSync(join(tmpdir(), 'bellwether-hostile-'))
  readonly revoked = join(this.folder, 'revoked')

  constructor(names: readonly string[]) {
    const args = ['certs', ...names, '--group', GROUP, '--out', this.folder]
    execFileSync(process.execPath, [program, ...args])
    this.setRevoked(false)
  }

  file(name: string): string {
    return join(this.folder, name)
  }

  /** What the member needs for TLS. */
  of(name: string): { readonly ca: Buffer; readonly cert: Buffer; readonly key: Buffer } {
    const read = (file: string): Buffer => readFileSync(this.file(file))
    return { ca: read('authority.pem'), cert: read(`${name}.pem`), key: read(`${name}.key`) }
  }

  setRevoked(isRevoked: boolean): void {
    writeFileSync(this.revoked, isRevoked ? `${ROGUE}\n` : '')
  }

  [Symbol.dispose](): void {
    rmSync(this.folder, { recursive: true })
  }
}

async function openGroup(credentials: Credentials): Promise<TestCluster> {
  const cluster = await TestCluster.open({
    members: 5,
    flags: FLAGS,
    protection: ['--ca', credentials.file('authority.pem'), '--revoked', credentials.revoked],
    flagsOf: (name) => [
      '--certificate',
      credentials.file(`${name}.pem`),
      '--key',
      credentials.file(`${name}.key`),
    ],
  })
  await cluster.agreed(() => cluster.names) // a new group begins with all of its members
  cluster.processes.kill(ROGUE)
  await until(() => cluster.processes.conditionOf(ROGUE) === 'dead')
  await cluster.agreed(() => cluster.names.filter((name) => name !== ROGUE), ROGUE)
  return cluster
}

/** The rogue knows it as every member does. */
function configurationOf({ processes }: TestCluster): GroupConfiguration {
  const members = Object.fromEntries(processes.addresses)
  return firstConfiguration(
    resolveOptions({ group: GROUP, id: ROGUE, members, timing: TIMING }, IMPLEMENTATIONS),
  )
}

/** One connection of the rogue to one member, opened again whenever the member ends it. */
class RogueLink {
  sent = 0
  connections = 0
  private attacker: Attacker | undefined
  private readonly options
  private readonly to: string
  private readonly frames: Frames
  private readonly seen: SeenNumbers
  private readonly random: Random
  private configuration = ''
  private rejections = 0
  private isAccepted = false

  constructor(
    credentials: Credentials,
    address: string,
    to: string,
    draw: { readonly frames: Frames; readonly seen: SeenNumbers; readonly random: Random },
  ) {
    this.options = {
      ...parseAddress(address),
      ...credentials.of(ROGUE),
      checkServerIdentity: () => undefined,
    }
    this.to = to
    this.frames = draw.frames
    this.seen = draw.seen
    this.random = draw.random
  }

  /** Sends so many frames at the rate, over as many connections as that takes. */
  async attack(count: number): Promise<void> {
    const batch = Math.ceil(FRAMES_PER_SECOND / 50)
    while (this.sent < count) {
      if (this.attacker?.socket.destroyed !== false) await this.dial()
      if (!this.isAccepted) continue
      for (let i = 0; i < batch && this.sent < count; i++) {
        this.attacker?.send(this.frames())
        this.sent += 1
      }
      await sleep(20)
    }
  }

  leave(): void {
    this.attacker?.leave()
  }

  private async dial(): Promise<void> {
    const attacker = new Attacker(connect(this.options))
    this.attacker = attacker
    attacker.socket.on('data', (chunk: Buffer) => this.learn(chunk.toString('latin1')))
    const { configuration } = this
    // Now and then an incarnation that no process can have. (One that is accepted would exclude the rogue's next ones.)
    const incarnation = this.random.below(4) === 0 ? 2 ** 53 - 1 : 2
    // Now and then another configuration, with options of its own making.
    const odd = this.random.below(4) === 0 ? { configuration: 'other', options: ODD_OPTIONS } : {}
    const more = { cluster: GROUP, security: 'tls' as const, configuration, incarnation, ...odd }
    this.isAccepted = false
    attacker.sendJson(helloOf(ROGUE, this.to, more))
    for (let i = 0; i < 100 && !this.isAccepted && !attacker.socket.destroyed; i++) await sleep(5)
    if (this.isAccepted) return
    attacker.leave()
    this.rejections += 1
    if (this.rejections > MOST_REJECTIONS)
      throw new Error(`${this.to} accepts no frame of the rogue`)
  }

  /** A rejection tells a member with a valid certificate how the configurations differ. */
  private learn(text: string): void {
    if (text.includes('{"welcome":')) {
      this.isAccepted = true
      this.connections += 1
    }
    this.configuration = HASH_OF_ANOTHER.exec(text)?.[1] ?? this.configuration
    this.seen.learn(text)
  }
}

export async function attackAsMember(
  runs: number,
  framesPerRun: number,
  report: (result: RogueResult) => void,
): Promise<boolean> {
  using credentials = new Credentials(['a', 'b', 'c', 'd', 'e'])
  await using cluster = await openGroup(credentials)
  const honest = cluster.names.filter((name) => name !== ROGUE)
  const configuration = configurationOf(cluster)
  let ok = true
  for (let run = 1; run <= runs; run++) {
    const random = new Random(run)
    const seen = new SeenNumbers()
    const frames = rogueFrames(random, configuration, seen)
    const from = cluster.entries.length
    const links = honest.map((name) => {
      const address = cluster.processes.addresses.get(name) ?? ''
      return new RogueLink(credentials, address, name, { frames, seen, random })
    })
    const listener = await RogueListener.open(
      ROGUE,
      cluster.processes.addresses.get(ROGUE) ?? '',
      credentials.of(ROGUE),
      { random, frames },
    )
    await Promise.all(links.map((link) => link.attack(Math.ceil(framesPerRun / honest.length))))
    // Members dial it while it does not dial them.
    links.forEach((link) => link.leave())
    await sleep(LISTEN_MS)
    const died = cluster.of('exited', from).filter(({ node }) => node !== ROGUE)
    const result = await removeAndElect(cluster, credentials, honest)
    await listener[Symbol.asyncDispose]()
    const total = (count: 'sent' | 'connections'): number =>
      links.reduce((sum, link) => sum + link[count], 0)
    const { answers } = listener
    const isFine = died.length === 0 && result < ELECT_MS && total('connections') > 0 && answers > 0
    ok &&= isFine
    report({
      attack: 'a member with a valid certificate',
      run,
      frames: total('sent'),
      connections: total('connections'),
      answers,
      electedMs: Math.round(result),
      deaths: died.length,
      ok: isFine,
    })
    credentials.setRevoked(false)
  }
  return ok
}

/** Revokes the rogue, kills the leader, and waits until the other three follow one leader. Then all run again. */
async function removeAndElect(
  cluster: TestCluster,
  credentials: Credentials,
  honest: readonly string[],
): Promise<number> {
  credentials.setRevoked(true)
  const startedMs = performance.now()
  const last = honest.map((name) => cluster.believes(name)).find((name) => honest.includes(name!))
  const victim = last ?? honest.at(-1)!
  cluster.processes.kill(victim)
  const others = honest.filter((name) => name !== victim)
  const limitMs = 3 * ELECT_MS
  await cluster.agreed(() => others, victim, limitMs).catch(() => undefined)
  const electedMs = performance.now() - startedMs
  cluster.processes.start(victim)
  await cluster.agreed(() => honest, undefined, limitMs).catch(() => undefined)
  return electedMs
}
