/** Draws the frames of a malicious member: legal messages of all types with extreme numbers, its group's configuration with any stamp or with an error in it, illegal messages, and malformed bytes. */
import { bullyFdQuorum } from '../../../src/algorithms/bully-fd-quorum.ts'
import type { Random } from '../../../src/core/random.ts'
import type { Json, Shape, UnionSchema } from '../../../src/core/schema.ts'
import { link } from '../../../src/detectors/link.ts'
import {
  changeTo,
  type GroupConfiguration,
} from '../../../src/runtime/membership/group-configuration.ts'
import { hostMessages } from '../../../src/runtime/host/wire.ts'
import { frameOf, jsonCodec } from '../../../src/transports/frame.ts'
import { header } from '../../support/attacker.ts'

const PARTS: readonly (readonly [letter: string, schema: UnionSchema])[] = [
  ['e', bullyFdQuorum.messages],
  ['e', bullyFdQuorum.messages],
  ['d', link.messages],
  ['h', hostMessages],
]

const STRIDE = 1024
const EXTREMES = [
  0,
  1,
  2,
  STRIDE,
  STRIDE + 1,
  2 ** 20,
  2 ** 31,
  2 ** 32 + 1,
  2 ** 41,
  2 ** 42 - 1,
  2 ** 42 + 1,
  2 ** 52,
  2 ** 53 - STRIDE,
  2 ** 53 - 2,
  2 ** 53 - 1,
]

const ILLEGAL: readonly Json[] = [
  null,
  [],
  'leader',
  { p: 'x', m: {} },
  { p: 'e' },
  { p: 'e', m: { type: '__proto__' } },
  { p: 'e', m: { type: 'halt', term: 1.5, round: -1, incarnation: '1' } },
  { p: 'e', m: { type: 'halt', term: 2 ** 53, round: 2 ** 60, incarnation: 1e300 } },
  { p: 'h', m: { type: 'leaving', successor: 99, incarnation: 0 } },
  { p: 'h', m: { type: 'fence', token: -1 } },
  { p: 'a', m: { url: '\u001b]0;leader\u0007\u202e' } },
  { ping: { ping: [] } },
]

/** What is written over a configuration that is right. Two in three times nothing: then only the stamp may be wrong. */
const WRONG: readonly ((right: GroupConfiguration) => object)[] = [
  ...Array.from({ length: 8 }, () => () => ({})),
  () => ({ founders: [] }),
  () => ({ members: {} }),
  ({ members }) => ({ members: seated(members, () => 1) }),
  ({ members, seats }) => ({ members: seated(members, (seat) => (seat % seats) + 1) }),
]

function seated(members: GroupConfiguration['members'], seatOf: (seat: number) => number): object {
  const all = Object.entries(members)
  return Object.fromEntries(all.map(([name, one]) => [name, { ...one, seat: seatOf(one.seat) }]))
}

export type Frames = () => Buffer

/** A leap that one message may seem to make. Many of them reach the end of the numbers. */
const LEAP = 2 ** 42 - STRIDE

/** The terms and rounds that the honest members use, as far as the rogue has seen them. */
export class SeenNumbers {
  private readonly recent: number[] = [STRIDE]
  private largest = 0

  learn(text: string): void {
    for (const [number] of text.matchAll(/\d{2,16}/gu)) this.recent.push(Number(number))
    if (this.recent.length > 64) this.recent.splice(0, this.recent.length - 64)
  }

  /** Ever larger: from the largest number that was believed, or from the last one that was tried. */
  climb(): number {
    const [seen] = this.recent.slice(-1)
    this.largest = this.largest > Number.MAX_SAFE_INTEGER - LEAP ? seen : this.largest
    this.largest = Math.max(this.largest, ...this.recent) + LEAP
    return this.largest
  }

  near(random: Random): number {
    const base = this.recent[random.below(this.recent.length)]
    return Math.max(0, base + (random.below(5) - 2) * [1, STRIDE, STRIDE * 1000][random.below(3)])
  }
}

/** Messages of a member: `legal` ones of all types, its group's `configuration`, and `illegal` ones. */
export interface RogueMessages {
  readonly legal: () => Json
  readonly configuration: () => Json
  readonly illegal: () => Json
  /** Some integer between these two: extreme, near one that was seen, ever larger, or any. */
  readonly number: (min: number, max: number) => number
}

export function rogueMessages(
  random: Random,
  configuration: GroupConfiguration,
  seen: SeenNumbers,
): RogueMessages {
  const members = Object.keys(configuration.members).length
  const drawNumber = (min: number, max: number): number => {
    const draws = [
      () => EXTREMES[random.below(EXTREMES.length)],
      () => seen.near(random),
      () => seen.climb(),
      () => random.bits(),
    ]
    return Math.min(max, Math.max(min, draws[random.below(draws.length)]()))
  }
  const drawLeaf = (shape: Shape): Json => {
    if (shape.type === 'flag') return random.below(2) === 1
    if (shape.type === 'oneOf') return shape.names[random.below(shape.names.length)]
    if (shape.type === 'text') return 'x'.repeat(random.below(shape.maxLength + 1))
    if (shape.type === 'node') return random.below(members + 1)
    if (shape.type === 'int') return drawNumber(shape.min, shape.max)
    return []
  }
  const drawLegal = (): Json => {
    const [p, schema] = PARTS[random.below(PARTS.length)]
    const type = schema.types[random.below(schema.types.length)]
    const fields = schema
      .variant(type)
      .entries.map(({ name, field }) => [name, drawLeaf(field.shape)])
    return { p, m: { type, ...(Object.fromEntries(fields) as { [key: string]: Json }) } }
  }
  const drawConfiguration = (): Json => {
    const wrong = WRONG[random.below(WRONG.length)]
    const data = JSON.stringify({ ...configuration, ...wrong(configuration) })
    const voters = [...changeTo(configuration).voters]
    const content = { voters, observers: [], data }
    const fields = Object.entries(bullyFdQuorum.messages.variant('config').fields)
    const drawn: { [key: string]: Json } = {}
    for (const [name, { shape }] of fields) drawn[name] = drawLeaf(shape)
    return { p: 'e', m: { ...drawn, ...content, type: 'config' } }
  }
  return {
    legal: drawLegal,
    configuration: drawConfiguration,
    illegal: () => ILLEGAL[random.below(ILLEGAL.length)],
    number: drawNumber,
  }
}

export function rogueFrames(
  random: Random,
  configuration: GroupConfiguration,
  seen: SeenNumbers,
): Frames {
  const messages = rogueMessages(random, configuration, seen)
  return () => {
    const choice = random.below(1000)
    if (choice < 20) return frameOf(jsonCodec.encode(messages.configuration()))
    if (choice < 850) return frameOf(jsonCodec.encode(messages.legal()))
    if (choice < 950) return frameOf(jsonCodec.encode(messages.illegal()))
    if (choice < 990) return frameOf(Buffer.from(`{"p":"a","m":${nested(random)}}`))
    if (choice < 997) return frameOf(jsonCodec.encode(messages.legal()))
    if (choice < 999) return frameOf(Buffer.from('{"p":'))
    return header(random.bits())
  }
}

/** Costly to decode: deep, or wide, up to the longest frame. */
function nested(random: Random): string {
  const depth = random.below(8000)
  return random.below(2) === 0 ? '['.repeat(depth) + ']'.repeat(depth) : `[${'0,'.repeat(depth)}0]`
}
