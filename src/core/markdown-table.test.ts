import { describe, expect, test } from 'vitest'
import { markdownTable } from './markdown-table.ts'

describe('a Markdown table', () => {
  const rows = [
    ['name', 'n'],
    ['a|b', '1,000'],
    ['𝑇ₘ', ''],
  ]

  test('has columns of equal width, counted in characters, and no cell ends early', () => {
    expect(markdownTable(rows).split('\n')).toEqual([
      '| name | n     |',
      '| ---- | ----- |',
      '| a\\|b | 1,000 |',
      '| 𝑇ₘ   |       |',
    ])
  })

  test('aligns numbers to the right', () => {
    expect(markdownTable(rows, 'right').split('\n').slice(0, 3)).toEqual([
      '| name |     n |',
      '| ---- | ----: |',
      '| a\\|b | 1,000 |',
    ])
  })
})
