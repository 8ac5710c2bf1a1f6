/** What a lesson is made of: short texts, sentences of the documents, and runs. */
import type { Settings } from '../simulation/worker-protocol.ts'

/** A run to look at: settings of the simulator, or a trace whose steps have no clock. */
export interface LessonRun {
  readonly id: string
  readonly title: string
  /** What to look for. */
  readonly look: string
  readonly settings?: Settings
  readonly trace?: string
}

export type Part =
  | { readonly kind: 'heading'; readonly text: string }
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'list'; readonly items: readonly string[] }
  | { readonly kind: 'quote'; readonly text: string; readonly from: string }
  | { readonly kind: 'run'; readonly run: LessonRun }

export interface Lesson {
  readonly id: string
  readonly title: string
  /** Which documents it comes from. */
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

export const heading = (text: string): Part => ({ kind: 'heading', text })
export const text = (text: string): Part => ({ kind: 'text', text })
export const list = (...items: string[]): Part => ({ kind: 'list', items })
export const quote = (from: string, text: string): Part => ({ kind: 'quote', from, text })

/** `bully nodes=5 seed=1`: an algorithm, then settings. */
export function run(id: string, title: string, settings: string, look: string): Part {
  const [algorithm, ...pairs] = settings.split(' ')
  const more = pairs.map((pair): [string, string] => {
    const sign = pair.indexOf('=')
    return [pair.slice(0, sign), pair.slice(sign + 1)]
  })
  return { kind: 'run', run: { id, title, look, settings: [['algorithm', algorithm], ...more] } }
}

/** A trace of this folder, by the name of its file. */
export function steps(id: string, title: string, look: string): Part {
  return { kind: 'run', run: { id, title, look, trace: traces[`./traces/${id}.txt`] } }
}
