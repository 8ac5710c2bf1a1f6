/** query-response: who is suspected, by the order of responses alone. */
import { expect, test } from 'vitest'
import type { AnyMessage } from '../core/algorithm.ts'
import type { DetectorOut } from '../core/detector.ts'
import { Group } from '../core/group.ts'
import { NodeSet } from '../core/node-set.ts'
import { queryResponse } from './query-response.ts'

const TIMING = { messageMs: 5, processingMs: 0, detectionMs: 20, watchMs: 500, periodMs: 100 }

/** Member 1 of five, which watches member 2. */
function watcher() {
  const handlers = queryResponse.handlers(new Group(5, TIMING))
  const s = queryResponse.state.init()
  const sent: string[] = []
  const ignore = (): void => undefined
  const out: DetectorOut<AnyMessage> = {
    me: 1,
    send: (peer, { type }) => sent.push(`${type} ${peer}`),
    set: ignore,
    clear: ignore,
    up: ignore,
    down: ignore,
  }
  const take = (): string[] => sent.splice(0)
  const respond = (from: number, query: number, ...winners: number[]): string[] => {
    const m = { type: 'response', query, winners: NodeSet.of(...winners) }
    handlers.message(s, from, m, out)
    return take()
  }
  const endQuery = (): string[] => {
    handlers.timeout(s, 'query', 0, out)
    return take()
  }
  handlers.watch(s, 2, out)
  return { first: take(), respond, endQuery, state: s as { winners: NodeSet } }
}

const QUERIES = ['query 2', 'query 3', 'query 4', 'query 5']

test('a watch begins with a query to all', () => {
  expect(watcher().first).toEqual(QUERIES)
})

test('a peer that is not among the first n−f responses, and that no winner names, is asked at once', () => {
  const { respond, state } = watcher()
  expect(respond(4, 1)).toEqual([])
  expect(respond(3, 1)).toEqual(['alive? 2'])
  expect([...state.winners]).toEqual([3, 4])
})

test('a peer that a winner names is trusted', () => {
  const { respond, endQuery } = watcher()
  expect([...respond(4, 1, 2, 5), ...respond(3, 1)]).toEqual([])
  expect(endQuery()).toEqual(QUERIES)
})

test('a peer that wins itself is trusted; a response that comes too late, or to an older query, is none', () => {
  const { respond, endQuery } = watcher()
  expect([...respond(2, 1), ...respond(3, 1)]).toEqual([])
  endQuery()
  expect([...respond(2, 1), ...respond(4, 2), ...respond(5, 2)]).toEqual(['alive? 2'])
})

test('with fewer than n−f responses a query ends when the next one begins', () => {
  const { respond, endQuery } = watcher()
  expect(respond(3, 1)).toEqual([])
  expect(endQuery()).toEqual(['alive? 2', ...QUERIES])
})
