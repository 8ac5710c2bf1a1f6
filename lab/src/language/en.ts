/** The English texts of the page. */
import { memberChanges } from './en/member-changes.ts'
import { incident } from './en/incident.ts'
import { member } from './en/member.ts'
import { run } from './en/run.ts'
import { shell } from './en/shell.ts'
import { write } from './en/write.ts'

export const ENGLISH = {
  ...write,
  ...shell,
  ...run,
  ...member,
  ...memberChanges,
  ...incident,
} as const
