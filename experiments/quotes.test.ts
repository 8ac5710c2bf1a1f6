/**
 * Tests that each claim of a document quotes it, and, where the documents are at hand, that they hold each quoted word.
 * BELLWETHER_DOCUMENTS names a folder with their texts, each file beginning with the number of its document: 000, 001, …
 */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { claims } from './index.ts'
import { QUOTES, withoutLayout } from './harness/quotes.ts'

const folder = process.env['BELLWETHER_DOCUMENTS']
if (folder === undefined) {
  console.warn(
    'SKIPPED: no quotation is compared with its document. Set BELLWETHER_DOCUMENTS to the folder of the five texts.',
  )
}

const ofDocuments = claims.map(({ id }) => id).filter((id) => !id.startsWith('beyond-'))

test('every claim of a document quotes it, and every quotation belongs to a claim', () => {
  expect(Object.keys(QUOTES).sort()).toEqual([...ofDocuments].sort())
  for (const [id, quotes] of Object.entries(QUOTES)) {
    const long = quotes.filter((quote) => withoutLayout(quote).length >= 8)
    expect({ id, long: long.length > 0 && long.length === quotes.length }).toEqual({
      id,
      long: true,
    })
  }
})

test('layout is no part of a quotation: spaces, emphasis and the commands of formulas', () => {
  expect(withoutLayout('  - ✓ Sends **an** *Election*  message\n')).toBe('SendsanElectionmessage')
  expect(withoutLayout('$\\langle \\text{NotNorm}, t \\rangle$')).toBe(
    withoutLayout('<NotNorm, t>'),
  )
  expect(withoutLayout('Elec<sub>1</sub>')).toBe('Elec1')
  expect(withoutLayout('not a word')).not.toBe(withoutLayout('not the word'))
})

describe.skipIf(folder === undefined)('the documents hold every quoted word', () => {
  test.each(['000', '001', '002', '003', '004'])('of %s', (document) => {
    const name = readdirSync(folder!).find((file) => file.startsWith(document))
    expect(name, `${document}… in ${folder}`).toBeDefined()
    const text = withoutLayout(readFileSync(join(folder!, name!), 'utf8'))
    const missing = Object.entries(QUOTES)
      .filter(([id]) => id.startsWith(document))
      .flatMap(([id, quotes]) => quotes.map((quote) => ({ id, quote })))
      .filter(({ quote }) => !text.includes(withoutLayout(quote)))
    expect(missing).toEqual([])
  })
})
