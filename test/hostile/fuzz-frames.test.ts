import { expect, test } from 'vitest'
import { fuzz } from '../../scripts/support/fuzz-frames.ts'

test('100,000 hostile chunks are read or refused with a WireError, and the decoder keeps nothing', () => {
  const { chunks, frames, refused } = fuzz(100_000, 1)
  expect(chunks).toBe(100_000)
  expect(frames).toBeGreaterThan(1000)
  expect(refused).toBeGreaterThan(1000)
})
