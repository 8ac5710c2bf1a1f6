/**
 * Draws the pair frames of a malicious process: all kinds with numbers of groups that exist or not, introductions that are
 * right, wrong or of groups that nobody has, frames of members, replays of what it received, and illegal frames.
 */
import type { Random } from '../../../src/core/random.ts'
import type { Json } from '../../../src/core/schema.ts'
import { introductionOf, type Introduction } from '../../../src/transports/handshake.ts'
import type { RogueMessages } from './rogue-frames.ts'

/** What the rogue knows of one connection. */
export interface Known {
  readonly rogue: string
  readonly peer: string
  /** By group: the introductions that the peer's members have sent. */
  readonly introductions: ReadonlyMap<string, Introduction>
  /** Of groups that the rogue is no member of. */
  readonly foreign: readonly string[]
  /** An incarnation that the peer has seen, by group. */
  readonly incarnations: ReadonlyMap<string, number>
  /** Frames that the peer sent. */
  readonly recent: readonly Json[]
  /** How many frames have been sent on the connection. */
  readonly sent: number
}

/** What it mostly sends on one connection. */
export type Habit = 'mixed' | 'announces' | 'rests'
export const HABITS: readonly Habit[] = ['mixed', 'mixed', 'announces', 'rests']

const LONGEST_NAME = 200
const LONG_TEXT = 12_000
const ODD_NAMES = ['', '__proto__', 'toString', '\u001b[2J\u202e', 'x'.repeat(LONGEST_NAME)]
const ILLEGAL: readonly Json[] = [
  null,
  [],
  {},
  'beat',
  [null],
  ['session'],
  ['session', 1],
  ['open'],
  ['open', 1, null, true],
  ['open', 1, { cluster: 'group-0' }, true],
  ['open', -1, {}, 'yes'],
  ['reject', 1],
  ['reject', 1, { field: 1, detail: {} }],
  ['close', 1.5],
  ['close', '1'],
  ['beat', 2 ** 53, 0],
  ['answer', 1, -1],
  ['rest?', null, 1],
  ['wake', {}],
  ['__proto__', 1, 2],
  ['constructor'],
  [1],
  [1, {}, {}],
  [1.5, {}],
  [-1, {}],
  [1e300, { p: 'e', m: {} }],
]

/** Instead of the names of groups, in a frame that is right but for them. */
const NO_NAMES: readonly Json[] = [null, 7, 'group-0', {}, { includes: 1 }, [null, 1, {}], [[]]]

export class RoguePairFrames {
  private readonly random: Random
  private readonly messages: RogueMessages
  private made = 0

  constructor(random: Random, messages: RogueMessages) {
    this.random = random
    this.messages = messages
  }

  /** What a genuine process would send first: its groups are announced under the numbers 1, 2, … Now and then one is left out. */
  opening(known: Known): Json[] {
    const opens = [...known.introductions.values()].flatMap((theirs, i): Json[] => {
      if (this.random.below(4) === 0) return []
      return [['open', i + 1, this.answerTo(theirs, known) as unknown as Json, this.flag()]]
    })
    return [...opens, ['joined', known.sent + opens.length, []]]
  }

  draw(known: Known, habit: Habit): Json {
    const { random } = this
    const of: Record<Habit, readonly (readonly [weight: number, draw: () => Json])[]> = {
      mixed: [
        [40, () => [this.groupNumber(), this.message()]],
        [14, () => this.open(known)],
        [4, () => ['reject', this.groupNumber(), this.rejection()]],
        [1, () => ['close', this.groupNumber()]],
        [10, () => this.rest()],
        [10, () => this.beat(known)],
        [2, () => this.joined(known)],
        [1, () => ['session', this.flag()]],
        [8, () => this.pick(known.recent) ?? null],
        [8, () => this.pick(ILLEGAL)],
        [4, () => ['joined', known.sent, this.pick(NO_NAMES)]],
      ],
      announces: [
        [95, () => this.announcement(known)],
        [5, () => this.beat(known)],
      ],
      rests: [
        [60, () => this.rest()],
        [30, () => this.beat(known)],
        [10, () => [this.groupNumber(), this.message()]],
      ],
    }
    const choices = of[habit]
    let left = random.below(choices.reduce((sum, [weight]) => sum + weight, 0))
    return choices.find(([weight]) => (left -= weight) < 0)![1]()
  }

