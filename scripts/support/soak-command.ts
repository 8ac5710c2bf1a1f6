/** What `npm run soak` and `npm run soak:changes` have in common: who cuts links, where the records go, how the command ends. */
import { writeFileSync } from 'node:fs'
import { namesOf } from '../../src/cli/commands/up.ts'
import { Namespaces } from '../../src/testing/namespaces.ts'
import type { Noted } from '../campaigns/soak-check.ts'
import { fail, file, oneOf } from './command-line.ts'

export const SOAK_FLAGS = {
  notes: file('where to write every record of the members'),
  cuts: oneOf(
    ['namespaces', 'process'],
    'namespaces',
    "who cuts links: the kernel, or the members' own transport",
  ),
}

interface Surroundings {
  /** Each member in a network namespace of its own, so that the kernel cuts links. */
  readonly network?: Namespaces
  readonly progress: (text: string) => void
}

interface SoakResult {
  readonly notes: readonly Noted[]
  readonly violations: readonly string[]
}

export async function runSoak(
  given: {
    readonly run: string
    readonly members: number
    readonly cuts: string
    readonly notes: string | undefined
  },
  soak: (surroundings: Surroundings) => Promise<SoakResult>,
): Promise<void> {
  using network = given.cuts === 'process' ? null : namespacesOf(given)
  const progress = (text: string): void => void process.stderr.write(text)
  const { notes, ...report } = await soak({ progress, ...(network && { network }) })
  if (given.notes !== undefined) {
    writeFileSync(given.notes, notes.map((note) => `${JSON.stringify(note)}\n`).join(''))
  }
  process.stdout.write(`${JSON.stringify(report, null, 2)}\n`)
  if (report.violations.length > 0) process.exitCode = 1
}

function namespacesOf({
  run,
  members,
}: {
  readonly run: string
  readonly members: number
}): Namespaces {
  const why = Namespaces.whyUnavailable()
  if (why !== undefined) fail(run, `${why}; --cuts process cuts inside the members instead`)
  return Namespaces.open(namesOf(members))
}
