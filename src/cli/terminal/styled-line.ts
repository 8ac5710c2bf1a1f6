/**
 * Builds one line of text in which each character has a column and a colour of the palette; shortens texts and
 * replaces characters that are not ASCII.
 */
import picocolors from 'picocolors'

export type Paint = 'bold' | 'dim' | 'blue' | 'cyan' | 'yellow' | 'red' | 'green'
export type Palette = Readonly<Record<Paint, (text: string) => string>>

/** For files, tests and terminals without colours. */
export const PLAIN: Palette = picocolors.createColors(false)

export class Line {
  private readonly characters: string[] = []
  private readonly paints: (Paint | null)[] = []

  put(x: number, text: string, paint: Paint | null = null): void {
    for (let i = 0; i < text.length; i++) {
      this.characters[x + i] = text.charAt(i)
      this.paints[x + i] = paint
    }
  }

  /** Characters after the column `most` are left out. */
  show(palette: Palette, most = Infinity): string {
    let shown = ''
    let run = ''
    let paint: Paint | null = null
    const flush = (): void => {
      shown += paint === null || run.trim() === '' ? run : palette[paint](run)
      run = ''
    }
    for (let i = 0; i < Math.min(most, this.characters.length); i++) {
      const next = this.paints[i] ?? null
      if (next !== paint) flush()
      paint = next
      run += this.characters[i] ?? ' '
    }
    flush()
    return shown.trimEnd()
  }
}

export function shorten(text: string, most: number): string {
  if (text.length <= most) return text
  return most < 2 ? '' : `${text.slice(0, most - 1)}…`
}

const PLAIN_SIGNS: Readonly<Record<string, string>> = {
  '→': '>',
  '✕': 'x',
  '✓': '+',
  '…': '.',
  '×': 'x',
  '–': '-',
  '★': '*',
  µ: 'u',
  '█': '#',
}

/** Replaces the characters of the texts that are not ASCII. */
export function toAscii(text: string): string {
  return text.replaceAll(/[→✕✓…×–★µ█]/gu, (sign) => PLAIN_SIGNS[sign])
}
