/** Feeds random hostile bytes to everything that reads a socket before a peer is trusted: decoder, codec, hello, cipher, handshake. */
import { Random } from '../../src/core/random.ts'
import type { Json } from '../../src/core/schema.ts'
import { WireError } from '../../src/transports/errors.ts'
import { FrameDecoder, frameOf, HEADER, jsonCodec, MAX_BODY } from '../../src/transports/frame.ts'
import {
  compare,
  compareVisit,
  introductionOf,
  contentOf,
  readIntroduction,
  readRejection,
  readVisit,
} from '../../src/transports/handshake.ts'
import { header } from './attacker.ts'
import { CipherState, NoiseHandshake, TAG } from '../../src/transports/tcp/security/noise.ts'
import { PROLOGUE } from '../../src/transports/tcp/security/pre-shared-key.ts'

export interface FuzzReport {
  readonly chunks: number
  readonly frames: number
  readonly refused: number
}

const A = introductionOf(
  { id: 'a', cluster: 'c', configuration: 'x', incarnation: 1 },
  { security: 'plain', life: 'l', to: 'b' },
)
/** The member that reads the bytes. */
const B = { ...A, id: 'b', to: 'a', configuration: 'y', options: { preemption: 'off' } }
const HELLO = jsonCodec.encode({ hello: { ...A } })

/** A hello or a visit with one field, or one option, that a peer chose with care. */
function withOddField(random: Random): Buffer {
  const value = ODD_VALUES[random.below(ODD_VALUES.length)]
  const name = ODD_NAMES[random.below(ODD_NAMES.length)]
  const odd = JSON.parse(`{${JSON.stringify(name)}:${value}}`) as Json
  const content = Object.assign({ ...A }, random.below(2) === 0 ? odd : { options: odd })
  return jsonCodec.encode({ [random.below(2) === 0 ? 'hello' : 'visit']: content })
}

const ODD_NAMES = [...Object.keys(A), '__proto__', 'toString', 'constructor', '\u0000', '']
const ODD_VALUES = ['null', '"a"', '"\\ud800\\u001b"', '{}', '[]', '1e309', '-1', '{"length":-1}']

type Maker = (random: Random) => Buffer

/** Each makes one kind of hostile bytes. */
const MAKERS: readonly Maker[] = [
  (random) => bytes(random, random.below(200)),
  (random) => header(random.bits()),
  (random) => header([0, 1, MAX_BODY, MAX_BODY + 1, 0x7fff_ffff, 0xffff_ffff][random.below(6)]),
  (random) => frameOf(bytes(random, 1 + random.below(300))),
  (random) => frameOf(mutated(random, HELLO)),
  (random) => frameOf(withOddField(random)),
  (random) => frameOf(HELLO).subarray(0, random.below(HELLO.length)),
  (random) => Buffer.concat(Array.from({ length: random.below(5) }, () => frameOf(HELLO))),
  (random) => frameOf(Buffer.from('[{"a":'.repeat(random.below(2000)) || '{}')),
  (random) => frameOf(Buffer.from(WEIRD[random.below(WEIRD.length)])),
  (random) => frameOf(Buffer.alloc(1 + random.below(MAX_BODY), '1')),
]

const WEIRD = [
  'null',
  '{"hello":null}',
  '{"hello":[]}',
  '{"__proto__":{"hello":1},"constructor":{"prototype":{}}}',
  '{"hello":{"__proto__":null,"toString":1}}',
  '{"hello":{"protocol":1e309,"oldest":-1,"incarnation":9007199254740993}}',
  '{"hello":{"protocol":"1","oldest":1,"id":{},"cluster":[]}}',
  '{"welcome":{"crossed":"true"}}',
  '{"rejected":{"field":1,"detail":null}}',
  '"\\ud800"',
  '-0',
]

/** Feeds `count` chunks; a refused chunk begins a new connection. Throws everything but a WireError. */
export function fuzz(count: number, seed: number): FuzzReport {
  const random = new Random(seed)
  const key = Buffer.alloc(32, 'k')
  let frames = 0
  let refused = 0
  let decoder = new FrameDecoder()
  const take = (body: Buffer): boolean => {
    frames += 1
    const json = jsonCodec.decode(body)
    const theirs = readIntroduction(contentOf(json, 'hello'))
    if (theirs !== undefined) compare(B, theirs)
    const visit = readVisit(contentOf(json, 'visit'))
    if (visit !== undefined) compareVisit(B, visit)
    readRejection(contentOf(json, 'rejected'))
    return true
  }
  for (let chunk = 0; chunk < count; chunk++) {
    try {
      decoder.feed(MAKERS[random.below(MAKERS.length)](random), take)
      if (random.below(50) === 0) new CipherState(key).decrypt(bytes(random, TAG + 9))
      if (random.below(500) === 0) {
        new NoiseHandshake('listener', key, PROLOGUE).read(bytes(random, random.below(200)))
      }
    } catch (error) {
      if (!(error instanceof WireError)) throw error
      refused += 1
      decoder = new FrameDecoder()
    }
    if (decoder.held >= HEADER + MAX_BODY) throw new RangeError(`${decoder.held} bytes are held`)
  }
  return { chunks: count, frames, refused }
}

/** Drawn once, since that is faster: chunks are random parts of it. */
const NOISE = ((random = new Random(7)) =>
  Buffer.from(Array.from({ length: 1 << 16 }, () => random.below(256))))()

function bytes(random: Random, length: number): Buffer {
  const at = random.below(NOISE.length - length)
  return Buffer.from(NOISE.subarray(at, at + length))
}

function mutated(random: Random, text: Buffer): Buffer {
  const copy = Buffer.from(text)
  for (let i = random.below(4); i >= 0; i--) copy[random.below(copy.length)] = random.below(256)
  return copy
}
