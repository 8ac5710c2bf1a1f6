/** Many groups over one port: what each group learns about its peers, and when beats stop counting. */
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import type { Json } from '../../core/schema.ts'
import { MemoryHub } from '../memory.ts'
import type { Endpoint, Identity, LinkEvents, LinkLoss, Transport } from '../transport.ts'
import { until } from '../../testing/wait.ts'
import { ManualClock } from '../../../test/support/manual-clock.ts'
import { SharedPort, type SharedPortOptions } from './shared-port.ts'

const TIMING = { answerMs: 300, periodMs: 40 }

/** A member of one group, and what it was told. */
class Told implements LinkEvents {
  readonly connections: string[] = []
  readonly frames: Json[] = []
  readonly losses: (LinkLoss & { readonly peer: string })[] = []
  readonly refusals: string[] = []
  woke = 0
  agrees = true
  agreed: string[] = []
  endpoint!: Endpoint
  connected(peer: string, incarnation: number): void {
    this.connections.push(`${peer}#${incarnation}`)
  }
  frame(_peer: string, payload: Json): void {
    this.frames.push(payload)
  }
  lost(peer: string, loss: LinkLoss): void {
    this.losses.push({ ...loss, peer })
  }
  refused(reason: string): void {
    this.refusals.push(reason)
  }
  restAsked = (): boolean => this.agrees
  restAgreed = (peer: string): void => void this.agreed.push(peer)
  woken = (): void => {
    this.woke += 1
    this.endpoint.beats!.end()
  }
}

const other = (id: string): string => (id === 'a' ? 'b' : 'a')

type More = Partial<Pick<SharedPortOptions, 'clock' | 'shareHeartbeats'>>

async function portOf(id: string, transport: Transport, more: More = {}): Promise<SharedPort> {
  const peers = [{ id: other(id), address: `${other(id)}:1` }]
  const options = { id, name: 'ports', incarnation: 1, transport, answerMs: 300 }
  return SharedPort.open({ ...options, listen: `${id}:1`, peers, shareHeartbeats: true, ...more })
}

async function member(
  port: SharedPort,
  group: string,
  more: Partial<Identity> = {},
  timing = TIMING,
) {
  const told = new Told()
  const identity = { id: port.id, cluster: group, configuration: 'same', incarnation: 1, ...more }
  const peers = [{ id: other(port.id), address: `${other(port.id)}:1` }]
  told.endpoint = await port.transport.listen(identity, '', peers, told, timing)
  told.endpoint.probe(other(port.id))
  return told
}

async function bothPorts(transport: Transport = new MemoryHub()) {
  return { a: await portOf('a', transport), b: await portOf('b', transport), transport }
}

test('each group has frames, incarnations and rejections of its own over one connection', async () => {
  const { a, b } = await bothPorts()
  const [one, two] = [await member(a, 'one', { incarnation: 7 }), await member(a, 'two')]
  const [first, second] = [
    await member(b, 'one'),
    await member(b, 'two', { configuration: 'other', options: { lease: '9s' } }),
  ]
  await until(() => first.connections.length > 0 && one.connections.length > 0)
  expect(first.connections).toEqual(['a#7'])
  one.endpoint.send('b', { hello: 1 })
  await until(() => first.frames.length > 0)
  expect(first.frames).toEqual([{ hello: 1 }])
  await until(() => two.losses.some(({ kind }) => kind === 'rejected'))
  expect(second.losses.at(-1)).toMatchObject({
    peer: 'a',
    kind: 'rejected',
    field: 'configuration',
  })
  expect([two.connections, second.connections, second.frames]).toEqual([[], [], []])
  expect(a.counters['dials'] + b.counters['dials']).toBe(1)
})

test('a member that the peer lacks is down in its group only, and comes up when it joins', async () => {
  const { a, b } = await bothPorts()
  const one = await member(a, 'one')
  await member(b, 'one')
  await until(() => one.connections.length > 0)
  const before = one.losses.length
  const lonely = await member(a, 'lonely')
  await until(() => lonely.losses.some(({ kind }) => kind === 'refused'))
  const cause = 'its process runs, and has not joined this group'
  expect(lonely.losses[0]).toEqual({ peer: 'b', kind: 'refused', cause })
  const joined = await member(b, 'lonely')
  await until(() => lonely.connections.length > 0)
  await joined.endpoint.close()
  await until(() => lonely.losses.at(-1)?.kind === 'refused')
  expect(one.losses.length).toBe(before)
  expect(one.connections).toEqual(['b#1'])
})

