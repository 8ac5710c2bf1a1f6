/** Parses a lesson from Markdown into headings, text, lists, quotes of the documents and runs, and makes a run from settings or a trace. */
import { withNames } from './documents.ts'
import { settingsFrom } from '../run/edit-settings.ts'
import type { Settings } from '../simulation/worker-protocol.ts'

/** A run to look at: settings of the simulator, or a trace without a clock. */
export interface LessonRun {
  readonly id: string
  readonly title: string
  /** What to look for. */
  readonly caption: string
  readonly settings?: Settings
  readonly trace?: string
}

/** What the end of a section asks. */
export interface SectionQuestion {
  readonly text: string
  readonly answers: readonly string[]
  readonly right: number
  /** Why this answer is right. */
  readonly why: string
}

export type Part =
  | { readonly kind: 'heading'; readonly text: string }
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'list'; readonly items: readonly string[] }
  | { readonly kind: 'quote'; readonly text: string; readonly source: string }
  | { readonly kind: 'run'; readonly run: LessonRun }
  | { readonly kind: 'question'; readonly question: SectionQuestion }

export interface Lesson {
  readonly id: string
  readonly title: string
  /** The documents that it is based on. */
  readonly source: string
  /** The idea in a sentence. */
  readonly idea: string
  readonly parts: readonly Part[]
}

const traces = import.meta.glob<string>('./traces/*.txt', {
  query: '?raw',
  import: 'default',
  eager: true,
})

/** The first three blocks are the title, the source and the idea. */
export function parseLesson(id: string, markdown: string): Lesson {
  const [title, source, idea, ...blocks] = withNames(markdown)
    .trim()
    .split(/\n{2,}/u)
  return {
    id,
    title: title.replace('# ', ''),
    source: source.replace('Source: ', ''),
    idea,
    parts: blocks.map(partOf),
  }
}

function partOf(block: string): Part {
  const lines = block.split('\n')
  if (block.startsWith('```run ')) {
    const [id, title, settings, ...caption] = [lines[0].slice(7), ...lines.slice(1, -1)]
    return { kind: 'run', run: lessonRun(id, title, settings, caption.join(' ')) }
  }
  if (block.startsWith('```ask')) return { kind: 'question', question: questionOf(lines) }
  if (block.startsWith('## ')) return { kind: 'heading', text: block.slice(3) }
  if (block.startsWith('- ')) return { kind: 'list', items: lines.map((line) => line.slice(2)) }
  if (block.startsWith('> ')) {
    const [text, source] = lines.map((line) => line.slice(2))
    return { kind: 'quote', text, source: source.slice(2) }
  }
  return { kind: 'text', text: lines.join(' ') }
}

/**
 * A lesson in another language: the same parts in the same order, without the quotes and the settings of runs.
 * Quotes stay in the language of the document.
 */
export function translateLesson(lesson: Lesson, markdown: string): Lesson {
  const [title, source, idea, ...blocks] = withNames(markdown)
    .trim()
    .split(/\n{2,}/u)
  const parts = lesson.parts.map((part): Part => {
    if (part.kind === 'quote') return part
    const block = blocks.shift() ?? ''
    return part.kind === 'run' ? { kind: 'run', run: translateRun(part.run, block) } : partOf(block)
  })
  return {
    id: lesson.id,
    title: title.replace('# ', ''),
    source: source.replace('Source: ', ''),
    idea,
    parts,
  }
}

function translateRun(run: LessonRun, block: string): LessonRun {
  const [, title, ...caption] = block.split('\n').slice(0, -1)
  return { ...run, title, caption: caption.join(' ') }
}

/** The question, its answers, `+` the right one, and `=` why. */
function questionOf([, text, ...lines]: readonly string[]): SectionQuestion {
  const answers = lines.filter((line) => /^[-+] /u.test(line))
  const why = lines.find((line) => line.startsWith('= ')) ?? ''
  return {
    text,
    answers: answers.map((line) => line.slice(2)),
    right: answers.findIndex((line) => line.startsWith('+ ')),
    why: why.slice(2),
  }
}

/** `settings`: a line of settings, or `trace` for the trace of this name. */
export function lessonRun(id: string, title: string, settings: string, caption: string): LessonRun {
  const run = { id, title, caption }
  return settings === 'trace'
    ? { ...run, trace: traces[`./traces/${id}.txt`] }
    : { ...run, settings: settingsFrom(settings) }
}
