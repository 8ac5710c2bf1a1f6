/** Tiny algorithms for tests of hosts, whose handlers each test defines. */
import {
  algorithm,
  answer,
  period,
  type Algorithm,
  type Handlers,
  type Out,
  type Promises,
} from '../../src/core/algorithm.ts'
import type { NodeId } from '../../src/core/node-id.ts'
import {
  int,
  node,
  nodeSet,
  oneOf,
  record,
  stable,
  union,
  type Infer,
} from '../../src/core/schema.ts'
import { configure, World, type SimOptions } from '../../src/sim/index.ts'

const MAX = Number.MAX_SAFE_INTEGER

const state = record({
  status: oneOf('Norm', 'Elec'),
  leader: node,
  term: int(0, MAX),
  kept: stable(int(0, MAX)),
  keptSet: stable(nodeSet),
  gone: int(0, MAX),
})
const messages = union({ note: { n: int(0, MAX) }, beat: {}, fix: {} })
const timers = { first: answer(1), second: answer(2), tick: period }

type TinyState = Infer<typeof state>
export type TinyMessage = Infer<typeof messages>
export type TinyOut = Out<TinyMessage, keyof typeof timers, 'wheel'>
export type TinyHandlers = Handlers<TinyState, TinyMessage, keyof typeof timers, 'wheel'>

const QUIET: TinyHandlers = { start() {}, message() {}, settled() {} }

/** Promises nothing that a test does not ask for. */
const PROMISES: Promises = {
  agreement: 'eventually',
  leader: 'any',
  oneLeaderPerTerm: false,
  termsRise: false,
}

export function tiny(
  handlers: Partial<TinyHandlers>,
  promises: Partial<Promises> = {},
  more: { topology?: 'ring' } = {},
): Algorithm {
  return algorithm({
    name: 'tiny',
    title: 'an algorithm of a test',
    state,
    messages,
    purposes: { beat: 'heartbeat', fix: 'repair' },
    timers,
    draws: ['wheel'],
    promises: { ...PROMISES, ...promises },
    assumes: { crashes: true, recoveries: true, loss: true, synchrony: true },
    handlers: () => ({ ...QUIET, ...handlers }),
    ...more,
  })
}

export const note = (n: number): TinyMessage => ({ type: 'note', n })

/** The number of a note, for handlers that receive nothing else. */
export function numberOf(message: TinyMessage): number {
  return message.type === 'note' ? message.n : NaN
}

export interface Heard {
  readonly at: number
  readonly node: NodeId
  readonly what: string
}

/** A world with the handlers of a test, and what its members record: `say(out, what)`. */
export interface TinyWorld {
  readonly world: World
  readonly heard: Heard[]
}

type Say = (out: { readonly me: NodeId }, what: string | number) => void

export function tinyWorld(
  handlers: (say: Say) => Partial<TinyHandlers>,
  options: Partial<SimOptions> & { readonly promises?: Partial<Promises> } = {},
): TinyWorld {
  const heard: Heard[] = []
  const { promises = {}, ...given } = options
  const say: Say = ({ me }, what) => {
    heard.push({ at: world.now, node: me, what: String(what) })
  }
  const algorithm = given.algorithm ?? tiny(handlers(say), promises)
  // Handlers record only while the world runs, which is after its construction.
  const world = new World(configure({ members: 2, ...given, algorithm }))
  return { world, heard }
}

/** `at:node:what` of every record. */
export function lines(heard: readonly Heard[]): string[] {
  return heard.map(({ at, node, what }) => `${at}:${node}:${what}`)
}
