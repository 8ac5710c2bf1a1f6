/** The Korean texts of the page. */
import type { Catalogue, Phrases } from './translate.ts'
import { memberChanges } from './ko/member-changes.ts'
import { incident } from './ko/incident.ts'
import { member } from './ko/member.ts'
import { run } from './ko/run.ts'
import { shell } from './ko/shell.ts'
import { write } from './ko/write.ts'
import { FIELDS } from './ko/core/fields.ts'
import { REFUSALS } from './ko/core/refusals.ts'
import { VERDICTS } from './ko/core/verdicts.ts'
import { INTERFACE } from './ko/phrases/interface.ts'
import { SENTENCES } from './ko/phrases/sentences.ts'
import { PRESETS } from './ko/phrases/presets.ts'
import { CHALLENGES } from './ko/phrases/challenges.ts'
import { TASKS } from './ko/phrases/tasks.ts'

export const KOREAN = {
  ...write,
  ...shell,
  ...run,
  ...member,
  ...memberChanges,
  ...incident,
} satisfies Catalogue

export const KOREAN_PHRASES: Phrases = {
  ...INTERFACE,
  ...SENTENCES,
  ...PRESETS,
  ...CHALLENGES,
  ...TASKS,
}

/** Of sentences that the simulator and the checker write, which the command prints in English. */
export const KOREAN_PATTERNS: Phrases = { ...VERDICTS, ...REFUSALS, ...FIELDS }
