/** The English texts of the page. */
import { fault } from './en/fault.ts'
import { incident } from './en/incident.ts'
import { member } from './en/member.ts'
import { run } from './en/run.ts'
import { shell } from './en/shell.ts'
import { write } from './en/write.ts'

export const ENGLISH = { ...write, ...shell, ...run, ...member, ...fault, ...incident } as const
