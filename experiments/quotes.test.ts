/**
 * Tests that each claim of a document quotes it, and that the document holds each quoted word.
 * BELLWETHER_DOCUMENTS names a folder with the texts, each file beginning with the number of its document: 000, 001, …
 * The texts are not part of this repository. Without them, the test compares the digest of the quotations with that of
 * the quotations last found in the document: a quotation that is changed or added needs the documents.
 */
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { claims } from './index.ts'
import { QUOTES, withoutLayout } from './harness/quotes.ts'

const folder = process.env['BELLWETHER_DOCUMENTS']

/** SHA-256 of the quotations that were last found in each document. */
const FOUND = {
  '000': 'ef30fcdc88d52f4c00d721510797f022a78681fb6fbb78b530e38a43ee41750a',
  '001': '2ee87d085d1bad7718ca0f35e885717d41f578012643f122e5975f89407ed785',
  '002': 'a04410fc4d5f46ff337e44afa012e6a831a6a64a5695faf242b913be37b570b7',
  '003': '64e5131c62ed624472848e85114a8e78869ec4032ef1aad2641d5ac8630c2f8d',
  '004': 'be87919264b5b70c4ff54ace137b4415f1c3b3369d396a768cb7b6cf4abb5fcf',
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

describe('the documents hold every quoted word', () => {
  test.each(Object.entries(FOUND))('of %s', (document, found) => {
    const quotations = Object.entries(QUOTES)
      .filter(([id]) => id.startsWith(document))
      .flatMap(([id, quotes]) => quotes.map((quote) => ({ id, words: withoutLayout(quote) })))
    const text = folder === undefined ? null : textOf(document, folder)
    const missing = quotations.filter(({ words }) => text !== null && !text.includes(words))
    expect(missing).toEqual([])

    const digest = createHash('sha256').update(JSON.stringify(quotations)).digest('hex')
    const advice =
      text === null
        ? 'a quotation is new or changed: set BELLWETHER_DOCUMENTS to the folder of the five texts'
        : 'the document holds these quotations: record the digest in FOUND'
    expect({ digest, ...(digest !== found && { advice }) }).toEqual({ digest: found })
  })
})

function textOf(document: string, from: string): string {
  const name = readdirSync(from).find((file) => file.startsWith(document))
  if (name === undefined) throw new Error(`${from} has no file that begins with ${document}`)
  return withoutLayout(readFileSync(join(from, name), 'utf8'))
}
