/** The Korean texts of the page. */
import type { Catalogue } from './translate.ts'
import { run } from './ko/run.ts'
import { shell } from './ko/shell.ts'

export const KOREAN = { ...shell, ...run } satisfies Catalogue
