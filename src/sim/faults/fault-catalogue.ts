/**
 * Declares every kind of fault once: its operands, its help text, its caption, its sign and how a world carries it
 * out. The type `Fault`, settings, traces, `simulate --help`, the diagram and the lab follow from this table. It
 * imports nothing heavy, because the lab's page loads it.
 */
import { NONE, type NodeId } from '../../core/node-id.ts'
import type { FaultInjector } from './fault-injector.ts'
import type { OperandFields, OperandName } from './fault-operands.ts'

export interface FaultConditions {
  readonly algorithm: string
  readonly canResign: boolean
  readonly canChange: boolean
}

interface FaultDeclaration<N extends OperandName> {
  readonly operands: readonly N[]
  /** How settings write it, for help and error messages. */
  readonly form: string
  /** What diagrams and explanations say. Members are labels. The label of a member stands in front. */
  readonly caption: (fields: OperandFields<N>) => string
  readonly sign: string
  readonly problem?: (fields: OperandFields<N>, conditions: FaultConditions) => string | null
  /** It changes the members or the timing of the group, which not every algorithm can. */
  readonly changesGroup?: true
  /** Part of the fault's own step. */
  readonly apply?: (injector: FaultInjector, fields: OperandFields<N>) => void
  /** Causes steps of its own, after the fault is recorded. */
  readonly followUp?: (injector: FaultInjector, fields: OperandFields<N>) => void
  /** The fault is not recorded: the member's step that `followUp` causes is. */
  readonly unrecorded?: true
}

function declare<const N extends OperandName>(fault: FaultDeclaration<N>): FaultDeclaration<N> {
  return fault
}

