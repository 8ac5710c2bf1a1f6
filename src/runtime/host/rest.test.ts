/** Rest of one member: who may ask whom, and when a question that is out of date counts for nothing. */
import { expect, test } from 'vitest'
import type { AnyState } from '../../core/algorithm.ts'
import { Rest, type RestingMember } from './rest.ts'

/** A member 2 of three, which follows or leads, and which the algorithm would always let rest. */
function memberOf(leader: number) {
  const asked: (readonly number[])[] = []
  const later: (() => void)[] = []
  const state = { leader, term: 1, status: 'Norm' } as unknown as AnyState
  const nothing = (): void => undefined
  const member = {
    handlers: { rests: () => true, beaten: nothing },
    state,
    me: 2,
    isIdle: true,
    timing: { periodMs: 100, detectionMs: 300 },
    links: {
      connectedPeers: new Set([1, 3]),
      askToRest: (peers: readonly number[]) => void asked.push(peers),
      endRest: nothing,
      lastBeat: () => -Infinity,
    },
    heardAt: nothing,
    at: nothing,
    later: (_ms: number, action: () => void) => {
      later.push(action)
      return nothing
    },
    suspendTimers: nothing,
    resumeTimers: nothing,
  } as unknown as RestingMember
  return { rest: new Rest(member), state, asked, later }
}

test('a leader that has lost its leadership since it thought of asking asks nobody', () => {
  const { rest, state, asked, later } = memberOf(2)
  rest.consider(0)
  rest.consider(200)
  expect(later).toHaveLength(1)
  state.leader = 3
  later[0]()
  expect(asked).toEqual([])
})

test('a member rests when its own leader asks, and for nobody else', () => {
  expect(memberOf(3).rest.follow(3)).toBe(true)
  expect(memberOf(3).rest.follow(1)).toBe(false)
  expect(memberOf(2).rest.follow(3)).toBe(false) // it leads
})
