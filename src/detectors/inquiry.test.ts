/** Questions and the down list (helpers/inquiry.ts), which the detectors share, tested on ping. */
import { expect, test } from 'vitest'
import type { AnyMessage } from '../core/algorithm.ts'
import type { DetectorOut } from '../core/detector.ts'
import { Group } from '../core/group.ts'
import { ping, pingDetector } from './ping.ts'

const group = new Group(3, {
  messageMs: 4,
  processingMs: 1,
  detectionMs: 0,
  watchMs: 0,
  periodMs: 100,
})

function begin(detector = ping) {
  const effects: string[] = []
  const out: DetectorOut<AnyMessage> = {
    me: 1,
    send: (peer, m) => effects.push(`send ${peer} ${detector.messages.show(m, (id) => id)}`),
    set: (timer, peer, ms) => effects.push(`set ${timer} ${peer} ${ms}`),
    clear: (timer, peer) => effects.push(`clear ${timer} ${peer}`),
    up: (peer) => effects.push(`up ${peer}`),
    down: (peer) => effects.push(`down ${peer}`),
  }
  const s = detector.state.init()
  return { s, out, handlers: detector.handlers(group), take: () => effects.splice(0) }
}

const alive = (round: number): AnyMessage => ({ type: 'alive', round })

test('a question waits for a round trip, then lets in what waited, then condemns', () => {
  const { s, out, handlers, take } = begin()
  handlers.request(s, 2, out)
  expect(take()).toEqual(['send 2 alive?{round=1}', 'set answer 2 10'])
  handlers.timeout(s, 'answer', 2, out)
  expect(take()).toEqual(['set grace 2 2.5'])
  handlers.timeout(s, 'grace', 2, out)
  expect(take()).toEqual(['clear answer 2', 'clear grace 2', 'down 2'])
})

test('an answer that was only late in being read counts', () => {
  const { s, out, handlers, take } = begin()
  handlers.request(s, 2, out)
  handlers.timeout(s, 'answer', 2, out)
  take()
  handlers.message(s, 2, alive(1), out)
  expect(take()).toContain('up 2')
})

test('an answer to an older question does not count', () => {
  const { s, out, handlers, take } = begin()
  handlers.request(s, 2, out)
  handlers.request(s, 2, out)
  expect(take()).toContain('send 2 alive?{round=2}')
  handlers.message(s, 2, alive(1), out)
  expect(take()).toEqual([])
  handlers.message(s, 2, alive(2), out)
  expect(take()).toContain('up 2')
})

test('a watch is not ended by a question that was put before it', () => {
  const { s, out, handlers, take } = begin()
  handlers.watch(s, 2, out)
  handlers.unwatch(s, 2, out)
  take()
  handlers.watch(s, 2, out)
  expect(take()).toContain('send 2 alive?{round=2}')
})

test('a peer that sent anything while the question was open is reported but not listed', () => {
  const { s, out, handlers, take } = begin()
  handlers.request(s, 2, out)
  handlers.message(s, 2, { type: 'recovered' }, out)
  handlers.timeout(s, 'answer', 2, out)
  handlers.timeout(s, 'grace', 2, out)
  expect(take()).toContain('down 2')
  handlers.request(s, 2, out)
  expect(take()).toContain('send 2 alive?{round=2}')
})

test('with three tries the question is put three times before the peer is reported down', () => {
  const { s, out, handlers, take } = begin(pingDetector({ tries: 3 }))
  handlers.request(s, 2, out)
  take()
  for (let k = 0; k < 2; k++) {
    handlers.timeout(s, 'answer', 2, out)
    expect(take()).toEqual(['send 2 alive?{round=1}', 'set answer 2 10'])
  }
  handlers.timeout(s, 'answer', 2, out)
  expect(take()).toEqual(['set grace 2 2.5'])
})

test('the list answers when the messages that have arrived are handled, and the detector asks if the peer sent one of them', () => {
  for (const heard of [false, true]) {
    const { s, out, handlers, take } = begin()
    handlers.knownDown(s, 2)
    handlers.request(s, 2, out)
    expect(take()).toEqual(['set listed 2 1'])
    if (heard) handlers.message(s, 2, { type: 'recovered' }, out)
    handlers.timeout(s, 'listed', 2, out)
    expect(take()).toEqual(heard ? ['send 2 alive?{round=1}', 'set answer 2 10'] : ['down 2'])
  }
})

test('a closed connection is a reason to ask, and no proof', () => {
  const { s, out, handlers, take } = begin()
  handlers.evidence!(s, 2, 'closed', out)
  expect(take()).toEqual([]) // nobody wants to know
  handlers.watch(s, 2, out)
  handlers.message(s, 2, alive(1), out)
  take()
  handlers.evidence!(s, 2, 'closed', out)
  expect(take()).toEqual(['send 2 alive?{round=2}', 'set answer 2 10'])
  handlers.evidence!(s, 2, 'refused', out)
  expect(take()).toEqual([]) // it is being asked
})
