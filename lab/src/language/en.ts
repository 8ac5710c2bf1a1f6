/** The English texts of the page. */
import { run } from './en/run.ts'
import { shell } from './en/shell.ts'

export const ENGLISH = { ...shell, ...run } as const
