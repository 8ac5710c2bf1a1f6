/**
 * Converts a space-time diagram into rows of arrows and notes for a terminal, and shortens long runs of ordinary rows.
 * A step that sends messages is a row: its arrows are drawn at the time of sending. Faults, verdicts and new leaders
 * are notes beside the lanes; members that come to follow one leader, one after another, share a row.
 */
import { groupBy } from '../../sim/record/group-by.ts'
import type { Arrow, Mark, Diagram } from '../../diagram/diagram.ts'

/** Messages of one step that go to the same members. */
export interface Volley {
  readonly from: number
  readonly names: readonly string[]
  readonly to: readonly number[]
  readonly lost: readonly { readonly to: number; readonly why: string }[]
}

export type DiagramRow =
  | { readonly kind: 'send'; readonly at: number; readonly volleys: readonly Volley[] }
  | {
      readonly kind: 'lanes'
      readonly at: number
      readonly notes: ReadonlyMap<number, Note>
      /** Kept when rows are left out. */
      readonly weighty: boolean
    }
  | { readonly kind: 'world'; readonly at: number; readonly text: string; readonly alarm: boolean }

export interface Note {
  readonly kind: Mark['kind'] | 'follows'
  readonly text: string
  /** The same for a narrow lane. */
  readonly short: string
}

export function rowsOf(space: Diagram): DiagramRow[] {
  const rows: DiagramRow[] = []
  const notes = notesOf(space)
  const sends = sendsOf(space)
  let [i, j] = [0, 0]
  while (i < notes.length || j < sends.length) {
    // A note at the time of a step comes before its messages.
    if (i < notes.length && (j >= sends.length || notes[i].at <= sends[j].at)) {
      const item = notes[i++]
      const { at, label, note, weighty } = item
      const alarm = note.kind === 'violation'
      if (label === 0) rows.push({ kind: 'world', at, text: note.text, alarm })
      else if (!mergedInto(rows, item)) {
        rows.push({ kind: 'lanes', at, notes: new Map([[label, note]]), weighty })
      }
    } else rows.push(sends[j++])
  }
  return rows
}

interface Item {
  readonly at: number
  readonly label: number
  readonly note: Note
  readonly weighty: boolean
}

function notesOf({ marks, lanes }: Diagram): Item[] {
  const items: Item[] = []
  for (const { at, label, kind, text, routine } of marks) {
    if (routine || kind === 'start') continue
    const weighty = kind !== 'timeout' && kind !== 'verdict' && kind !== 'drawn'
    items.push({ at, label, note: noteOf(kind, text), weighty })
  }
  for (const { label, intervals } of lanes) {
    intervals.forEach(({ from, state, leader }, i) => {
      const before = intervals[i - 1]
      if (state !== 'following' || before?.leader === leader) return
      const note: Note = { kind: 'follows', text: `follows ${leader}`, short: `→${leader}` }
      items.push({ at: from, label, note, weighty: false })
    })
  }
  return items.sort((a, b) => a.at - b.at)
}

/** The sign before the note replaces some of its words. */
function noteOf(kind: Mark['kind'], whole: string): Note {
  if (kind === 'timeout') {
    const text = whole.replace(' time-out', '')
    return { kind, text, short: text }
  }
  if (kind === 'elected') {
    const text = whole.replace('leads, ', '')
    return { kind, text, short: text.replace('term ', 't') }
  }
  if (kind === 'resign') return { kind, text: whole, short: whole.replace('resigns for', 'for') }
  const short = kind === 'verdict' ? whole.replace(' is down', '✕').replace(' is up', '✓') : whole
  return { kind, text: whole, short }
}

/** Adds the note to the last row if no information is lost. */
function mergedInto(rows: DiagramRow[], { at, label, note, weighty }: Item): boolean {
  const last = rows.at(-1)
  if (last?.kind !== 'lanes' || last.notes.has(label)) return false
  // Notes of different times share a row if all members follow the same leader.
  const all = [...last.notes.values(), note]
  const alike = all.every(({ kind, text }) => kind === 'follows' && text === note.text)
  if (last.at !== at && !alike) return false
  const notes = new Map(last.notes).set(label, note)
  rows[rows.length - 1] = { kind: 'lanes', at, notes, weighty: last.weighty || weighty }
  return true
}

function sendsOf({ arrows }: Diagram): (DiagramRow & { readonly kind: 'send' })[] {
  const shown = arrows.filter(({ routine, duplicate }) => !routine && !duplicate)
  const steps = groupBy(shown, ({ leftAt, from }) => `${leftAt} ${from}`)
  return [...steps.values()].flatMap((step) => {
    const at = step[0].leftAt
    return packed(volleysOf(step)).map((volleys) => ({ kind: 'send' as const, at, volleys }))
  })
}

function volleysOf(step: readonly Arrow[]): Volley[] {
  // One volley goes one way: to the left or to the right of its sender.
  const byName = groupBy(step, ({ from, to, type }) => `${to < from ? 'left' : 'right'} ${type}`)
  const volleys: Volley[] = []
  for (const arrows of byName.values()) {
    const { from, type } = arrows[0]
    const to = [...new Set(arrows.map((arrow) => arrow.to))].sort((a, b) => a - b)
    const lost = arrows.filter(({ fate }) => fate === 'lost').map(({ to, why }) => ({ to, why }))
    const same = volleys.findIndex((volley) => volley.to.join() === to.join())
    if (same < 0) volleys.push({ from, names: [type], to, lost })
    else {
      const other = volleys[same]
      volleys[same] = { from, names: [...other.names, type], to, lost: [...other.lost, ...lost] }
    }
  }
  return volleys
}

/** A row holds one volley to the left and one to the right. */
function packed(volleys: readonly Volley[]): Volley[][] {
  const rows: Volley[][] = []
  for (const volley of volleys) {
    const left = volley.to[0] < volley.from
    const row = rows.find(([one, other]) => !other && one.to[0] < one.from !== left)
    if (row === undefined) rows.push([volley])
    else row.push(volley)
  }
  return rows
}

/**
 * Shortens a list to about `most` rows: long runs of ordinary rows lose their middle. Returns the rows
 * kept, and in their places how many are missing.
 */
export function elided(rows: readonly DiagramRow[], most: number): (DiagramRow | number)[] {
  if (rows.length <= most) return [...rows]
  const runs: DiagramRow[][] = []
  for (const row of rows) {
    const last = runs.at(-1)
    if (isOrdinary(row) && last !== undefined && isOrdinary(last[0])) last.push(row)
    else runs.push([row])
  }
  for (let keep = most; keep >= 2; keep--) {
    const shown = runs.map((run) => shortenedRun(run, keep))
    if (keep === 2 || shown.reduce((sum, run) => sum + run.length, 0) <= most) return shown.flat()
  }
  return [...rows]
}

function isOrdinary(row: DiagramRow): boolean {
  return row.kind === 'send' || (row.kind === 'lanes' && !row.weighty)
}

function shortenedRun(run: readonly DiagramRow[], keep: number): (DiagramRow | number)[] {
  if (run.length <= keep) return [...run]
  const first = Math.ceil((keep - 1) / 2)
  const last = keep - 1 - first
  return [...run.slice(0, first), run.length - first - last, ...run.slice(run.length - last)]
}