test('a lower incarnation of a member is rejected, and the member learns which one was seen', async () => {
  const { a, b } = await bothPorts()
  const old = await member(a, 'one', { incarnation: 5 })
  await member(b, 'one')
  await until(() => old.connections.length > 0)
  await old.endpoint.close()
  const older = await member(a, 'one', { incarnation: 3 })
  await until(() => older.losses.some(({ kind }) => kind === 'rejected'))
  expect(older.losses.find(({ kind }) => kind === 'rejected')).toMatchObject({
    field: 'incarnation',
    seen: 5,
  })
})

test('an incarnation that no restarts can have reached is rejected, and one that was seen long ago rejects nothing', async () => {
  const [transport, clock] = [new MemoryHub(), new ManualClock()]
  const a = await portOf('a', transport)
  const b = await portOf('b', transport, { clock })
  const other = await member(b, 'one')
  /** Joins and leaves; returns what its peer says. */
  const shown = async (incarnation: number): Promise<string> => {
    const { connections } = other
    const before = connections.length
    const one = await member(a, 'one', { incarnation })
    const rejection = () => one.losses.find(({ kind }) => kind === 'rejected')
    await until(() => connections.length > before || rejection() !== undefined)
    await one.endpoint.close()
    await until(() => other.losses.at(-1)?.kind === 'refused')
    const found = rejection()
    return found?.kind === 'rejected' ? found.detail : connections.at(-1)!
  }
  expect(await shown(5)).toBe('a#5')
  expect(await shown(2 ** 40)).toBe(`incarnation ${2 ** 40} cannot follow 5 so soon`)
  expect(await shown(1000)).toBe('a#1000')
  clock.advance(9 * 60_000)
  expect(await shown(6)).toBe('incarnation 6 is over: 1000 has been seen')
  clock.advance(2 * 60_000)
  expect(await shown(6)).toBe('a#6')
})

test('of many groups that this process has not joined few introductions are kept, and the peer is asked when it joins one', async () => {
  const { a, b } = await bothPorts()
  const one = await member(b, 'one')
  for (let i = 0; i < 3000; i++) await member(a, `group-${i}`)
  for (let i = 0; i < 20; i++) await (await member(a, 'again')).endpoint.close()
  await member(a, 'one')
  await until(() => one.connections.length > 0)
  const { pairs } = b as unknown as {
    pairs: ReadonlyMap<
      string,
      { offers: ReadonlyMap<string, { introduction?: object }>; groupOf: { size: number } }
    >
  }
  const { offers, groupOf } = pairs.get('a')!
  const kept = [...offers.values()].filter(({ introduction }) => introduction !== undefined)
  expect([kept.length, groupOf.size]).toEqual([1024, 3001])
  for (const group of ['group-0', 'group-2999']) {
    const late = await member(b, group)
    await until(() => late.connections.length > 0)
    expect(late.losses).toEqual([])
  }
})

test('the loss of the connection is a loss in every group', async () => {
  const hub = new MemoryHub()
  const { a, b } = await bothPorts(hub)
  const groups = await Promise.all(['one', 'two', 'three'].map(async (group) => member(a, group)))
  for (const group of ['one', 'two', 'three']) await member(b, group)
  await until(() => groups.every(({ connections }) => connections.length > 0))
  hub.crash('b')
  await until(() => groups.every(({ losses }) => losses.at(-1)?.kind === 'closed'))
})

/** A leader in `a` and its follower in `b`, at rest. */
async function atRest(transport: Transport = new MemoryHub()) {
  const { a, b } = await bothPorts(transport)
  const [leader, follower] = [await member(a, 'one'), await member(b, 'one')]
  await until(() => leader.connections.length > 0 && follower.connections.length > 0)
  leader.endpoint.beats!.ask(['b'])
  await until(() => leader.agreed.length > 0)
  await until(() => leader.endpoint.beats!.lastBeat('b') > -Infinity)
  return { a, b, leader, follower }
}

test('beats count from the moment at which they were sent, until a follower wakes', async () => {
  const { leader, follower } = await atRest()
  const heardAt = follower.endpoint.beats!.lastBeat('a')
  expect(leader.endpoint.beats!.lastBeat('b')).toBeLessThanOrEqual(heardAt)
  follower.endpoint.beats!.end()
  await until(() => leader.woke > 0)
  const last = leader.endpoint.beats!.lastBeat('b')
  await sleep(3 * TIMING.periodMs)
  // What counted at the end of the rest counts on, and nothing later does.
  expect(leader.endpoint.beats!.lastBeat('b')).toBe(last)
})

