/** The Japanese texts of the page. */
import type { Catalogue } from './translate.ts'
import { run } from './ja/run.ts'
import { shell } from './ja/shell.ts'

export const JAPANESE = { ...shell, ...run } satisfies Catalogue
