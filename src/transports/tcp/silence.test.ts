import { expect, test } from 'vitest'
import { Silence } from './silence.ts'

test('a peer that answers, or is sent nothing, is not silent', () => {
  const silence = new Silence()
  for (let i = 0; i < 9; i++) expect(silence.tick()).toBe('nothing')
  for (let i = 0; i < 9; i++) {
    silence.sent()
    expect(silence.tick()).toBe('nothing')
    silence.received()
  }
})

test('a peer that answers nothing is asked, then given up; what is sent meanwhile does not prolong that', () => {
  const silence = new Silence()
  const seen = [1, 2, 3].map(() => {
    silence.sent()
    return silence.tick()
  })
  expect(seen).toEqual(['nothing', 'ask', 'close'])
})
