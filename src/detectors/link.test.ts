/** What `link` does with a transport's evidence; the promises of all detectors are in test/conformance. */
import { describe, expect, test } from 'vitest'
import type { AnyMessage } from '../core/algorithm.ts'
import { detectorHandlersOf, type DetectorOut } from '../core/detector.ts'
import { Group } from '../core/group.ts'
import type { NodeId } from '../core/node-id.ts'
import { link } from './link.ts'

const TIMING = { messageMs: 10, processingMs: 0, detectionMs: 485, watchMs: 485, periodMs: 150 }

/** A member 1 of three that runs `link`, and what it said and sent. */
function member() {
  const handlers = detectorHandlersOf(link, new Group(3, TIMING))
  const s = link.state.init()
  const said: string[] = []
  const armed = new Map<string, number>()
  const out: DetectorOut<AnyMessage> = {
    me: 1,
    send: (peer, { type }) => said.push(`${type} ${peer}`),
    set: (timer, peer, ms) => armed.set(`${timer} ${peer}`, ms),
    clear: (timer, peer) => armed.delete(`${timer} ${peer}`),
    up: (peer) => said.push(`up ${peer}`),
    down: (peer) => said.push(`down ${peer}`),
  }
  return {
    said,
    armed,
    request: (peer: NodeId) => handlers.request(s, peer, out),
    watch: (peer: NodeId) => handlers.watch(s, peer, out),
    heard: (peer: NodeId) => handlers.heard(s, peer, out),
    told: (peer: NodeId, message: AnyMessage) => handlers.message(s, peer, message, out),
    shown: (peer: NodeId, what: 'closed' | 'refused' | 'connected' | 'restarted') =>
      handlers.evidence(s, peer, what, out),
    rings: (timer: string, peer: NodeId) => {
      expect(armed.delete(`${timer} ${peer}`)).toBe(true)
      handlers.timeout(s, timer, peer, out)
    },
  }
}

describe('evidence', () => {
  test('a refused dial is the answer, at once, and to the next request too', () => {
    const { watch, request, shown, said } = member()
    shown(3, 'connected')
    watch(3)
    shown(3, 'refused')
    request(3)
    expect(said).toEqual(['down 3', 'down 3'])
  })

  test('a closed connection proves nothing: the peer is dialled again, a few times at once', () => {
    const { watch, shown, said } = member()
    shown(3, 'connected')
    watch(3)
    for (let i = 0; i < 5; i++) shown(3, 'closed')
    expect(said).toEqual(['alive? 3', 'alive? 3', 'alive? 3'])
  })

  test('a closed connection to a peer without a request or watch has no effect', () => {
    const { shown, said } = member()
    shown(3, 'closed')
    expect(said).toEqual([])
  })

  test('a later incarnation ends the watch on the earlier one, and is up', () => {
    const { watch, request, shown, told, said } = member()
    shown(3, 'connected')
    watch(3)
    shown(3, 'restarted')
    request(3)
    told(3, { type: 'alive', round: 1 })
    expect(said).toEqual(['down 3', 'up 3'])
  })

  test('a peer that connects is taken off the down list', () => {
    const { watch, request, shown, said } = member()
    shown(3, 'connected')
    watch(3)
    shown(3, 'refused')
    shown(3, 'connected')
    request(3)
    expect(said).toEqual(['down 3'])
  })

  test('a watch dials a peer without a link, so that a refusal shows at once', () => {
    const { watch, shown, said } = member()
    shown(2, 'connected')
    watch(2)
    watch(3)
    expect(said).toEqual(['alive? 3'])
    shown(3, 'refused')
    expect(said).toEqual(['alive? 3', 'down 3'])
  })

  test('a linked peer is asked after a moment, one without a link at once: the dial may be refused', () => {
    const { request, shown, rings, said } = member()
    shown(2, 'connected')
    request(2)
    request(3)
    expect(said).toEqual(['alive? 3'])
    rings('ask', 2)
    expect(said).toEqual(['alive? 3', 'alive? 2'])
  })
})

describe('silence', () => {
  test('is reported after three ticks and a grace, after two questions', () => {
    const { watch, shown, rings, said } = member()
    shown(3, 'connected')
    watch(3)
    for (let i = 0; i < 3; i++) rings('tick', 3)
    expect(said).toEqual(['alive? 3', 'alive? 3'])
    rings('grace', 3)
    expect(said.at(-1)).toBe('down 3')
  })

  test('ends with any message, and no timer fires while the peer sends regularly', () => {
    const { watch, heard, rings, armed, said } = member()
    watch(3)
    rings('tick', 3)
    heard(3)
    expect(armed.get('tick 3')).toBeGreaterThan(TIMING.periodMs)
    for (let i = 0; i < 3; i++) rings('tick', 3)
    heard(3)
    expect([...armed.keys()]).toEqual(['tick 3'])
    expect(said).not.toContain('down 3')
  })

  test('adds up to the detection time', () => {
    const { watch, rings, armed } = member()
    watch(3)
    let sum = TIMING.messageMs
    for (const timer of ['tick', 'tick', 'tick', 'grace']) {
      sum += armed.get(`${timer} 3`)!
      rings(timer, 3)
    }
    expect(sum).toBeCloseTo(TIMING.detectionMs)
  })

  test('a peer that sends messages but no answer is asked again', () => {
    const { request, heard, rings, said } = member()
    request(3)
    heard(3)
    expect(said).toEqual(['alive? 3'])
    rings('fresh', 3)
    heard(3)
    expect(said).toEqual(['alive? 3', 'alive? 3'])
  })
})
