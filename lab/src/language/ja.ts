/** The Japanese texts of the page. */
import type { Catalogue } from './translate.ts'
import { fault } from './ja/fault.ts'
import { incident } from './ja/incident.ts'
import { member } from './ja/member.ts'
import { run } from './ja/run.ts'
import { shell } from './ja/shell.ts'
import { write } from './ja/write.ts'

export const JAPANESE = {
  ...write,
  ...shell,
  ...run,
  ...member,
  ...fault,
  ...incident,
} satisfies Catalogue