test('a follower that does not agree does not rest', async () => {
  const { a, b } = await bothPorts()
  const [leader, follower] = [await member(a, 'one'), await member(b, 'one')]
  follower.agrees = false
  await until(() => leader.connections.length > 0)
  leader.endpoint.beats!.ask(['b'])
  leader.endpoint.send('b', 'a heartbeat')
  await until(() => follower.frames.length > 0)
  expect([leader.agreed, leader.endpoint.beats!.lastBeat('b')]).toEqual([[], -Infinity])
})

test.each([
  ['the leader', { a: false, b: true }],
  ['the follower', { a: true, b: false }],
])(
  'nothing rests where the process of %s does not share heartbeats',
  async (_, { a: ofA, b: ofB }) => {
    const hub = new MemoryHub()
    const a = await portOf('a', hub, { shareHeartbeats: ofA })
    const b = await portOf('b', hub, { shareHeartbeats: ofB })
    const [leader, follower] = [await member(a, 'one'), await member(b, 'one')]
    await until(() => leader.connections.length > 0 && follower.connections.length > 0)
    expect([leader, follower].map(({ endpoint }) => endpoint.beats !== undefined)).toEqual([
      ofA,
      ofB,
    ])
    leader.endpoint.beats?.ask(['b'])
    leader.endpoint.send('b', 'a heartbeat')
    await until(() => follower.frames.length > 0)
    follower.endpoint.send('a', 'an answer')
    await until(() => leader.frames.length > 0)
    expect([leader.agreed, leader.endpoint.beats?.lastBeat('b') ?? -Infinity]).toEqual([
      [],
      -Infinity,
    ])
  },
)

/** A group of a long period rests, and then one of a short period. Time passes only as the test says. */
async function shortBesideLong() {
  const clock = new ManualClock()
  const hub = new MemoryHub()
  const [a, b] = [await portOf('a', hub, { clock }), await portOf('b', hub, { clock })]
  const rest = async (group: string, periodMs: number) => {
    const timing = { answerMs: 3000, periodMs }
    const leader = await member(a, group, {}, timing)
    const follower = await member(b, group, {}, timing)
    await until(() => leader.connections.length > 0 && follower.connections.length > 0)
    leader.endpoint.beats!.ask(['b'])
    await until(() => leader.agreed.length > 0)
    return { leader, follower }
  }
  const long = await rest('long', 1000)
  clock.advance(1)
  await until(() => long.leader.endpoint.beats!.lastBeat('b') > -Infinity)
  const short = await rest('short', 100)
  return { clock, hub, short }
}

test('a group of a short period has its first beat at once, although one of a long period rests', async () => {
  const { short, clock } = await shortBesideLong()
  clock.advance(1)
  await until(() => short.leader.endpoint.beats!.lastBeat('b') > -Infinity)
  expect(clock.now()).toBeLessThan(10)
  clock.advance(100)
  await until(() => short.leader.endpoint.beats!.lastBeat('b') > 10)
})

test('silence from the start wakes a group of a short period within its own time, although one of a long period rests', async () => {
  const { short, clock, hub } = await shortBesideLong()
  hub.cut('a', 'b')
  clock.advance(151)
  expect([short.leader.woke, short.follower.woke]).toEqual([1, 1])
})

test('beats that are late wake both sides', async () => {
  const hub = new MemoryHub()
  const { leader, follower } = await atRest(hub)
  hub.cut('a', 'b')
  await until(() => leader.woke > 0 && follower.woke > 0)
})

test('a frame that was dropped on the way ends the rest of all groups: it may have been the end of one', async () => {
  const hub = new MemoryHub()
  let drops = false
  const lossy = dropping(hub, (kind) => drops && kind !== 'answer')
  const { leader, follower } = await atRest(lossy)
  drops = true
  follower.endpoint.beats!.end()
  const wokeAt = performance.now()
  await until(() => leader.losses.some(({ kind }) => kind === 'closed'))
  expect(leader.refusals).toContain('b: 1 frames were dropped')
  expect(leader.endpoint.beats!.lastBeat('b')).toBeLessThanOrEqual(wokeAt + hrOffset())
})

test('an announcement that was dropped proves no death: the connection begins anew', async () => {
  let dropped = 0
  const hub = new MemoryHub()
  const lossy = dropping(hub, (kind) => kind === 'open' && (dropped += 1) === 1)
  const [a, b] = [await portOf('a', lossy), await portOf('b', lossy)]
  hub.cut('a', 'b')
  await member(b, 'one')
  const one = await member(a, 'one')
  hub.heal()
  one.endpoint.probe('b')
  await until(() => one.refusals.length > 0)
  one.endpoint.probe('b')
  await until(() => one.connections.length > 0)
  expect(one.losses.map(({ kind }) => kind)).not.toContain('refused')
  expect(one.refusals).toContain('b: 1 frames were dropped')
})

