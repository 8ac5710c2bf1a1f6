/** Says in the viewer's language what is wrong with a program. */
import { t } from '../language/translate.ts'
import type { Problem } from './program-problem.ts'

export function sentenceOf({ kind, values }: Problem): string {
  // Each kind names the values of its text.
  return (t as (key: string, values: Problem['values']) => string)(`write.problem.${kind}`, values)
}
