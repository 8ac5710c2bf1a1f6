/**
 * Delivers an election's events to its listeners, after the step and in order, and to the channels of
 * `node:diagnostics_channel` that are named `bellwether:` and the event.
 */
import { channel, type Channel } from 'node:diagnostics_channel'
import { EventEmitter } from 'node:events'
import { didYouMean } from '../core/errors/closest-name.ts'
import { ConfigurationError } from '../core/errors/configuration-error.ts'
import type { Json } from '../core/schema.ts'
import type { ElectionEvents } from './election-events.ts'

export type Listener<Event> = (event: Event) => void

/** The methods of an EventEmitter, by the names and types of an election's events. */
export interface ElectionEmitter<M extends Json = Json> extends EventEmitter {
  on<K extends keyof ElectionEvents<M>>(event: K, listener: Listener<ElectionEvents<M>[K]>): this
  once<K extends keyof ElectionEvents<M>>(event: K, listener: Listener<ElectionEvents<M>[K]>): this
  off<K extends keyof ElectionEvents<M>>(event: K, listener: Listener<ElectionEvents<M>[K]>): this
  addListener<K extends keyof ElectionEvents<M>>(
    event: K,
    listener: Listener<ElectionEvents<M>[K]>,
  ): this
  removeListener<K extends keyof ElectionEvents<M>>(
    event: K,
    listener: Listener<ElectionEvents<M>[K]>,
  ): this
  prependListener<K extends keyof ElectionEvents<M>>(
    event: K,
    listener: Listener<ElectionEvents<M>[K]>,
  ): this
  prependOnceListener<K extends keyof ElectionEvents<M>>(
    event: K,
    listener: Listener<ElectionEvents<M>[K]>,
  ): this
  /** Only the election emits. */
  emit(event: never): boolean
}

/** What subscribers of a channel get. */
export interface ChannelMessage<K extends keyof ElectionEvents = keyof ElectionEvents> {
  readonly group: string
  readonly id: string
  readonly event: ElectionEvents[K]
}

const NAMES = [
  'elected',
  'lost',
  'renewed',
  'leader',
  'peer',
  'unreachable',
  'refused',
  'reconfigured',
  'removed',
  'error',
]
/** Those of the emitter itself too. */
const KNOWN = new Set([...NAMES, 'newListener', 'removeListener'])
const CHANNELS = new Map<keyof ElectionEvents, Channel>(
  NAMES.map((name) => [name as keyof ElectionEvents, channel(`bellwether:${name}`)]),
)

/** Listeners that show events where nobody may look, as a page does: they handle no error. */
const observers = new WeakSet<object>()

export function observing<F extends object>(listener: F): F {
  observers.add(listener)
  return listener
}

export class Listeners extends EventEmitter {
  private readonly source: { readonly group: string; readonly id: string }
  /** Lets overdue deadlines act; called before each listener. */
  private readonly act: () => void

  constructor(source: { readonly group: string; readonly id: string }, act: () => void) {
    super()
    this.source = source
    this.act = act
    super.on('newListener', (name: string | symbol) => {
      if (typeof name === 'symbol' || KNOWN.has(name)) return
      throw new ConfigurationError(name, `no such event${didYouMean(name, NAMES)}`)
    })
  }

  /** Whether a listener handles this event. */
  handles(event: keyof ElectionEvents): boolean {
    return this.listeners(event).some((listener) => !observers.has(listener))
  }

  /** Whether a listener or a subscriber of its channel gets this event. */
  isHeard(event: keyof ElectionEvents): boolean {
    return this.listenerCount(event) > 0 || CHANNELS.get(event)?.hasSubscribers === true
  }

  /** Calls the action before a listener of this event is added. */
  protected beforeListener(event: keyof ElectionEvents, action: () => void): void {
    super.on('newListener', (name) => {
      if (name === event) action()
    })
  }

  /** Listeners run after the step, in order. */
  report<K extends keyof ElectionEvents>(event: K, payload: ElectionEvents[K]): void {
    const deliver = (listener: Listener<ElectionEvents[K]>): void =>
      queueMicrotask(() => {
        this.act()
        listener(payload)
      })
    for (const listener of this.rawListeners(event)) deliver(listener.bind(this) as never)
    const messages = CHANNELS.get(event)
    if (messages?.hasSubscribers !== true) return
    deliver((event) => messages.publish({ ...this.source, event } satisfies ChannelMessage))
  }
}
