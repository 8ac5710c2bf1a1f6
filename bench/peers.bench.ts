/** Measures the checker beside SPIN on the same model of Bully_FD: states, seconds and memory; counts verdicts that differ. */
import { row, type Entry, type Row, type Scale } from './harness.ts'
import { ask, questions, type Opinions } from './peers/opinions.ts'
import { hasSpin } from './peers/spin.ts'

/** SPIN also counts the state before all members start. */
const BEFORE_START = 1

async function run(scale: Scale, progress: (text: string) => void = () => undefined) {
  if (!hasSpin()) return [row('not measured: spin or gcc is not installed', 0, '')]
  const budgets = scale === 'full' ? [1, 2, 3] : scale === 'quick' ? [1, 2] : [1]
  const asked: Opinions[] = []
  for (const budget of budgets) {
    const all = await questions(budget)
    for (const question of scale === 'tiny' ? all.slice(0, 1) : all) {
      progress(`  ${question.what}, ${question.property}, budget ${budget}\n`)
      asked.push(ask(question))
    }
  }
  return [...asked.filter(isSearch).flatMap(rowsOf), ...verdicts(asked)]
}

/** The whole state space of the algorithm itself: a mutant's search ends at its counterexample. */
function isSearch({ question }: Opinions): boolean {
  return question.mutant === 0 && question.property === 'always'
}

function rowsOf({ question, check, spin }: Opinions): Row[] {
  const { budget } = question
  const name = `n = 3, ${budget} crash(es), ${budget} recover(ies)`
  const states = spin.states - BEFORE_START
  return [
    row(`${name}: check, states`, check.states, ''),
    row(`${name}: SPIN, states`, states, ''),
    row(`${name}: states that differ`, Math.abs(check.states - states), '', { bound: { max: 0 } }),
    row(`${name}: check`, check.seconds, 's', { note: 'of processor time, liveness included' }),
    row(`${name}: SPIN`, spin.seconds, 's', { note: 'without the compilation; safety' }),
    row(`${name}: check`, check.megabytes, 'MB'),
    row(`${name}: SPIN`, spin.megabytes, 'MB', { note: 'of states, without table and stack' }),
  ]
}

function verdicts(asked: readonly Opinions[]): Row[] {
  const differ = asked.filter(({ check, spin }) => check.ok !== spin.ok)
  const wrong = asked.filter(({ question, check }) => check.ok !== (question.mutant === 0))
  const note = asked
    .filter(({ question }) => question.mutant !== 0)
    .map(({ question: { what }, spin }) => `${what}: ${spin.ok ? 'accepted' : 'rejected'}`)
  return [
    row('verdicts that differ', differ.length, '', {
      bound: { max: 0 },
      note: `of ${asked.length}, agreement always and in the end`,
    }),
    row('mutants accepted, or the algorithm rejected', wrong.length, '', {
      bound: { max: 0 },
      note: [...new Set(note)].join('; '),
    }),
  ]
}

export default {
  name: 'peers',
  describe: 'the checker beside SPIN on the same model of bully-fd; both must agree',
  run,
} satisfies Entry
