/** The Japanese texts of the page. */
import type { Catalogue, Phrases } from './translate.ts'
import { memberChanges } from './ja/member-changes.ts'
import { incident } from './ja/incident.ts'
import { member } from './ja/member.ts'
import { run } from './ja/run.ts'
import { shell } from './ja/shell.ts'
import { write } from './ja/write.ts'
import { FIELDS } from './ja/core/fields.ts'
import { REFUSALS } from './ja/core/refusals.ts'
import { VERDICTS } from './ja/core/verdicts.ts'
import { INTERFACE } from './ja/phrases/interface.ts'
import { SENTENCES } from './ja/phrases/sentences.ts'
import { PRESETS } from './ja/phrases/presets.ts'
import { CHALLENGES } from './ja/phrases/challenges.ts'
import { TASKS } from './ja/phrases/tasks.ts'

export const JAPANESE = {
  ...write,
  ...shell,
  ...run,
  ...member,
  ...memberChanges,
  ...incident,
} satisfies Catalogue

export const JAPANESE_PHRASES: Phrases = {
  ...INTERFACE,
  ...SENTENCES,
  ...PRESETS,
  ...CHALLENGES,
  ...TASKS,
}

/** Of sentences that the simulator and the checker write, which the command prints in English. */
export const JAPANESE_PATTERNS: Phrases = { ...VERDICTS, ...REFUSALS, ...FIELDS }
