/**
 * Writes the text around a diagram: title, description for screen readers, notes on broken promises and on what is not
 * drawn, and counts of equal texts.
 */
import { textWidth } from './layout/label-places.ts'
import type { DiagramLayout } from './layout/layout.ts'
import type { Interval, Mark, Diagram } from './model.ts'
import { showLength, showTime } from './layout/time-scale.ts'

export function titleOf({ algorithm, members, seed }: Diagram): string {
  return `${algorithm}, ${members} members${seed === null ? '' : `, seed ${seed}`}`
}

export function describe(space: Diagram): string {
  const { lanes, arrows, leaderless, splits, endUs } = space
  const lost = arrows.filter(({ fate }) => fate === 'lost').length
  const sentences = [
    `Space-time diagram of an election with ${space.algorithm}: ${arrows.length} messages, ` +
      `${lost} of them lost, until ${showTime(space, endUs)}.`,
    ...lanes.map(({ label, intervals }) => {
      const last = intervals.at(-1)
      return last === undefined ? '' : `In the end member ${label} ${belief(last)}.`
    }),
    ...space.marks
      .filter(({ kind, routine }) => !routine && !['start', 'timeout', 'verdict'].includes(kind))
      .map(({ at, label, text }) => {
        const who = label === 0 ? '' : `member ${label} `
        return `At ${showTime(space, at)} ${who}${text}.`
      }),
    ...leaderless.map(
      (span) => `No agreed leader from ${showTime(space, span.from)}, ${showLength(space, span)}.`,
    ),
    ...splits.map(
      (span) =>
        `Followers of different leaders from ${showTime(space, span.from)}, ` +
        `${showLength(space, span)}.`,
    ),
  ]
  return sentences
    .filter((sentence) => sentence !== '')
    .slice(0, 60)
    .join(' ')
}

function belief({ state, leader, term }: Interval): string {
  if (state === 'leading') return term === null ? 'leads' : `leads in term ${term}`
  if (state === 'following') return `follows ${leader}`
  return state === 'down' ? 'is down' : 'follows nobody'
}

export function violationsOf({ marks }: Diagram): readonly Mark[] {
  return marks.filter(({ kind }) => kind === 'violation')
}

export function notesOf({ space, leftOut, width }: DiagramLayout): string[] {
  const broken = violationsOf(space)
    .slice(0, 8)
    .map(({ at, text }, i) => `! ${i + 1} at ${showTime(space, at)}, ${text}.`)
  const most = Math.floor((Math.max(width, 640) - 48) / textWidth('x'))
  return [...broken, ...leftOut].flatMap((sentence) => wrap(sentence, most))
}

/** `12 × heartbeat, probe`: each text once, with its number. */
export function countsOf(texts: readonly string[]): string {
  const counts = new Map<string, number>()
  for (const text of texts) counts.set(text, (counts.get(text) ?? 0) + 1)
  return [...counts].map(([text, count]) => `${count} × ${text}`).join(', ')
}

function wrap(sentence: string, most: number): string[] {
  const lines = ['']
  for (const word of sentence.split(' ')) {
    const line = lines[lines.length - 1]
    if (line !== '' && line.length + 1 + word.length > most) lines.push(`   ${word}`)
    else lines[lines.length - 1] = line === '' ? word : `${line} ${word}`
  }
  return lines
}
