/** The Korean texts of the page. */
import type { Catalogue } from './translate.ts'
import { fault } from './ko/fault.ts'
import { incident } from './ko/incident.ts'
import { member } from './ko/member.ts'
import { run } from './ko/run.ts'
import { shell } from './ko/shell.ts'
import { write } from './ko/write.ts'

export const KOREAN = {
  ...write,
  ...shell,
  ...run,
  ...member,
  ...fault,
  ...incident,
} satisfies Catalogue
