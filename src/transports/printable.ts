/**
 * Makes text and JSON of another process safe to print: escapes characters that change a terminal or a line, and cuts
 * long text and deep nesting.
 */
import type { Json } from '../core/schema.ts'

/** Controls, invisible and bidirectional formatting, private use, lone surrogates, line and paragraph separators. */
const UNSAFE = /[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Zl}\p{Zp}]/gu

/** Cuts long text, too. */
export function printable(text: string, longest = 512): string {
  const short = text.length > longest ? `${text.slice(0, longest)}…` : text
  return short.replace(UNSAFE, (it) => `\\u{${it.codePointAt(0)!.toString(16)}}`)
}

/** What is nested deeper is left out. */
const MAX_DEPTH = 64

/** All of its text and names. */
export function printableJson(json: Json, room = MAX_DEPTH): Json {
  if (typeof json === 'string') return printable(json)
  if (typeof json !== 'object' || json === null) return json
  if (room === 0) return null
  if (Array.isArray(json)) return json.map((part) => printableJson(part, room - 1))
  return Object.fromEntries(
    Object.entries(json).map(([name, part]) => [
      printable(name, 128),
      printableJson(part, room - 1),
    ]),
  )
}
