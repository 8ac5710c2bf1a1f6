import { expect, test } from 'vitest'
import { splitAddress } from './address.ts'

test.each([
  ['10.0.0.1:7400', '10.0.0.1', 7400],
  ['db-1:0', 'db-1', 0],
  ['[::1]:65535', '::1', 65_535],
  ['localhost', 'localhost', undefined],
  ['[::1]', '::1', undefined],
])('%s is the host %s and the port %s', (text, host, port) => {
  expect(splitAddress(text)).toEqual({ host, port })
})

test.each([
  '',
  'a@b:1',
  ':1',
  'a:',
  '::1:7400',
  '[::1',
  '[x]:1',
  'a:65536',
  'a b:1',
  'a:1:2',
  'a/b:1',
])('"%s" is not an address', (text) => {
  expect(splitAddress(text)).toBeUndefined()
})
