/** The short form of `npm run fuzz`. */
import { expect, test } from 'vitest'
import { fuzz } from '../../scripts/support/fuzz-frames.ts'

test('100,000 hostile chunks are decoded or rejected with a WireError, and the decoder holds nothing', () => {
  const { chunks, frames, refused } = fuzz(100_000, 1)
  expect(chunks).toBe(100_000)
  expect(frames).toBeGreaterThan(1000)
  expect(refused).toBeGreaterThan(1000)
})
