/** Writes text elements, escaped text and rounded numbers for an SVG. */

export function text(x: number, y: number, words: string, classes: string): string {
  const names = classes === '' ? '' : ` class="${classes}"`
  return `<text${names} x="${n(x)}" y="${n(y)}">${escape(words)}</text>`
}

export function escape(words: string): string {
  return words
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
}

/** A coordinate, to a tenth of a pixel. */
export function n(value: number): string {
  return String(Math.round(value * 10) / 10)
}

export function f(value: number): string {
  return String(Math.round(value * 10_000) / 10_000)
}