  private message(): Json {
    const choice = this.random.below(100)
    if (choice < 2) return this.messages.configuration()
    return choice < 88 ? this.messages.legal() : this.messages.illegal()
  }

  private open(known: Known): Json {
    if (this.random.below(4) === 0) return this.announcement(known)
    const theirs = this.pick([...known.introductions.values()])
    if (theirs === undefined) return this.announcement(known)
    const right = this.answerTo(theirs, known)
    const introduction = { ...right, ...this.pick(this.wrong(right)) } as unknown as Json
    return ['open', this.groupNumber(), introduction, this.flag()]
  }

  /** What is written over an introduction that is right; in two of three nothing. */
  private wrong(right: Introduction): object[] {
    const nothing = Array.from({ length: 28 }, () => ({}))
    return [
      ...nothing,
      { incarnation: right.incarnation + this.random.below(1000) },
      { incarnation: this.count() },
      { incarnation: Number.MAX_SAFE_INTEGER },
      { id: right.to },
      { id: this.pick(['a', 'b', 'nobody', ...ODD_NAMES]) },
      { to: right.id },
      { seat: this.random.below(5) },
      { configuration: this.text() },
      { fixed: this.text(), changed: true },
      { changed: true, configuration: 'other' },
      { cluster: this.pick(ODD_NAMES) },
      { options: { ['__proto__']: 'a', toString: 'b', '\u001b[2J': 'c' }, configuration: 'other' },
      { protocol: this.count() },
      { security: 'tls' },
    ]
  }

  /** A group that the peer has not joined, or that the rogue is no member of. */
  private announcement(known: Known): Json {
    this.made += 1
    const padded = `${this.made} `.padEnd(this.random.below(LONGEST_NAME + 50), 'x')
    const cluster = this.pick([padded, padded, padded, ...known.foreign, ...ODD_NAMES])
    const theirs = this.pick([...known.introductions.values()])
    const configuration = this.random.below(50) === 0 ? this.text() : 'c0ffee'
    const identity = { id: known.rogue, cluster, configuration, incarnation: 1 }
    const own = { security: 'plain', life: 'forged', to: known.peer } as const
    const made = introductionOf(theirs === undefined ? identity : { ...theirs, ...identity }, own)
    return ['open', this.pick([this.made + 100, this.count()]), made as unknown as Json, false]
  }

  private answerTo(theirs: Introduction, { rogue, peer, incarnations }: Known): Introduction {
    const incarnation = incarnations.get(theirs.cluster) ?? 1
    return { ...theirs, id: rogue, to: peer, seat: 0, life: 'forged', incarnation }
  }

  private rest(): Json {
    const kind = this.pick(['rest?', 'rest', 'wake'])
    const group = this.groupNumber()
    if (kind === 'wake') return [kind, group]
    return [kind, group, this.pick([this.random.below(50), this.count()])]
  }

  private beat({ sent }: Known): Json {
    const number = this.pick([this.random.below(100), this.random.below(100), this.count()])
    return [this.pick(['beat', 'answer']), number, this.sentOr(sent)]
  }

  private joined({ sent, introductions, foreign }: Known): Json {
    const lists = [[], [...introductions.keys()], [...foreign], ODD_NAMES, this.manyNames()]
    return ['joined', this.sentOr(sent), this.pick(lists)]
  }

  private manyNames(): string[] {
    return Array.from({ length: 1000 }, (_, i) => `name ${i}`)
  }

  /** Mostly the right number: another one ends the connection. */
  private sentOr(sent: number): number {
    return this.random.below(40) === 0 ? this.count() : sent
  }

  private rejection(): Json {
    const field = this.pick(['id', 'incarnation', 'configuration', '__proto__', this.text()])
    return { field, detail: this.text(), seen: this.pick([-1, 1, 900, this.count(), 1e300]) }
  }

  /** Mostly that of a group which the rogue has announced. */
  private groupNumber(): number {
    return this.random.below(10) === 0 ? this.count() : 1 + this.random.below(3)
  }

  private count(): number {
    return this.messages.number(0, Number.MAX_SAFE_INTEGER)
  }

  private text(): string {
    return 'x'.repeat(this.random.below(this.random.below(10) === 0 ? LONG_TEXT : 50))
  }

  private flag(): boolean {
    return this.random.below(2) === 1
  }

  private pick<T>(from: readonly T[]): T {
    return from[from.length === 0 ? 0 : this.random.below(from.length)]
  }
}
