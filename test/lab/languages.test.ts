/** Tests the languages of the lab: that every text is used. */
import { readdirSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { ENGLISH } from '../../lab/src/language/en.ts'

test('every text is used', () => {
  const source = sources()
  const patterns = [...source.matchAll(/`([\w.]*)\$\{[^}`]*\}([\w.]*)`/gu)].flatMap(
    ([, before, after]) =>
      before === ''
        ? []
        : [
            new RegExp(
              `^${before.replaceAll('.', '\\.')}[^.]+${after.replaceAll('.', '\\.')}$`,
              'u',
            ),
          ],
  )
  const unused = Object.keys(ENGLISH).filter(
    (key) => !source.includes(`'${key}'`) && !patterns.some((pattern) => pattern.test(key)),
  )
  expect(unused).toEqual([])
})

/** The source of the page, without its catalogues. */
function sources(): string {
  const folder = new URL('../../lab/src/', import.meta.url)
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(
    (path) => /\.(?:ts|svelte)$/u.test(path) && !/^language\/(?:en|ko|ja)|\.test\.ts$/u.test(path),
  )
  return files.map((path) => readFileSync(new URL(path, folder), 'utf8')).join('\n')
}
