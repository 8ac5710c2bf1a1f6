/**
 * A failure detector that is another one at each member: 001 §1, "each node can have its own mechanism". A member runs all of
 * them, so that it answers whatever its peers ask, and asks by its own only.
 */
import {
  detectorHandlersOf,
  type AnyMessage,
  type Detector,
  type DetectorOut,
  type Group,
  type NodeId,
} from 'bellwether/core'

type State = Record<string, Record<string, unknown>>

/** `of`: which of the detectors a member asks by. */
export function mixedDetectors(
  all: readonly Detector[],
  of: (member: NodeId) => Detector,
): Detector {
  const each = <T>(make: (one: Detector) => T): Record<string, T> =>
    Object.fromEntries(all.map((one) => [one.name, make(one)]))
  const longest = (time: (one: Detector) => number): number => Math.max(...all.map(time))
  return {
    name: 'mixed',
    title: 'another detector at each member',
    // A world only makes states and tells them of a crash.
    state: {
      init: () => each((one) => one.state.init()),
      afterCrash: (s: State) => each((one) => one.state.afterCrash(s[one.name])),
    } as unknown as Detector['state'],
    messages: all[0].messages,
    timers: Object.assign({}, ...all.map(prefixed)) as Detector['timers'],
    answerMs: (group) => longest((one) => one.answerMs(group)),
    watchMs: (group) => longest((one) => one.watchMs(group)),
    handlers: (group) => handlers(group, all, of),
  }
}

function prefixed({ name, timers }: Detector): Detector['timers'] {
  return Object.fromEntries(
    Object.entries(timers).map(([timer, kind]) => [`${name} ${timer}`, kind]),
  )
}

function handlers(group: Group, all: readonly Detector[], of: (member: NodeId) => Detector) {
  const modules = new Map(all.map((one) => [one.name, detectorHandlersOf(one, group)]))
  /** Names of messages and timers carry the module that they belong to. */
  const own = (name: string, out: DetectorOut<AnyMessage>): DetectorOut<AnyMessage> => ({
    me: out.me,
    send: (peer, message) => out.send(peer, { ...message, type: `${name} ${message.type}` }),
    set: (timer, ...rest) => out.set(`${name} ${timer}`, ...rest),
    clear: (timer, peer) => out.clear(`${name} ${timer}`, peer),
    // Only the member's own module has clients.
    up: (peer) => of(out.me).name === name && out.up(peer),
    down: (peer) => of(out.me).name === name && out.down(peer),
  })
  type Out = DetectorOut<AnyMessage>
  const asked = (verb: 'request' | 'watch' | 'unwatch') => (s: State, peer: NodeId, out: Out) => {
    const { name } = of(out.me)
    modules.get(name)![verb](s[name], peer, own(name, out))
  }
  const split = (text: string): [name: string, rest: string] => {
    const at = text.indexOf(' ')
    return [text.slice(0, at), text.slice(at + 1)]
  }
  return {
    request: asked('request'),
    watch: asked('watch'),
    unwatch: asked('unwatch'),
    start(s: State, recovered: boolean, out: Out) {
      for (const [name, module] of modules) module.start(s[name], recovered, own(name, out))
    },
    heard(s: State, from: NodeId, out: Out) {
      for (const [name, module] of modules) module.heard(s[name], from, own(name, out))
    },
    knownDown(s: State, peer: NodeId) {
      for (const [name, module] of modules) module.knownDown(s[name], peer)
    },
    message(s: State, from: NodeId, message: AnyMessage, out: Out) {
      const [name, type] = split(message.type)
      modules.get(name)!.message(s[name], from, { ...message, type }, own(name, out))
    },
    timeout(s: State, timer: string, peer: NodeId, out: Out) {
      const [name, rest] = split(timer)
      modules.get(name)!.timeout(s[name], rest, peer, own(name, out))
    },
  }
}