export const FAULTS = {
  crash: declare({
    operands: ['member'],
    form: 'MEMBER@TIME, such as 5@100ms',
    caption: () => 'crashes',
    sign: '✕',
    apply: (injector, { node }) => injector.crash(node),
    followUp: ({ world }, { node }) => world.members.dispatchDeferred(node),
  }),
  recover: declare({
    operands: ['member'],
    form: 'MEMBER@TIME, such as 5@300ms',
    caption: () => 'recovers',
    sign: '↑',
    apply: (injector, { node }) => injector.recover(node),
  }),
  forget: declare({
    operands: ['member'],
    form: 'MEMBER@TIME, such as 5@200ms: 5, which is down, loses what survives a crash',
    caption: () => 'loses its state',
    sign: '∅',
    apply: (injector, { node }) => injector.forget(node),
  }),
  pause: declare({
    operands: ['member'],
    form: 'MEMBER@TIME, such as 5@100ms',
    caption: () => 'pauses',
    sign: '‖',
    apply: (injector, { node }) => injector.pause(node),
  }),
  resume: declare({
    operands: ['member'],
    form: 'MEMBER@TIME, such as 5@300ms',
    caption: () => 'resumes',
    sign: '▸',
    apply: ({ world }, { node }) => world.speed.resume(node),
    followUp: ({ world }, { node }) => world.members.dispatchDeferred(node),
  }),
  /** A member that does not lead ignores this. A paused one gets it when it resumes, as a stopped process would. */
  resign: declare({
    operands: ['member', 'successor'],
    form: 'MEMBER@TIME, such as 5@2s: 5 leads no longer; 5>3@2s names 3 as its successor',
    caption: ({ successor = NONE }) => `resigns${successor === NONE ? '' : ` for ${successor}`}`,
    sign: '☆',
    problem: ({ node, successor }, { algorithm, canResign }) =>
      node === successor
        ? 'a leader cannot be its own successor'
        : canResign
          ? null
          : `a leader cannot resign: ${algorithm} does not support resigning`,
    followUp: (injector, { node, successor = NONE }) => injector.resign(node, successor),
    unrecorded: true,
  }),
  /** Asks each leader, again and again until it is done: what an operator does. Each asking is a step of the leader. */
  add: declare({
    operands: ['member'],
    form: 'MEMBER@TIME, such as 4@1s: 4, which is outside, becomes an observer',
    caption: () => 'is to be added',
    sign: '+',
    changesGroup: true,
    followUp: (injector, { node }) => injector.requests.ask({ seat: node, role: 'observer' }),
    unrecorded: true,
  }),
  promote: declare({
    operands: ['member'],
    form: 'MEMBER@TIME, such as 4@2s: 4, an observer, becomes a voter',
    caption: () => 'is to be promoted',
    sign: '+',
    changesGroup: true,
    followUp: (injector, { node }) => injector.requests.ask({ seat: node, role: 'voter' }),
    unrecorded: true,
  }),
  remove: declare({
    operands: ['member'],
    form: 'MEMBER@TIME, such as 5@3s: 5 is a member no longer',
    caption: () => 'is to be removed',
    sign: '−',
    changesGroup: true,
    followUp: (injector, { node }) => injector.requests.ask({ seat: node, role: 'outside' }),
    unrecorded: true,
  }),
  reconfigure: declare({
    operands: ['duration'],
    form: '+TIME@TIME, such as +200ms@4s: the period of the group becomes 200 ms, and its leases change with it',
    caption: ({ us }) => `the period is to be ${us / 1000} ms`,
    sign: '⚙',
    changesGroup: true,
    followUp: (injector, { us }) => injector.requests.ask({ seat: NONE, role: 'outside', us }),
    unrecorded: true,
  }),
  /** What the leader is asked, once; a member that does not lead ignores it. Seat 0: to write the same again. */
  change: declare({
    operands: ['member', 'seat', 'role'],
    form: 'MEMBER>SEAT=ROLE@TIME, such as 3>4=observer@1s: 3, if it leads, is asked to make 4 an observer',
    caption: ({ seat, role }) => `is asked to make ${seat} ${ROLE_WORDS[role]}`,
    sign: '⚙',
    changesGroup: true,
    apply: (injector, { node, seat, role }) => injector.requests.change(node, { seat, role }),
  }),
  'change-period': declare({
    operands: ['member', 'duration'],
    form: 'MEMBER+TIME@TIME, such as 3+200ms@1s: 3, if it leads, is asked to make the period 200 ms',
    caption: ({ us }) => `is asked to make the period ${us / 1000} ms`,
    sign: '⚙',
    changesGroup: true,
    apply: (injector, { node, us }) =>
      injector.requests.change(node, { seat: NONE, role: 'outside', us }),
  }),
  /** Proof of death of the peer's incarnations that have ended by then. It may come long after the peer started again. */
  proof: declare({
    operands: ['member', 'peer'],
    form: 'MEMBER>PEER@TIME, such as 2>5@2s: 2 gets proof that the incarnations of 5 that ended have ended',
    caption: ({ peer }) => `gets proof of a crash of ${peer}`,
    sign: '†',
    problem: ({ node, peer }) =>
      node === peer ? 'a member gets proof about its peers only' : null,
    apply: (injector, { node, peer }) => injector.proveDeath(node, peer),
  }),
  slow: declare({
    operands: ['member', 'duration'],
    form: 'MEMBER+TIME@TIME, such as 3+20ms@100ms: 3 takes 20 ms longer for each message; +0ms ends it',
    caption: ({ us }) => (us === 0 ? 'is no longer slow' : `is slow: +${us / 1000} ms a message`),
    sign: '◔',
    apply: ({ world }, { node, us }) => world.speed.slowDown(node, us),
  }),
  /** Holds for the timers that are set from then on. */
  drift: declare({
    operands: ['member', 'rate'],
    form: 'MEMBER*RATE@TIME, such as 3*1.05@0ms: from now on the clock of 3 runs 5 % fast; *1 ends it',
    caption: ({ rate }) => (rate === 1 ? 'has a true clock' : `has a clock of rate ${rate}`),
    sign: '◷',
    apply: ({ world }, { node, rate }) => world.setClockRate(node, rate),
  }),
  disk: declare({
    operands: ['member', 'duration'],
    form: 'MEMBER+TIME@TIME, such as 3+200ms@1s: each durable write of 3 takes 200 ms; +0ms ends it',
    caption: ({ us }) =>
      us === 0 ? 'has a fast disk' : `has a slow disk: +${us / 1000} ms a write`,
    sign: '▤',
    apply: ({ world }, { node, us }) => world.disks.slowDown(node, us),
  }),
  'fail-write': declare({
    operands: ['member'],
    form: 'MEMBER@TIME, such as 3@1s: the next durable write of 3 fails, and 3 crashes; --disk 3+0ms ends it',
    caption: () => 'cannot write',
    sign: '▤',
    apply: ({ world }, { node }) => world.disks.failNext(node),
  }),
  /** A crash that the member announces. The announcement names its incarnation, and may come after the next has started. */
  leave: declare({
    operands: ['member', 'duration'],
    form: 'MEMBER+TIME@TIME, such as 3+50ms@1s: 3 leaves; its announcement takes up to 50 ms longer',
    caption: () => 'leaves',
    sign: '✕',
    apply: (injector, { node, us }) => injector.leave(node, us),
    followUp: ({ world }, { node }) => world.members.dispatchDeferred(node),
  }),
  calm: declare({
    operands: [],
    form: '@TIME, such as @2s: from now on no message is lost, copied, reordered or later than the bound',
    caption: () => 'the network is reliable from now on',
    sign: '≈',
    apply: (injector) => injector.calm(),
  }),
  /** One direction: `A|B` in a setting is two faults. */
  cut: declare({
    operands: ['links'],
    form: 'A|B@TIME for both directions or A>B@TIME for one, such as 1,2|3,4,5@100ms',
    caption: ({ from, to }) => `cut ${arrow(from, to)}`,
    sign: '✂',
    apply: ({ world }, { from, to }) => world.outbox.network.cut(from, to),
  }),
  heal: declare({
    operands: ['links or all'],
    form: '@TIME, such as @2s, or for some links A|B@TIME or A>B@TIME',
    caption: ({ from, to }) => (from && to ? `heal ${arrow(from, to)}` : 'cuts heal'),
    sign: '∪',
    apply: ({ world }, { from, to }) => world.outbox.network.heal(from, to),
  }),
  drop: declare({
    operands: ['link'],
    form: 'A>B@TIME, such as 1>2@100ms: the next message from 1 to 2 is lost',
    caption: ({ from, to }) => `the next message ${arrow([from], [to])} is lost`,
    sign: '⌀',
    apply: ({ world }, { from, to }) => world.outbox.network.dropNext(from, to),
  }),
  discard: declare({
    operands: ['link', 'place'],
    form: 'A>B@TIME, such as 1>2@100ms: the message in flight from 1 to 2 is lost; 1>2#2 the second',
    caption: ({ from, to }) => `message ${arrow([from], [to])} is lost`,
    sign: '⌀',
    followUp: ({ messages }, { from, to, place }) => messages.discard(from, to, place),
  }),
  delay: declare({
    operands: ['link', 'place', 'duration'],
    form: 'A>B+TIME@TIME, such as 1>2+20ms@100ms: the message in flight is 20 ms late, and those behind it',
    caption: ({ from, to, us }) => `message ${arrow([from], [to])} is ${us / 1000} ms late`,
    sign: '◔',
    followUp: ({ messages }, { from, to, place, us }) => messages.delay(from, to, place, us),
  }),
  repeat: declare({
    operands: ['link', 'place'],
    form: 'A>B@TIME, such as 1>2@100ms: a copy of the message in flight from 1 to 2 leaves now',
    caption: ({ from, to }) => `message ${arrow([from], [to])} is copied`,
    sign: '2×',
    followUp: ({ messages }, { from, to, place }) => messages.repeat(from, to, place),
  }),
}

