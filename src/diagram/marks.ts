/** Builds the marks of a diagram: faults, time-outs, verdicts, elections and violations. */
import { isPeriodic } from './arrows.ts'
import { termWriter } from '../core/algorithm.ts'
import { captionOf } from '../sim/faults/fault-text.ts'
import type { Step } from '../sim/record/step.ts'
import type { Mark, DiagramSource } from './model.ts'

export function marksOf({ config, recording, violations }: DiagramSource): Mark[] {
  const { labels, algorithm } = config
  const showTerm = termWriter(algorithm, (id) => labels.of(id))
  const marks: Mark[] = []
  for (const entry of recording.entries) {
    const { at, step, changes } = entry
    const label = labels.of(step.node)
    const mark = markOf(step, (id) => labels.of(id))
    if (mark !== null) {
      const periodic = entry.sendings.every((sending) => isPeriodic(algorithm, sending))
      const routine = step.kind === 'timeout' && changes.length === 0 && periodic
      const merged = routine ? false : mergeCut(marks, at, mark)
      if (!merged) marks.push({ at, label, routine, ...mark })
    }
    const elected = changes.find(({ field, after }) => field === 'leader' && after === `${label}`)
    if (elected !== undefined) {
      const term = changes.find(({ field }) => field === 'term')?.after
      const text = term === undefined ? 'leads' : `leads, term ${showTerm(Number(term))}`
      marks.push({ at, label, kind: 'elected', text, routine: false })
    }
    if (violations !== undefined) continue
    for (const text of entry.violations) {
      marks.push({ at, label, kind: 'violation', text, routine: false })
    }
  }
  for (const { at, property, sentence } of violations ?? []) {
    const text = `${property}: ${sentence}`
    marks.push({ at, label: 0, kind: 'violation', text, routine: false })
  }
  return marks.sort((a, b) => a.at - b.at)
}

function markOf(step: Step, label: (id: number) => number): Pick<Mark, 'kind' | 'text'> | null {
  switch (step.kind) {
    case 'start':
      return { kind: 'start', text: 'starts' }
    case 'timeout': {
      const detector = step.part === 'detector' ? 'detector.' : ''
      return { kind: 'timeout', text: `${detector}${step.timer} time-out` }
    }
    case 'up':
    case 'down':
      return { kind: 'verdict', text: `${label(step.peer)} is ${step.kind}` }
    case 'drawn':
      return { kind: 'drawn', text: `draws ${step.k}` }
    case 'resign':
      return { kind: 'resign', text: captionOf({ at: 0, ...step }, label) }
    case 'fault':
      return { kind: step.fault.kind, text: captionOf(step.fault, label) }
    case 'settled':
    case 'deliver':
    case 'duplicate':
    case 'lose':
      return null
  }
}

/** A cut in both directions is two faults at one moment: one mark. */
function mergeCut(marks: Mark[], at: number, mark: Pick<Mark, 'kind' | 'text'>): boolean {
  const last = marks.at(-1)
  if (mark.kind !== 'cut' || last?.kind !== 'cut' || last.at !== at) return false
  const there = last.text.slice('cut '.length).split(' → ')
  const back = mark.text.slice('cut '.length).split(' → ')
  if (there[0] !== back[1] || there[1] !== back[0]) return false
  marks[marks.length - 1] = { ...last, text: `cut ${there.join(' | ')}` }
  return true
}
