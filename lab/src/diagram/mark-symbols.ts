/** Returns the symbol of a mark (time-out, fault …), for lanes of the diagram and for the timeline. Faults have the signs of their catalogue. */
import type { Mark } from '../../../src/diagram/model.ts'
import { FAULTS, isFaultKind } from '../../../src/sim/faults/fault-catalogue.ts'

const SYMBOLS: Readonly<Record<string, string>> = {
  timeout: '◷',
  verdict: '◦',
  elected: '★',
  drawn: '⚄',
  violation: '!',
}

export function symbolOf({ kind }: Mark): string {
  return isFaultKind(kind) ? FAULTS[kind].sign : (SYMBOLS[kind] ?? '·')
}
