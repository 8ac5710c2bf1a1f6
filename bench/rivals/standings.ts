/** Measures failover of all rivals: those that take milliseconds by turns, then the others, each for itself. */
import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { installed } from '../../scripts/support/servers.ts'
import { Contest, type Failover } from './contest.ts'
import { ADVISORY, LIMIT, OTHERS, QUORUM, type Rival } from './rivals.ts'

export interface Standing {
  readonly rival: Rival
  readonly failovers: readonly Failover[]
}

type Progress = (text: string) => void

export async function standings(
  rivals: { readonly quick: readonly Rival[]; readonly others: readonly Rival[] },
  members: number,
  times: number,
  progress: Progress,
): Promise<Standing[]> {
  const quick = await byTurns(rivals.quick, members, times, progress)
  const others = await Promise.all(
    rivals.others.map(async (rival) => alone(rival, members, times, progress)),
  )
  return [...quick, ...others.flat()]
}

/** A rival that elects no leader is left out, with a sentence: it does not end the measurement of the others. */
async function alone(rival: Rival, members: number, times: number, progress: Progress) {
  return byTurns([rival], members, times, progress).catch((error: unknown) => {
    progress(`*** not measured: ${String(error)} ***\n`)
    return []
  })
}

export const QUICK_RIVALS: readonly Rival[] = [LIMIT, ADVISORY, QUORUM]

/** Those of the others whose server is installed; installs the packages that they need. */
export function otherRivals(): Rival[] {
  const folder = fileURLToPath(new URL('.', import.meta.url))
  if (!existsSync(`${folder}/node_modules/bully`)) {
    execFileSync('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund'], { cwd: folder })
  }
  const servers = installed()
  return OTHERS.filter(({ server }) => server === undefined || servers.includes(server))
}

/** By turns, so that a busy neighbour slows all of them alike. */
async function byTurns(
  rivals: readonly Rival[],
  members: number,
  times: number,
  progress: Progress,
): Promise<Standing[]> {
  const contests = await Promise.all(rivals.map(async (rival) => Contest.open(rival, members)))
  const all = rivals.map((): Failover[] => [])
  try {
    for (let i = 1; i <= times; i++) {
      for (const [k, contest] of contests.entries()) all[k].push(await contest.failLeader())
      const latest = all.map((failovers) => failovers.at(-1)!.first.toFixed(1))
      const names = rivals.map(({ name }) => name)
      progress(`  ${i} of ${times}: ${names.join('; ')}: ${latest.join(', ')} ms\n`)
    }
  } finally {
    for (const contest of contests) await contest[Symbol.asyncDispose]()
  }
  return rivals.map((rival, k) => ({ rival, failovers: all[k] }))
}
