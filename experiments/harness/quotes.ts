/** The words of the documents that the claims are about: one list for each document, joined. */
import { QUOTES_000 } from '../000/quotes.ts'
import { QUOTES_001 } from '../001/quotes.ts'
import { QUOTES_002 } from '../002/quotes.ts'
import { QUOTES_003 } from '../003/quotes.ts'
import { QUOTES_004 } from '../004/quotes.ts'
import type { Claim, Quotes } from './claim.ts'

export const QUOTES: Quotes = {
  ...QUOTES_000,
  ...QUOTES_001,
  ...QUOTES_002,
  ...QUOTES_003,
  ...QUOTES_004,
}

/** None: the claim is ours. */
export function quotesOf({ id }: Pick<Claim, 'id'>): readonly string[] {
  return QUOTES[id] ?? []
}

const SIGNS: Readonly<Record<string, string>> = {
  langle: '<',
  rangle: '>',
  approx: '≈',
  square: '□',
  diamond: '◇',
  vee: '∨',
  wedge: '∧',
  Rightarrow: '⇒',
  dots: '…',
  log: 'log',
}

/** A text without what belongs to its layout: spaces, marks of emphasis and of lists, the commands of formulas. */
export function withoutLayout(text: string): string {
  return text
    .replaceAll(/\\([a-z]+)/giu, (_command, name: string) => SIGNS[name] ?? '')
    .replaceAll(/<\/?su[bp]>|\{aligned\}|^\s*-\s/gmu, '')
    .replaceAll(/[*_{}$\\&✓>`\s]/gu, '')
}
