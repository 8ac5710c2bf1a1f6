/** Asks the leader for changes of its group, one after the other, and reports the progress. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { GroupChange } from '../../runtime/membership/changed-configuration.ts'
import { durationMs } from '../../runtime/options/option-kinds.ts'
import { EXIT } from '../errors.ts'
import { print, printJson, remark } from '../terminal/print.ts'
import { askLeader, problemIn } from './ask-leader.ts'
import { reachableMembers, type ReachFlags } from './reachable-members.ts'

export interface ChangeFlags extends ReachFlags {
  readonly json?: true
  readonly dryRun?: true
  readonly wait?: string
}

/** One change with what is printed when a majority has it. */
export interface PlannedChange {
  readonly change: GroupChange
  readonly done: string
  /** What stands in the way while an observer has not caught up. */
  readonly meanwhile?: string
}

const AGAIN_MS = 500
/** What passes by itself. */
const PASSES: ReadonlySet<unknown> = new Set(['not caught up', 'not committed', 'not the leader'])

/** With --dry-run: only asks which rule would refuse the first one. */
export async function changeGroup(
  plan: readonly PlannedChange[],
  flags: ChangeFlags,
): Promise<void> {
  const dryRun = flags.dryRun === true
  const waitMs = durationMs(flags.wait ?? '60s', '--wait')
  const say = flags.json === true ? remark : print
  for (const planned of dryRun ? plan.slice(0, 1) : plan) {
    const failure = await requestChange(planned, flags, dryRun ? 0 : waitMs, remark)
    if (failure !== undefined) {
      process.exitCode = EXIT.failed
      if (flags.json === true) printJson({ ok: false, ...failure })
      return remark(
        `bellwether: ${failure.error}${failure.rule === null ? '' : ` (rule: ${failure.rule})`}`,
      )
    }
    say(dryRun ? 'no rule refuses this change now' : planned.done)
  }
  if (flags.json === true) printJson({ ok: true })
}

interface Failure {
  readonly error: string
  readonly rule: string | null
}

/** Asks until a majority has it, or it cannot be: then the failure. `say` tells what it waits for. */
export async function requestChange(
  { change, meanwhile }: PlannedChange,
  flags: ChangeFlags,
  waitMs: number,
  say: (text: string) => void,
): Promise<Failure | undefined> {
  const until = performance.now() + waitMs
  const question = { ask: 'change', change, dryRun: flags.dryRun === true } as const
  let hasSaid = false
  for (;;) {
    // Asked anew: the leader, or the members that there are, may be others by now.
    const answer = await askLeader(await reachableMembers(flags), question)
    const error = problemIn(answer)
    if (error === undefined) return undefined
    const rule = answer.leader === '' ? 'not the leader' : answer.body?.['rule']
    const text = typeof rule === 'string' ? rule : null
    if (!PASSES.has(rule) || performance.now() > until) return { error, rule: text }
    if (!hasSaid) say(meanwhile ?? `bellwether: ${error}; waits`)
    hasSaid = true
    await sleep(AGAIN_MS)
  }
}
