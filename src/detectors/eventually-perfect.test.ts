/** eventually-perfect: its time-outs grow with its mistakes, so that they come to an end. */
import { expect, test } from 'vitest'
import type { AnyMessage } from '../core/algorithm.ts'
import type { DetectorOut } from '../core/detector.ts'
import { Group } from '../core/group.ts'
import { eventuallyPerfect } from './index.ts'

const TIMING = { messageMs: 5, processingMs: 0, detectionMs: 20, watchMs: 500, periodMs: 100 }

test('a beat of a peer that is suspected adds a period to its time-out; its recovery does not', () => {
  const handlers = eventuallyPerfect.handlers(new Group(2, TIMING))
  const s = eventuallyPerfect.state.init()
  const armed = new Set<string>()
  const ignore = (): void => undefined
  const out: DetectorOut<AnyMessage> = {
    me: 1,
    send: ignore,
    set: (timer) => void armed.add(timer),
    clear: ignore,
    up: ignore,
    down: ignore,
  }
  const beat = (): void => handlers.message(s, 2, { type: 'alive', round: 0 }, out)
  /** How many beats in a row are missed before the watched peer is suspected. */
  const patience = (): number => {
    armed.clear()
    handlers.watch(s, 2, out)
    let missed = 0
    for (; !armed.has('lull'); missed++) handlers.timeout(s, 'silence', 2, out)
    handlers.timeout(s, 'lull', 2, out)
    return missed
  }
  expect(patience()).toBe(1)
  beat()
  expect(patience()).toBe(2)
  handlers.heard!(s, 2, out)
  expect(patience()).toBe(3)
  handlers.message(s, 2, { type: 'recovered' }, out)
  expect(patience()).toBe(3)
})