/** Drops the frames of `b` of these kinds. */
function dropping(hub: MemoryHub, isDropped: (kind: Json) => boolean): Transport {
  return {
    async listen(...given) {
      const endpoint = await hub.listen(...given)
      const send = endpoint.send.bind(endpoint)
      endpoint.send = (peer, payload) => {
        const kind = Array.isArray(payload) ? payload[0] : null
        if (given[0].id !== 'b' || !isDropped(kind)) send(peer, payload)
      }
      return endpoint
    },
  }
}

/** The difference of the clock of beats from that of `performance`. */
function hrOffset(): number {
  const [seconds, nanoseconds] = process.hrtime()
  return seconds * 1000 + nanoseconds / 1e6 - performance.now()
}

test('a follower that agreed to an earlier question does not rest', async () => {
  let held: (() => void) | null = null
  let holds = true
  const hub = new MemoryHub()
  const holding: Transport = {
    async listen(...given) {
      const endpoint = await hub.listen(...given)
      const send = endpoint.send.bind(endpoint)
      // All that follows waits too: no frame overtakes another.
      const queue: (() => void)[] = []
      endpoint.send = (peer, payload) => {
        const isAgreed = Array.isArray(payload) && payload[0] === 'rest'
        const pass = (): void => send(peer, payload)
        if (given[0].id !== 'b' || (queue.length === 0 && !(holds && isAgreed))) return pass()
        queue.push(pass)
        held = () => queue.splice(0).forEach((next) => next())
      }
      return endpoint
    },
  }
  const { a, b } = await bothPorts(holding)
  const [leader, follower] = [await member(a, 'one'), await member(b, 'one')]
  await until(() => leader.connections.length > 0 && follower.connections.length > 0)
  leader.endpoint.beats!.ask(['b'])
  await until(() => held !== null)
  leader.endpoint.beats!.end()
  await until(() => follower.woke > 0)
  follower.agrees = false
  leader.endpoint.beats!.ask(['b'])
  leader.endpoint.send('b', 'a heartbeat')
  await until(() => follower.frames.length > 0)
  holds = false
  held!()
  follower.endpoint.send('a', 'an answer')
  await until(() => leader.frames.length > 0)
  expect(leader.agreed).toEqual([])
})

test('a member that no longer has a peer has not ended', async () => {
  const { a, b } = await bothPorts()
  const [one, other] = [await member(a, 'one'), await member(b, 'one')]
  await until(() => one.connections.length > 0 && other.connections.length > 0)
  one.endpoint.removePeer('b')
  await until(() => other.losses.length > 0)
  expect(other.losses.map(({ kind }) => kind)).toEqual(['rejected'])
})

test('a member that never had a peer is not absent where its process announces its groups', async () => {
  const { a, b } = await bothPorts()
  const told = new Told()
  const identity = { id: 'a', cluster: 'one', configuration: 'same', incarnation: 1 }
  told.endpoint = await a.transport.listen(identity, '', [], told, TIMING)
  const other = await member(b, 'one')
  await until(() => other.losses.length > 0)
  expect(other.losses.map(({ kind }) => kind)).toEqual(['rejected'])
})

test('a member that joins later is told of a peer that runs and lacks it: that peer has not ended', async () => {
  const { a, b } = await bothPorts()
  const first = await member(a, 'first')
  await member(b, 'first')
  await until(() => first.connections.length > 0)
  const told = new Told()
  const identity = { id: 'a', cluster: 'one', configuration: 'same', incarnation: 1 }
  told.endpoint = await a.transport.listen(identity, '', [], told, TIMING)
  const other = await member(b, 'one')
  await until(() => other.losses.length > 0)
  expect(other.losses.map(({ kind }) => kind)).toEqual(['rejected'])
})

test('a member whose announcement was dropped has not ended for one that joins later', async () => {
  let drops = false
  const lossy = dropping(new MemoryHub(), (kind) => drops && kind === 'open')
  const [a, b] = [await portOf('a', lossy), await portOf('b', lossy)]
  const first = await member(a, 'first')
  await member(b, 'first')
  await until(() => first.connections.length > 0)
  drops = true
  await member(b, 'one')
  const one = await member(a, 'one')
  drops = false
  await until(() => {
    one.endpoint.probe('b')
    return one.connections.length > 0
  })
  expect(one.losses.map(({ kind }) => kind)).not.toContain('refused')
})
