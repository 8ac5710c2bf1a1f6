/** The exercises that break one line of a shipped algorithm, and the check that shows what the line is for. */
import type { Settings } from '../simulation/worker-protocol.ts'

export interface Exercise {
  readonly id: ExerciseId
  /** The file below src/algorithms. */
  readonly file: string
  /** A text that occurs exactly once in the file, and its replacement. */
  readonly from: string
  readonly to: string
  /** The budget of the check. */
  readonly budget: Settings
  /** The property that the checker finds broken. */
  readonly finds: string
}

type ExerciseId =
  | 'weakerClaim'
  | 'oldTerm'
  | 'secondTimeout'
  | 'oneAckTooFew'
  | 'noRecheck'
  | 'twoVotes'
  | 'noWatch'

const budget = (text: string): Settings =>
  text.split(' ').map((pair) => {
    const [key, value] = pair.split('=')
    return [key, value]
  })

export const EXERCISES: readonly Exercise[] = [
  {
    id: 'weakerClaim',
    file: 'bully',
    from: 'else if (s.leader !== NONE && group.outranks(s.leader, from)) {',
    to: 'else if (s.leader !== NONE && group.outranks(from, s.leader)) {',
    budget: budget('nodes=2 crashes=1 recoveries=1'),
    finds: 'the strongest leads',
  },
  {
    id: 'oldTerm',
    file: 'bully',
    from: 'else if (term < s.term) {',
    to: 'else if (term < 0) {',
    budget: budget('nodes=2 crashes=1 recoveries=1 drops=2'),
    finds: 'terms rise',
  },
  {
    id: 'secondTimeout',
    file: 'bully',
    from: `else if (timer === 'coordinator') start(s, out)`,
    to: `else if (timer === 'coordinator') return`,
    budget: budget('nodes=2 crashes=1 recoveries=1 drops=2'),
    finds: 'the strongest leads',
  },
  {
    id: 'oneAckTooFew',
    file: 'bully-fd',
    from: 's.downJuniors.size < register.juniors(s, out.me).length',
    to: 's.downJuniors.size + 1 < register.juniors(s, out.me).length',
    budget: budget('nodes=2 crashes=1 recoveries=1'),
    finds: 'agreement',
  },
  {
    id: 'noRecheck',
    file: 'bully-fd',
    from: 'if (register.superiors(s, out.me).length === 0) win(s, out)',
    to: 'if (out.me > NONE) win(s, out)',
    budget: budget('nodes=3 crashes=1 recoveries=1 start=settled'),
    finds: 'agreement',
  },
  {
    id: 'twoVotes',
    file: 'raft',
    from: 'const granted = term === s.term && (s.voted === NONE || s.voted === from)',
    to: 'const granted = term === s.term',
    budget: budget('nodes=3 crashes=1 recoveries=1 timers=async max-term=1 max-in-flight=1'),
    finds: 'one leader per term',
  },
  {
    id: 'noWatch',
    file: 'ring',
    from: 'out.watch(leader)',
    to: '',
    budget: budget('nodes=3 crashes=2'),
    finds: 'the strongest leads',
  },
]

/** The text of an exercise, from that of the shipped file. */
export function brokenText({ from, to }: Exercise, text: string): string {
  return text.replace(from, () => to)
}

/** The line of the shipped file, from 1, that an exercise breaks. */
export function lineOf({ from }: Exercise, text: string): number {
  return text.slice(0, text.indexOf(from)).split('\n').length
}
