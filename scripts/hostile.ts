/**
 * `npm run hostile -- [share]`: a member in a process of its own is attacked through its port, at full
 * scale or a share of it, while a peer stays connected. Prints what came of each attack, as JSON lines,
 * and exits 1 if the member is gone, the link broke, or the memory did not come back.
 */
import { fork, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { frameOf, jsonCodec } from '../src/transports/frame.ts'
import { tcp } from '../src/transports/tcp.ts'
import { Attacker, header, helloOf } from '../test/hostile/attacker.ts'
import { CLUSTER, eventually, Log, peersOf } from '../test/transports.ts'
import { amount, commandLine } from './usage.ts'

const MAX_GROWTH_MB = 20

/** The member under attack: answers every frame, and reports its memory when it is asked. */
async function serve(address: string, peer: string): Promise<void> {
  const log = new Log()
  const peers = ['a', 'c'].map((id) => ({ id, address: peer }))
  const identity = { ...CLUSTER, id: 'b', incarnation: 1 }
  const endpoint = await tcp().listen(identity, address, peers, log)
  log.onFrame = (from, payload) => from === 'a' && endpoint.send('a', payload)
  process.on('message', () => {
    log.told.length = 0
    globalThis.gc?.()
    process.send?.({ rssMb: process.memoryUsage().rss / (1 << 20), counters: endpoint.counters })
  })
  process.on('disconnect', () => process.exit())
  // It says nothing by itself, so nothing but the told events would grow.
  setInterval(() => (log.told.length = 0), 50)
  process.send?.('listening')
}

interface Scene {
  readonly member: ChildProcess
  readonly address: string
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
  async 'frames of a peer that floods'({ address }, share) {
    const count = Math.round(1_000_000 * share)
    const flood = Attacker.at(address).sendJson(helloOf('c', 'b'))
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
 * would let the dialler believe in a connection of which the member never hears, nor ends.
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

async function attackAll(share: number): Promise<void> {
  const [pa, pb] = await peersOf('a', 'b')
  const script = fileURLToPath(import.meta.url)
  const execArgv = ['--import', 'tsx', '--expose-gc']
  const member = fork(script, [pb.address, pa.address], { execArgv })
  await once(member, 'message')
  const log = new Log()
  const endpoint = await tcp().listen(
    { ...CLUSTER, id: 'a', incarnation: 1 },
    pa.address,
    [pb],
    log,
  )
  const scene = { member, address: pb.address }
  const answers = async (): Promise<boolean> => {
    const count = log.frames('b').length
    endpoint.send('b', count)
    await log.until(() => log.frames('b').length > count || log.losses('b').length > 0)
    return log.losses('b').length === 0
  }
  let ok = await answers()
  // Once before it counts: what the first connections allocate for good is no leak.
  for (const attack of Object.values(ATTACKS)) await attack(scene, share / 10)
  const before = await report(member)
  for (const [name, attack] of Object.entries(ATTACKS)) {
    const startedMs = performance.now()
    const count = await attack(scene, share)
    const seconds = Math.round((performance.now() - startedMs) / 100) / 10
    const linkStands = await answers()
    const { rssMb, counters } = await report(member)
    const grownMb = Math.round((rssMb - before.rssMb) * 10) / 10
    ok &&= linkStands && member.exitCode === null && grownMb < MAX_GROWTH_MB
    const line = { attack: name, count, seconds, linkStands, grownMb, open: counters['open'] }
    process.stdout.write(`${JSON.stringify(line)}\n`)
  }
  const exited = once(member, 'exit')
  member.kill('SIGKILL')
  await Promise.all([exited, endpoint.close()])
  process.exitCode = ok ? 0 : 1
}

async function report(
  member: ChildProcess,
): Promise<{ readonly rssMb: number; readonly counters: Record<string, number> }> {
  let last: { rssMb: number; counters: Record<string, number> } | undefined
  // Until only the peer's connection is left.
  await eventually(() => member.connected)
  while (last === undefined || last.counters['open'] > 1) {
    member.send('report')
    const [told] = (await once(member, 'message')) as [typeof last]
    last = told
  }
  return last
}

if (process.send === undefined) {
  const { words } = commandLine({
    run: 'npm run hostile',
    does:
      'A member is attacked through its port while a peer stays connected. Prints JSON lines; exit code 1\n' +
      'if it is gone, the link broke, or the memory did not come back.',
    words: { share: amount(1, 'of the full scale') },
  })
  await attackAll(words.share)
} else await serve(process.argv[2], process.argv[3])
