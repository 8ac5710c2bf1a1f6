/**
 * Compares a text with the one that is kept in test/golden. `REWRITE=1` writes them anew: commit the
 * changes only if you understand what caused them.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect } from 'vitest'

export function expectGolden(name: string, text: string): void {
  const path = fileURLToPath(new URL(`../golden/${name}`, import.meta.url))
  if (process.env['REWRITE'] === '1') writeFileSync(path, text)
  expect(text).toBe(readFileSync(path, 'utf8'))
}
