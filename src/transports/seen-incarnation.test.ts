/** Tests which incarnations of a name are rejected after another one, for how long, and what the rejected member learns. */
import { expect, test } from 'vitest'
import { SeenIncarnation } from './seen-incarnation.ts'

const TEN_MINUTES = 10 * 60_000

test('of two processes with one id the one with the later incarnation is accepted, and rejects the other for ten minutes after its end', () => {
  const seen = new SeenIncarnation()
  const rejectionOf = (incarnation: number, isConnected: boolean, now: number) =>
    seen.rejectionOf(incarnation, isConnected, TEN_MINUTES, now)
  seen.note(1, 0)
  expect(rejectionOf(2, true, 1000)).toBeUndefined()
  seen.note(2, 1000)
  expect(rejectionOf(1, true, TEN_MINUTES * 9)).toEqual({
    field: 'incarnation',
    detail:
      'incarnation 1 is over: 2 is connected: another process with this id has started since: stop one of the two',
  })
  seen.disconnected(TEN_MINUTES * 9)
  expect(rejectionOf(1, false, TEN_MINUTES * 10 - 1)).toEqual({
    field: 'incarnation',
    detail: 'incarnation 1 is over: 2 has been seen',
    seen: 2,
  })
  expect(rejectionOf(1, false, TEN_MINUTES * 10)).toBeUndefined()
})
