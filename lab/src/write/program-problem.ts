/** What is wrong with a program that the viewer wrote: which text of the catalogue says it, with which values, at which line. */

/** The name under which errors know the viewer's file. */
export const FILE = 'your-algorithm.ts'

/** The kinds of problems: each has its text in the catalogue, `write.problem.KIND`. */
export type ProblemKind =
  | 'syntax'
  | 'import'
  | 'noAlgorithm'
  | 'field'
  | 'fieldKind'
  | 'timerKind'
  | 'promise'
  | 'assumption'
  | 'purpose'
  | 'handlersFunction'
  | 'handlerMissing'
  | 'handlerUnknown'
  | 'timeoutMissing'
  | 'name'
  | 'messageUnknown'
  | 'messageField'
  | 'timerUnknown'
  | 'drawUnknown'
  | 'member'
  | 'duration'
  | 'fieldUnknown'
  | 'value'
  | 'thrown'
  | 'silent'
  | 'broken'

export interface Problem {
  readonly kind: ProblemKind
  readonly values: Readonly<Record<string, string | number>>
  /** The line of the program, from 1; null: none is known. */
  readonly line: number | null
}

/** The program breaks a rule of the contract. */
export class ProgramError extends Error {
  override readonly name = 'ProgramError'
  readonly problem: Problem

  constructor(kind: ProblemKind, values: Problem['values'] = {}, line: number | null = null) {
    super(`${kind} ${JSON.stringify(values)}`)
    this.problem = { kind, values, line }
  }
}

const FRAME = new RegExp(`${FILE.replace('.', '\\.')}:(\\d+)`, 'u')

/** The innermost line of the program that is in a stack; null: none is. */
export function lineIn(stack: string | undefined): number | null {
  const found = FRAME.exec(stack ?? '')
  return found === null ? null : Number(found[1])
}

/** What the page should know of an error that was thrown while the program ran. */
export function problemOf(error: unknown): Problem {
  if (error instanceof ProgramError) {
    const { problem } = error
    return { ...problem, line: problem.line ?? lineIn(error.stack) }
  }
  const sentence = error instanceof Error ? `${error.name}: ${error.message}` : String(error)
  const stack = error instanceof Error ? error.stack : undefined
  return { kind: 'thrown', values: { sentence }, line: lineIn(stack) }
}
