/** Runs one handler on an unpacked local state, returns what it leaves behind, and asks which messages are obsolete. */
import { canResign, handlersOf, namesObsolete } from '../../core/algorithm.ts'
import type { AnyHandlers, AnyMessage, AnyState } from '../../core/algorithm.ts'
import { changeOfSeat, SEAT_ROLES } from '../../core/configuration.ts'
import { Group } from '../../core/group.ts'
import type { NodeId } from '../../core/node-id.ts'
import type { CheckConfig } from '../options.ts'
import { SOURCE_VALUE } from '../reduction/id-freshness.ts'
import { IdNumbers } from '../state/id-numbers.ts'
import { Mode, notePeer, withFlags } from '../state/local-states.ts'
import type { LocalState, LocalStates } from '../state/local-states.ts'
import type { MessageContents } from '../state/message-contents.ts'
import type { FieldValues, RecordLayout } from '../state/record-layout.ts'
import { Clocks } from './clocks.ts'
import { Effects } from './effects.ts'
import type { MemberEvent } from './events.ts'

/** Algorithms compute time-outs from these. To is far above Tm. */
const TIMING = { messageMs: 1, processingMs: 0, detectionMs: 20, watchMs: 20, periodMs: 100 }
/** A source is raised by this to see whether a new id depends on it. */
const SOURCE_STEP = 64

/** All that a handler can read. */
export interface HandlerInput {
  readonly me: NodeId
  readonly event: MemberEvent
  readonly local: number
  /** Bit j: member j is up and no cut separates it. */
  readonly reachable: number
  /** Ids and counters of the member, then of the message. */
  readonly values: Int32Array
  /** The ids are 1 to this one. */
  readonly maxId: number
}

export interface HandlerRun {
  /** The member's record before and after. */
  readonly before: FieldValues
  readonly local: LocalState
  readonly sent: readonly { readonly to: NodeId; readonly message: AnyMessage }[]
  readonly timersSet: number
  readonly requested: number
}

export class HandlerRunner {
  readonly config: CheckConfig
  readonly localStates: LocalStates
  readonly contents: MessageContents
  readonly idNumbers = new IdNumbers()
  readonly exactIds: boolean
  readonly canResign: boolean
  readonly namesObsolete: boolean
  /** The types of messages that were handled so far, and whether any leader resigned or changed the configuration. */
  readonly handledTypes = new Set<string>()
  resigned = false
  changed = false
  /** Bit t: timer t may expire before the detector reports a crash, as the search knew when the level began. */
  shortTimers = 0
  private readonly handlers: AnyHandlers
  readonly clocks: Clocks
  readonly group: Group
  private readonly effects: Effects

  constructor(
    config: CheckConfig,
    localStates: LocalStates,
    contents: MessageContents,
    exactIds: boolean,
  ) {
    const { algorithm, options } = config
    const group = new Group(config.members, TIMING, config.ring, config)
    this.group = group
    this.config = config
    this.localStates = localStates
    this.contents = contents
    this.exactIds = exactIds
    this.handlers = handlersOf(algorithm, group, options)
    this.canResign = canResign(algorithm, group, options)
    this.namesObsolete = namesObsolete(algorithm, group, options)
    this.clocks = new Clocks(algorithm, config.clocks)
    this.effects = new Effects(localStates.timerNames, TIMING.watchMs, this.clocks)
  }

  /** Whether a timer lasts longer than the detector needs to report a crash. */
  outlastsDetection(timer: number): boolean {
    return ((this.shortTimers >>> timer) & 1) === 0
  }

  /** The short timers that were set in this thread. */
  get shortTimersMet(): number {
    return this.effects.shortTimers
  }

  /** `handledTypes` as bits. */
  get handledBits(): number {
    const { types } = this.config.algorithm.messages
    return types.reduce((bits, type, i) => bits | (this.handledTypes.has(type) ? 1 << i : 0), 0)
  }

  set handledBits(bits: number) {
    const { types } = this.config.algorithm.messages
    types.forEach((type, i) => (bits >>> i) & 1 && this.handledTypes.add(type))
  }

