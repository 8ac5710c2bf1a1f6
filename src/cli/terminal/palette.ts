/** The colours that a text is painted with: picocolors, or nothing at all. */
export interface Palette {
  bold(text: string): string
  dim(text: string): string
  blue(text: string): string
  cyan(text: string): string
  yellow(text: string): string
  red(text: string): string
  green(text: string): string
}

export type Paint = keyof Palette

const same = (text: string): string => text

/** For files, tests and terminals without colours. */
export const PLAIN: Palette = {
  bold: same,
  dim: same,
  blue: same,
  cyan: same,
  yellow: same,
  red: same,
  green: same,
}
