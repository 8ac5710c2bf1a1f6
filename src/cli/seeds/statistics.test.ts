/** Means with intervals, shares and histograms. */
import { expect, test } from 'vitest'
import { histogramOf, shareOf, statisticsOf } from './statistics.ts'

test('a mean has an interval that shrinks with the number of samples', () => {
  const { mean, low, high, median, p95, min, max, n } = statisticsOf([1, 2, 3, 4, NaN])
  expect([n, mean, min, median, p95, max]).toEqual([4, 2.5, 1, 3, 4, 4])
  expect(high - mean).toBeCloseTo(mean - low, 10)
  expect(high - low).toBeCloseTo((2 * 1.96 * Math.sqrt(5 / 3)) / 2, 6)
})

test('a share of 0 or 1 has an interval, too', () => {
  expect(shareOf(0, 100)).toMatchObject({ share: 0, low: 0 })
  expect(shareOf(0, 100).high).toBeCloseTo(0.037, 3)
  expect(shareOf(100, 100)).toMatchObject({ share: 1, high: 1 })
  expect(shareOf(50, 100).low).toBeCloseTo(0.4038, 3)
})

test('a histogram counts every value once', () => {
  const bins = histogramOf([0, 1, 2, 3, 4, 5, 6, 7, 8, 10, NaN], 5)
  expect(bins.map(({ count }) => count)).toEqual([2, 2, 2, 2, 2])
  expect(histogramOf([7, 7], 5)).toEqual([{ from: 7, to: 7, count: 2 }])
  expect(histogramOf([], 5)).toEqual([])
})
