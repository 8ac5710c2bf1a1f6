/** Lets the checker and SPIN judge Bully_FD and mutants of it with the same budgets, and compares the two. */
import { mutate, type Edit } from '../../scripts/mutants/mutate.ts'
import { bullyFdWithout } from '../../scripts/mutants/named-mutants.ts'
import { bullyFd } from '../../src/algorithms/index.ts'
import { check } from '../../src/check/index.ts'
import type { Algorithm } from '../../src/core/algorithm.ts'
import { runSpin, type Judged } from './spin.ts'

/** What is judged; `budget` is the number of crashes, and that of recoveries. */
export interface Question {
  readonly what: string
  readonly algorithm: Algorithm
  /** The number of the mutant in the Promela model; 0: none. */
  readonly mutant: number
  readonly budget: number
  readonly property: 'always' | 'eventually'
}

export interface Opinions {
  readonly question: Question
  readonly check: Judged
  readonly spin: Judged
}

const IGNORE_NOT_NORM: Edit = [
  'if (s.leader === out.me && sameMark) stage1(s, out)',
  'if (s.leader === out.me && sameMark) return',
]

export async function questions(budget: number): Promise<Question[]> {
  const withoutStage3 = await bullyFdWithout('recheck')
  const anyAck = await bullyFdWithout('ackT')
  const ignoring = await mutate('bully-fd', [IGNORE_NOT_NORM], 'bully-fd-ignores-not-norm')
  const one = { algorithm: bullyFd, mutant: 0, budget }
  const mutants: Question[] = [
    { what: 'no Stage 3', algorithm: withoutStage3, mutant: 1, budget, property: 'always' },
    { what: 'NotNorm is ignored', algorithm: ignoring, mutant: 3, budget, property: 'eventually' },
  ]
  // With one crash and one recovery it keeps its promises.
  const twice = { what: 'any Ack counts', algorithm: anyAck, mutant: 2, budget } as const
  return [
    { what: 'Bully_FD', ...one, property: 'always' },
    { what: 'Bully_FD', ...one, property: 'eventually' },
    ...mutants,
    ...(budget > 1 ? [{ ...twice, property: 'always' } as const] : []),
  ]
}

/** For a small search the compiler takes longer than the search. */
export function ask(question: Question): Opinions {
  const { budget, mutant, property } = question
  const flags = [`CRASHES=${budget}`, `RECOVERIES=${budget}`, `MUTANT=${mutant}`]
  return {
    question,
    check: runCheck(question),
    spin: runSpin(flags, property, budget > 1 ? '-O2' : '-O0'),
  }
}

/** Without reduction: the states are to be compared. */
function runCheck({ algorithm, budget, property }: Question): Judged {
  const started = process.cpuUsage()
  const options = { members: 3, crashes: budget, recoveries: budget, reduction: false }
  const { properties, states, bytes } = check({ algorithm, ...options })
  const { user, system } = process.cpuUsage(started)
  const judged = properties.filter(({ kind }) => kind === property)
  return {
    ok: judged.every(({ holds }) => holds !== false),
    states,
    seconds: (user + system) / 1e6,
    megabytes: bytes / 1e6,
  }
}