const ROLE_WORDS = {
  voter: 'a voter',
  observer: 'an observer',
  outside: 'no member',
  alone: 'the only voter',
} as const

function arrow(from: readonly NodeId[], to: readonly NodeId[]): string {
  return `${from.join(',')} → ${to.join(',')}`
}

export type FaultKind = keyof typeof FAULTS
export const FAULT_KINDS = Object.keys(FAULTS) as readonly FaultKind[]

export function isFaultKind(key: string): key is FaultKind {
  return Object.hasOwn(FAULTS, key)
}

export type FaultFields<K extends FaultKind> = OperandFields<(typeof FAULTS)[K]['operands'][number]>

/** A fault at a moment, in virtual microseconds. */
export type Fault = {
  [K in FaultKind]: { readonly at: number; readonly kind: K } & FaultFields<K>
}[FaultKind]

/** A declaration without its operands' types, for code that serves all faults alike. */
export function declarationOf(kind: FaultKind): FaultDeclaration<never> {
  return FAULTS[kind] as unknown as FaultDeclaration<never>
}

/** Why the fault is impossible in this run, or null. */
export function problemWith(fault: Fault, conditions: FaultConditions): string | null {
  const { problem, changesGroup } = declarationOf(fault.kind)
  if (changesGroup === true && !conditions.canChange) {
    return `the members of a group of ${conditions.algorithm} cannot change`
  }
  return problem?.(fault, conditions) ?? null
}
