/** Attacks a leader without protection with malformed frames, a flood, slow handshakes and idle connections; it keeps leading and releases memory. */
import { fork, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { join, tcp, type Election } from '../../../src/index.ts'
import { MemoryStore } from '../../../src/stores/memory.ts'
import { frameOf, jsonCodec } from '../../../src/transports/frame.ts'
import { freePorts } from '../../../src/testing/local-cluster.ts'
import { Attacker, CLUSTER, header, helloOf } from '../../support/attacker.ts'

const MAX_GROWTH_MB = 20

type Addresses = Readonly<Record<'a' | 'b' | 'c', string>>

/** Member b is the strongest that runs; attackers pretend to be c. */
async function joinAs(id: 'a' | 'b' | 'c', { a, b, c }: Addresses): Promise<Election> {
  const members = { a, b: { address: b, priority: 1 }, c }
  const transport = tcp({ insecurePlaintext: true })
  return join({ group: CLUSTER.cluster, id, members, state: new MemoryStore(), transport })
}

interface Report {
  readonly rssMb: number
  readonly counters: Readonly<Record<string, number>>
  readonly losses: number
}

/** The leader under attack: reports its memory, counters and losses when it gets a message. */
async function serve(addresses: Addresses): Promise<void> {
  const election = await joinAs('b', addresses)
  let losses = 0
  election.on('lost', () => (losses += 1))
  process.on('message', () => {
    globalThis.gc?.()
    const rssMb = process.memoryUsage().rss / (1 << 20)
    process.send?.({ rssMb, counters: election.counters, losses } satisfies Report)
  })
  process.on('disconnect', () => process.exit())
  process.send?.('listening')
}

interface Scene {
  readonly address: string
  /** What all members have in common. */
  readonly configuration: string
}

type Attack = (scene: Scene, share: number) => Promise<number>

const ATTACKS: Readonly<Record<string, Attack>> = {
  async 'malformed frames, one a connection'({ address }, share) {
    const bad = [header(0xffff_ffff), header(0), frameOf(Buffer.from('{')), Buffer.alloc(64, 0xff)]
    const count = Math.round(20_000 * share)
    for (let i = 0; i < count; i += 50) {
      const batch = Array.from({ length: 50 }, (_, k) => Attacker.at(address).send(bad[k % 4]))
      await Promise.all(batch.map(({ closed }) => closed))
    }
    return count
  },
  async 'frames of a peer that floods'({ address, configuration }, share) {
    const count = Math.round(1_000_000 * share)
    const flood = Attacker.at(address).sendJson(helloOf('c', 'b', { configuration }))
    const hundred = Buffer.concat(
      Array.from({ length: 100 }, (_, i) => frameOf(jsonCodec.encode({ to: 'election', m: i }))),
    )
    for (let i = 0; i < count; i += 100) {
      if (!flood.socket.write(hundred)) await once(flood.socket, 'drain')
    }
    flood.socket.end()
    await flood.closed
    return count
  },
  async 'slow handshakes'({ address }, share) {
    const slow = await crowd(address, Math.round(1000 * share))
    for (const one of slow) one.send(header(300))
    const drip = setInterval(() => slow.forEach((one) => one.send(Buffer.from(' '))), 200)
    await Promise.all(slow.map(({ closed }) => closed))
    clearInterval(drip)
    return slow.length
  },
  async 'idle connections'({ address }, share) {
    const idle = await crowd(address, Math.round(4000 * share))
    await Promise.all(idle.map(({ closed }) => closed))
    return idle.length
  },
}

/**
 * So many connections, opened as fast as the kernel's queue of the listener takes them. Beyond that it
 * would let the dialler assume a connection that the member never accepts, nor ends.
 */
async function crowd(address: string, count: number): Promise<Attacker[]> {
  const all: Attacker[] = []
  while (all.length < count) {
    const batch = Array.from({ length: Math.min(100, count - all.length) }, () =>
      Attacker.at(address),
    )
    await Promise.all(
      batch.map(({ socket, closed }) => Promise.race([once(socket, 'connect'), closed])),
    )
    all.push(...batch)
  }
  return all
}

interface LeaderResult {
  readonly attack: string
  readonly count: number
  readonly seconds: number
  readonly sameLeader: boolean
  readonly grownMb: number
  readonly open: number
  readonly ok: boolean
}

export async function attackLeader(
  share: number,
  report: (result: LeaderResult) => void,
): Promise<boolean> {
  const [a, b, c] = (await freePorts(3)).map((port) => `127.0.0.1:${port}`)
  const addresses = { a, b, c }
  const script = fileURLToPath(import.meta.url)
  const execArgv = ['--conditions=bellwether-source', '--import', 'tsx', '--expose-gc']
  const member = fork(script, [JSON.stringify(addresses)], { execArgv })
  await once(member, 'message')
  await using follower = await joinAs('a', addresses)
  // A new group begins with all of its members.
  const founder = await joinAs('c', addresses)
  for await (const view of follower.watch()) if (view.kind === 'leader') break
  await founder.close()
  for await (const view of follower.watch()) {
    if (view.kind === 'leader' && view.leader === 'b') break
  }
  let changes = 0
  follower.on('leader', () => (changes += 1))
  const scene = { address: b, configuration: hashOf(follower) }
  let ok = true
  // Once before it counts: what the first connections allocate for good is no leak.
  for (const attack of Object.values(ATTACKS)) await attack(scene, share / 10)
  const before = await reportOf(member)
  for (const [name, attack] of Object.entries(ATTACKS)) {
    const startedMs = performance.now()
    const count = await attack(scene, share)
    const seconds = Math.round((performance.now() - startedMs) / 100) / 10
    const { rssMb, counters, losses } = await reportOf(member)
    const { view } = follower
    const sameLeader = view.kind === 'leader' && view.leader === 'b' && changes + losses === 0
    const grownMb = Math.round((rssMb - before.rssMb) * 10) / 10
    const isFine = sameLeader && member.exitCode === null && grownMb < MAX_GROWTH_MB
    ok &&= isFine
    const line = { attack: name, count, seconds, sameLeader, grownMb, open: counters['open'] }
    report({ ...line, ok: isFine })
  }
  const exited = once(member, 'exit')
  member.kill('SIGKILL')
  await exited
  return ok
}

async function reportOf(member: ChildProcess): Promise<Report> {
  let last: Report | undefined
  // Until only the follower's connection is left.
  while (last === undefined || last.counters['open'] > 1) {
    member.send('report')
    ;[last] = (await once(member, 'message')) as [Report]
  }
  return last
}

if (process.send !== undefined && process.argv[2] !== undefined) {
  await serve(JSON.parse(process.argv[2]) as Addresses)
}

/** The handle does not show it: an attacker has to guess it. */
function hashOf(election: Election): string {
  return (election as unknown as { options: { hash: string } }).options.hash
}
