/** Says how many lines of a view find room in a terminal, and clips a line to its width. */

export const EVENTS_SHOWN = 8

/** How many members and events fit: lines that scroll out of the terminal cannot be redrawn. */
export function roomFor(members: number, height: number): { members: number; events: number } {
  const events = Math.max(0, Math.min(EVENTS_SHOWN, height - members))
  return { members: Math.max(1, Math.min(members, height - events)), events }
}

/** The first member that is shown, so that the selected one is visible. */
export function firstShown(members: number, room: number, selected: number): number {
  return Math.max(0, Math.min(selected - Math.floor(room / 2), members - room))
}

/** Clips a line to its visible width; a clipped line loses its colours. */
export function clip(line: string, width: number): string {
  // oxlint-disable-next-line no-control-regex -- Colours begin with the escape character.
  const seen = line.replaceAll(/\u001b\[\d*m/gu, '')
  return seen.length <= width ? line : seen.slice(0, width)
}
