/**
 * An algorithm without a leader: it exercises a failure detector and logs its requests and the answers.
 * Not pure, as only a test may be: the log is outside of the state.
 */
import { algorithm, period, type Algorithm, type Out } from '../../src/core/algorithm.ts'
import type { Group } from '../../src/core/group.ts'
import type { NodeId } from '../../src/core/node-id.ts'
import { int, node, oneOf, record, union, type Infer } from '../../src/core/schema.ts'

export type Deed = 'start' | 'request' | 'watch' | 'unwatch' | 'hello' | 'up' | 'down'
export interface Entry {
  readonly at: number
  readonly me: NodeId
  readonly deed: Deed
  readonly peer: NodeId
}

/** The algorithm, and the log of all its members. */
export interface Asker {
  readonly algorithm: Algorithm
  readonly log: Entry[]
  /** Set to the clock of the world once there is one. */
  clock: () => number
}

/** What `deeds` random deeds are drawn from, and what a member does at its start and on an answer. */
export interface Script {
  readonly deeds?: number
  /** Whether to log; true by default. */
  readonly log?: boolean
  readonly everyMs?: number
  readonly menu?: readonly ('request' | 'watch' | 'unwatch' | 'hello')[]
  onStart?(me: NodeId, do_: (deed: Deed, peer: NodeId) => void): void
  onAnswer?(me: NodeId, verdict: 'up' | 'down', peer: NodeId, do_: DoDeed): void
}
type DoDeed = (deed: Deed, peer: NodeId) => void

const state = record({
  status: oneOf('Norm'),
  leader: node,
  term: int(0, 0),
  done: int(0, Number.MAX_SAFE_INTEGER),
})
const messages = union({ hello: {} })
const timers = { act: period }
type State = Infer<typeof state>
type Sink = Out<Infer<typeof messages>, keyof typeof timers, 'deed'>

export function asker(script: Script): Asker {
  const { deeds = 0, everyMs = 10, menu = ['request', 'watch', 'unwatch', 'hello'] } = script
  const self: Asker = { algorithm: undefined as never, log: [], clock: () => 0 }

  function note(me: NodeId, deed: Deed, peer: NodeId): void {
    if (script.log !== false) self.log.push({ at: self.clock(), me, deed, peer })
  }

  const doing =
    (out: Sink): DoDeed =>
    (deed, peer) => {
      note(out.me, deed, peer)
      if (deed === 'hello') out.send(peer, { type: 'hello' })
      else if (deed === 'request' || deed === 'watch' || deed === 'unwatch') out[deed](peer)
    }

  function handlers(group: Group) {
    return {
      start(s: State, out: Sink): void {
        s.done = 0
        note(out.me, 'start', out.me)
        script.onStart?.(out.me, doing(out))
        if (deeds > 0) out.set('act', 0, everyMs)
      },
      timeout(s: State, _: 'act', out: Sink): void {
        s.done += 1
        out.draw('deed', menu.length * (group.members - 1))
        if (s.done < deeds) out.set('act', 0, 2 * everyMs)
      },
      drawn(_s: State, _name: 'deed', k: number, out: Sink): void {
        const peer = 1 + Math.floor(k / menu.length)
        doing(out)(menu[k % menu.length], peer < out.me ? peer : peer + 1)
      },
      up(_s: State, peer: NodeId, out: Sink): void {
        note(out.me, 'up', peer)
        script.onAnswer?.(out.me, 'up', peer, doing(out))
      },
      down(_s: State, peer: NodeId, out: Sink): void {
        note(out.me, 'down', peer)
        script.onAnswer?.(out.me, 'down', peer, doing(out))
      },
      message: () => undefined,
      settled: () => undefined,
    }
  }

  const made = algorithm({
    name: 'asker',
    title: 'exercises a detector',
    state,
    messages,
    timers,
    draws: ['deed'],
    promises: {
      agreement: 'eventually',
      leader: 'any',
      termsRise: true,
    },
    assumes: { crashes: true, recoveries: true, loss: true, synchrony: false },
    handlers,
  })
  return Object.assign(self, { algorithm: made })
}
