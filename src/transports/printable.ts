/** Makes text that another process wrote safe to print: characters that change a terminal or a line become escapes. */

/** Controls, invisible and bidirectional formatting, private use, lone surrogates, line and paragraph separators. */
const UNSAFE = /[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Zl}\p{Zp}]/gu

/** Cuts long text, too. */
export function printable(text: string, longest = 512): string {
  const short = text.length > longest ? `${text.slice(0, longest)}…` : text
  return short.replace(UNSAFE, (it) => `\\u{${it.codePointAt(0)!.toString(16)}}`)
}
