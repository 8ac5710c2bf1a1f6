/**
 * Wraps an algorithm so that its handlers cannot break the contract unnoticed, and so that the lines that a step runs
 * are known. The types of the program are stripped, so what the compiler would refuse is refused here, when it runs.
 */
import type { Algorithm, AnyMessage, AnyState, Out } from '../../../../src/core/algorithm.ts'
import type { Field } from '../../../../src/core/schema.ts'
import type { StepLines } from '../../simulation/worker-protocol.ts'
import { lineIn, ProgramError } from '../program-problem.ts'

/** Collects the lines at which the handlers of a step change the state or request an effect. */
export class LineLog {
  /** Only simulations ask for lines: to find one takes long. */
  enabled = false
  readonly steps: StepLines[] = []
  private lines = new Set<number>()
  private leader: number | null = null

  /** `field`: the field that the line changes, or the effect that it requests. */
  note(field: string): void {
    if (!this.enabled) return
    const line = lineIn(new Error('for its stack').stack)
    if (line === null) return
    this.lines.add(line)
    if (field === 'leader') this.leader = line
  }

  /** What was noted belongs to a step that has ended. */
  endStep(): void {
    this.steps.push({ lines: [...this.lines], leader: this.leader })
    this.clear()
  }

  begin(): void {
    this.steps.length = 0
    this.clear()
    this.enabled = true
  }

  private clear(): void {
    this.lines = new Set()
    this.leader = null
  }
}

type Handler = (s: AnyState, ...more: unknown[]) => unknown

/** Handlers that only read: their states may be shared, and they have no effects. */
const READERS = new Set(['obsolete', 'changeRefusal', 'configuration'])

export function watched(algorithm: Algorithm, log: LineLog): Algorithm {
  return {
    ...algorithm,
    handlers: (group, options) => {
      const made = algorithm.handlers(group, options)
      const watchState = stateWatcher(algorithm, group.members, log)
      const watchOut = outWatcher(algorithm, group.members, log)
      const wrapped = Object.entries(made).map(([name, handler]): [string, Handler] => {
        if (READERS.has(name)) return [name, handler as Handler]
        const run: Handler = (s, ...more) =>
          (handler as Handler)(
            watchState(s),
            ...more.map((one) => (isOut(one) ? watchOut(one) : one)),
          )
        return [name, run]
      })
      return Object.fromEntries(wrapped) as unknown as typeof made
    },
  }
}

function isOut(value: unknown): value is Out<AnyMessage> {
  return typeof value === 'object' && value !== null && 'send' in value && 'unwatch' in value
}

function stateWatcher({ state }: Algorithm, members: number, log: LineLog) {
  const handler: ProxyHandler<AnyState> = {
    set(target, name, value) {
      const field = state.fields[String(name)]
      if (field === undefined) throw new ProgramError('fieldUnknown', { name: String(name) })
      if (!fits(field, value, members)) {
        throw new ProgramError('value', { name: String(name), value: String(value) })
      }
      log.note(String(name))
      return Reflect.set(target, name, value)
    },
  }
  return (s: AnyState): AnyState => new Proxy(s, handler)
}

function fits({ shape }: Field, value: unknown, members: number): boolean {
  switch (shape.type) {
    case 'oneOf':
      return shape.names.includes(value as string)
    case 'node':
      return Number.isInteger(value) && Number(value) >= 0 && Number(value) <= members
    case 'int':
      return Number.isInteger(value) && Number(value) >= shape.min && Number(value) <= shape.max
    case 'flag':
      return typeof value === 'boolean'
    case 'text':
      return typeof value === 'string'
    case 'set':
    case 'array':
      return typeof value === 'object' && value !== null
  }
}

function outWatcher(algorithm: Algorithm, members: number, log: LineLog) {
  const { messages, timers } = algorithm
  const draws = (algorithm as { draws?: readonly string[] }).draws ?? []
  const member = (peer: unknown): void => {
    if (!Number.isInteger(peer) || Number(peer) < 1 || Number(peer) > members) {
      throw new ProgramError('member', { value: String(peer), members })
    }
  }
  const timer = (name: unknown): void => {
    if (Object.hasOwn(timers, String(name))) return
    throw new ProgramError('timerUnknown', {
      name: String(name),
      names: Object.keys(timers).join(', '),
    })
  }
  const judges: Readonly<Record<string, (first: unknown, second: unknown) => void>> = {
    send: (peer, message) => {
      member(peer)
      judgeMessage(messages, message as AnyMessage)
    },
    set: (name, ms) => {
      timer(name)
      if (!(Number(ms) >= 0))
        throw new ProgramError('duration', { name: String(name), value: String(ms) })
    },
    clear: timer,
    request: member,
    watch: member,
    unwatch: member,
    draw: (name) => {
      if (!draws.includes(String(name)))
        throw new ProgramError('drawUnknown', { name: String(name) })
    },
  }
  return (out: Out<AnyMessage>): Out<AnyMessage> =>
    new Proxy(out, {
      get(target, name) {
        const value: unknown = Reflect.get(target, name, target)
        if (typeof value !== 'function') return value
        return (...given: unknown[]) => {
          judges[String(name)]?.(given[0], given[1])
          log.note(String(name))
          return Reflect.apply(value, target, given) as unknown
        }
      },
    })
}

function judgeMessage(messages: Algorithm['messages'], message: AnyMessage): void {
  const { type } = message
  const schema = messages.variants.get(type)
  if (schema === undefined) {
    throw new ProgramError('messageUnknown', { name: type, names: messages.types.join(', ') })
  }
  const given = Object.keys(message).filter((name) => name !== 'type')
  const declared = Object.keys(schema.fields)
  const wrong =
    declared.find((name) => message[name] === undefined) ??
    given.find((name) => !declared.includes(name))
  if (wrong !== undefined) throw new ProgramError('messageField', { type, name: wrong })
}
