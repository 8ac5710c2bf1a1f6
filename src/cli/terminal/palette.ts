/** Defines the colours of terminal text: their names, and the palette that applies none. */
import picocolors from 'picocolors'

export type Paint = 'bold' | 'dim' | 'blue' | 'cyan' | 'yellow' | 'red' | 'green'
export type Palette = Readonly<Record<Paint, (text: string) => string>>

/** For files, tests and terminals without colours. */
export const PLAIN: Palette = picocolors.createColors(false)
