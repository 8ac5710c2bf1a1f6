/**
 * The process of a stranger on the loopback interface: gives up its user, then tries everything that needs no key against
 * the ports of a group. It reports, for each kind of attack, how many tries were answered with anything but the end.
 */
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { until } from '../../../src/testing/wait.ts'
import { frameOf, jsonCodec } from '../../../src/transports/frame.ts'
import { NoiseHandshake } from '../../../src/transports/tcp/security/noise.ts'
import { HANDSHAKE_VERSION, PROLOGUE } from '../../../src/transports/tcp/security/pre-shared-key.ts'
import { Attacker, header, helloOf } from '../../support/attacker.ts'

export interface StrangerOrder {
  readonly group: string
  readonly addresses: Readonly<Record<string, string>>
  readonly keyFile: string
  readonly tries: number
}

export interface StrangerReport {
  readonly attack: string
  readonly tries: number
  /** Tries that received a byte. */
  readonly answered: number
  /** Whether the process runs as another user; false where it may not change it. */
  readonly isOtherUser: boolean
  readonly couldReadKey: boolean
}

const NOBODY = 65_534
/** Connections of each kind at once: more than members keep, so that idle ones give way to newer ones. */
const AT_ONCE = 500
const LIMIT_MS = 60_000

type Attack = (order: StrangerOrder, name: string) => Buffer

const impostor = (order: StrangerOrder, to: string, incarnation: number): Buffer => {
  const from = Object.keys(order.addresses).find((name) => name !== to) ?? to
  const more = { cluster: order.group, incarnation }
  const hello = frameOf(jsonCodec.encode(helloOf(from, to, more)))
  const lead = frameOf(jsonCodec.encode({ p: 'e', m: { type: 'ldr', term: 2 ** 53 - 1 } }))
  return Buffer.concat([hello, lead])
}

const ATTACKS: Readonly<Record<string, Attack>> = {
  'sends nothing': () => Buffer.alloc(0),
  'sends random bytes': () => randomBytes(1 + Math.floor(Math.random() * 300)),
  'claims the name of a member with the last incarnation': (order, to) =>
    impostor(order, to, Number.MAX_SAFE_INTEGER),
  'claims the name of a member with the next incarnation': (order, to) => impostor(order, to, 2),
  'proves another key': (order, to) => {
    const handshake = new NoiseHandshake('dialler', randomBytes(32), PROLOGUE)
    const hello = handshake.write(jsonCodec.encode(helloOf('a', to, { cluster: order.group })))
    return frameOf(Buffer.concat([Buffer.from([HANDSHAKE_VERSION]), hello]))
  },
  'sends random bytes in the form of a handshake': () =>
    frameOf(Buffer.concat([Buffer.from([HANDSHAKE_VERSION]), randomBytes(200)])),
  'sends half a frame': () => header(300),
  'announces 4 GiB': () => header(0xffff_ffff),
  'sends messages without a handshake': () =>
    frameOf(jsonCodec.encode({ p: 'h', m: { type: 'leaving', successor: 1, incarnation: 1 } })),
  'sends a rejection': () =>
    frameOf(jsonCodec.encode({ rejected: { field: 'id', detail: '\u001b[2J' } })),
  'speaks HTTP': () => Buffer.from('GET /status HTTP/1.1\r\nHost: a\r\n\r\n'),
  'speaks TLS': () => Buffer.from('16030100050100000100', 'hex'),
}

async function run(order: StrangerOrder): Promise<void> {
  const isOtherUser = process.getuid?.() === 0
  if (isOtherUser) {
    process.setgroups?.([])
    process.setgid?.(NOBODY)
    process.setuid?.(NOBODY)
  }
  const couldReadKey = canRead(order.keyFile)
  const attempts = Object.entries(ATTACKS).map(async ([attack, bytesFor]) => {
    const answered = await tryAll(order, bytesFor)
    const report = { attack, tries: order.tries, answered, isOtherUser, couldReadKey }
    process.send?.(report satisfies StrangerReport)
  })
  await Promise.all(attempts)
  process.disconnect?.()
}

/** Connections that wait for their time-out are not waited for, up to a number: newer ones make them give way. */
async function tryAll(order: StrangerOrder, bytesFor: Attack): Promise<number> {
  const names = Object.keys(order.addresses)
  const open = new Set<Attacker>()
  let answered = 0
  for (let i = 0; i < order.tries; i++) {
    const name = names[i % names.length]
    const stranger = Attacker.at(order.addresses[name])
    open.add(stranger)
    stranger.socket.once('close', () => {
      open.delete(stranger)
      if (stranger.received.length > 0) answered += 1
    })
    const bytes = bytesFor(order, name)
    if (bytes.length > 0) stranger.send(bytes)
    await Promise.race([once(stranger.socket, 'connect'), stranger.closed])
    await until(() => open.size < AT_ONCE, 'closed connections', LIMIT_MS)
  }
  await until(() => open.size === 0, 'closed connections', LIMIT_MS)
  return answered
}

function canRead(file: string): boolean {
  try {
    return readFileSync(file).length > 0
  } catch {
    return false
  }
}

process.once('message', (order: StrangerOrder) => void run(order))