  /** `raisedSource`: the name of a source that is larger than usual in this run. */
  run(input: HandlerInput, raisedSource?: string): HandlerRun {
    const local = this.localStates.get(input.local, SOURCE_VALUE)
    if (raisedSource !== undefined) local.record[raisedSource] = SOURCE_VALUE + SOURCE_STEP
    this.fill(this.localStates.layout, local.record, input.values)
    const before = { ...local.record }
    this.effects.begin(input.me, input.reachable, local)
    this.handle(input, local)
    const { sent, timersSet, requested } = this.effects
    return { before, local, sent: sent.slice(), timersSet, requested }
  }

  /** Whether the algorithm calls a message obsolete for a member. Both are components. */
  isObsolete(member: Int32Array, from: NodeId, sent: Int32Array): boolean {
    const { record } = this.localStates.get(member[0], SOURCE_VALUE)
    this.fill(this.localStates.layout, record, member.subarray(1))
    const message = this.message(sent[0], sent.subarray(1))
    return this.handlers.obsolete(record as AnyState, from, message)
  }

  private handle({ event, values }: HandlerInput, local: LocalState): void {
    const { handlers, effects } = this
    const { kind, peer, detail } = event
    const state = local.record as AnyState
    switch (kind) {
      case 'start':
        local.mode = Mode.UP
        return handlers.start(state, effects)
      case 'settled':
        local.mode = Mode.UP
        return handlers.settled(state, peer, effects)
      case 'message': {
        const message = this.message(detail, values.subarray(this.localStates.layout.values))
        this.handledTypes.add(message.type)
        return handlers.message(state, peer, message, effects)
      }
      case 'timeout':
        local.timers &= ~(1 << detail)
        this.clocks.clear(local, detail)
        return handlers.timeout(state, this.localStates.timerNames[detail], effects)
      case 'up':
        local.requests = withFlags(local.requests, peer, 0)
        return handlers.up(state, peer, effects)
      case 'down':
        local.requests = withFlags(local.requests, peer, 0)
        local.watches = withFlags(local.watches, peer, 0)
        return handlers.down(state, peer, effects)
      case 'drawn': {
        const [{ name }, ...others] = local.draws
        local.draws = others
        return handlers.drawn(state, name, detail, effects)
      }
      case 'resign':
        this.resigned = true
        return handlers.resign(state, peer, effects)
      case 'change': {
        const before = handlers.configuration!(state)
        handlers.change!(state, changeOfSeat(before, peer, SEAT_ROLES[detail]), effects)
        this.changed ||= handlers.configuration!(state).version > before.version
        return
      }
      case 'crash':
        Object.assign(local, { mode: Mode.DOWN, timers: 0, requests: 0, watches: 0, draws: [] })
        local.ticks = 0
        local.record = this.config.algorithm.state.afterCrash(local.record)
        return
      case 'tick':
        return this.clocks.tick(local)
      case 'peerEnded':
        local.proofs |= 1 << peer
        return
      case 'dead':
        local.proofs &= ~(1 << peer)
        return handlers.dead(state, peer, this.isOver(detail), effects)
      case 'recover':
        local.mode = Mode.STARTING
        if (detail === 1) local.record = this.config.algorithm.state.forgotten(local.record)
        return
      case 'peerDown':
      case 'peerUp':
      case 'peerStarted':
        return notePeer(local, peer, kind)
    }
  }

  /** `current`: the incarnation that is not over; 0: there is none. */
  private isOver(current: number): (incarnation: number) => boolean {
    const id = this.exactIds ? this.idNumbers.idOf(current) : current
    return (incarnation) => incarnation !== 0 && incarnation !== id
  }

  private message(content: number, values: Int32Array): AnyMessage {
    const message = this.contents.get(content)
    this.fill(this.contents.all[content].layout, message, values)
    return message as unknown as AnyMessage
  }

  private fill({ ids, counters }: RecordLayout, record: FieldValues, values: Int32Array): void {
    ids.forEach((name, i) => {
      record[name] = this.exactIds ? this.idNumbers.idOf(values[i]) : values[i]
    })
    counters.forEach(({ name }, i) => (record[name] = values[ids.length + i]))
  }
}
