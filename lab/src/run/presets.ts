/** Runs worth watching: stories, disasters, and what the checker found in the printed texts. */
import type { Settings } from '../simulation/worker-protocol.ts'

export interface Preset {
  readonly id: string
  readonly group: 'Stories' | 'Disasters' | 'Many members' | 'Counterexamples'
  readonly title: string
  /** What to look for, in a sentence or two. */
  readonly hint: string
  readonly settings?: Settings
  /** Another algorithm under the same script. */
  readonly rival?: string
  /** A trace without a clock. */
  readonly trace?: string
}

const texts = import.meta.glob<string>('./presets/*.txt', {
  query: '?raw',
  import: 'default',
  eager: true,
})

function run(algorithm: string, text: string): Settings {
  const pairs = text.split(' ').filter(Boolean)
  const more = pairs.map((pair): [string, string] => {
    const sign = pair.indexOf('=')
    return [pair.slice(0, sign), pair.slice(sign + 1)]
  })
  return [['algorithm', algorithm], ...more]
}

const PRINTED: Readonly<Record<string, string>> = {
  'bully-as-printed-000': 'Bully as printed in 000: the last claim wins',
  'bully-as-printed-002': 'Bully as printed in 002: a late claim stays',
  'bully-as-printed-004': 'Bully as printed in 004: a late claim stays',
  'bully-fd-as-printed': 'Bully_FD as printed: two leaders are followed at once',
  'chang-roberts-as-printed': 'Chang–Roberts as printed: the message dies with its bearer',
  'ring-as-printed': 'Ring as printed: handed on, forgotten, lost',
  'roulette-as-printed': 'Roulette as printed: no agreement for ever',
}

function hintOf(remark: string): string {
  const what = remark.charAt(0).toUpperCase() + remark.slice(1).replace(/\.$/u, '')
  return `${what}. No shorter way leads there: the checker tried them all. Step back to see how it came to this.`
}

export const PRESETS: readonly Preset[] = [
  {
    id: 'opening',
    group: 'Stories',
    title: 'The leader crashes and comes back',
    hint: 'Bully_FD: the strongest halts the others, collects their acks and leads. It crashes; the next strongest takes over; it returns and takes the lead back.',
    settings: run('bully-fd', 'nodes=5 seed=42 crash=5@70ms recover=5@220ms'),
  },
  {
    id: 'bully',
    group: 'Stories',
    title: 'Bully: the weakest calls, everybody answers',
    hint: 'Node 1 alone notices that the leader is gone. It asks all its superiors, each of them asks in turn: the quadratic cost of Bully.',
    settings: run('bully', 'nodes=6 seed=3 down=6 initiator=1'),
  },
  {
    id: 'chang-roberts',
    group: 'Stories',
    title: 'Chang–Roberts: the worst ring',
    hint: 'All start at once on a ring that runs against the order of strength: every candidacy travels as far as it can.',
    settings: run('chang-roberts', 'nodes=7 seed=2 ring=7,6,5,4,3,2,1'),
  },
  {
    id: 'ring',
    group: 'Stories',
    title: 'Ring: the list goes round and skips the dead',
    hint: 'The list of live members is collected on the way round; a member that is down is passed over.',
    settings: run('ring', 'nodes=6 seed=5 crash=6@120ms'),
  },
  {
    id: 'roulette',
    group: 'Stories',
    title: 'Roulette: a wheel decides',
    hint: 'No member is stronger than another: candidates draw numbers and the wheel picks one of them.',
    settings: run('roulette', 'nodes=5 seed=7 until=1.5s'),
  },
  {
    id: 'resign',
    group: 'Stories',
    title: 'One leader steps down, the next crashes',
    hint: 'Node 5 resigns and names node 3, which leads at once. When 3 crashes nobody is told: the others wait for their detectors, and for its lease to run out.',
    settings: run('bully-fd-quorum', 'nodes=5 seed=3 resign=5>3@60ms crash=3@250ms until=1s'),
  },
  {
    id: 'compare',
    group: 'Stories',
    title: 'Bully against Bully_FD, one script',
    hint: 'The same crash under both: what a failure detector saves in messages, and what it costs in waiting.',
    settings: run('bully', 'nodes=6 seed=11 crash=6@80ms recover=6@260ms'),
    rival: 'bully-fd',
  },
  {
    id: 'partition',
    group: 'Disasters',
    title: 'A partition: each side elects',
    hint: 'Two sides of a cut cannot know of each other. Bully promises agreement only where messages arrive: both sides have a leader.',
    settings: run(
      'bully',
      'nodes=5 seed=4 detector=heartbeat cut=1,2|3,4,5@500ms heal=@2s until=3s',
    ),
  },
  {
    id: 'quorum',
    group: 'Disasters',
    title: 'The same partition, with a majority',
    hint: 'A leader needs durable promises from a majority: the minority has none, and nobody leads twice in a term.',
    settings: run(
      'bully-fd-quorum',
      'nodes=5 seed=4 detector=heartbeat cut=4,5|1,2,3@500ms heal=@3s until=4s',
    ),
  },
  {
    id: 'pause',
    group: 'Disasters',
    title: 'A pause looks like a crash',
    hint: 'The leader stands still for a while, as in a garbage collection. A detector that goes by silence calls it dead: a false alarm, and Bully_FD, which trusts its detector, breaks its promise.',
    settings: run(
      'bully-fd',
      'nodes=4 seed=6 detector=heartbeat pause=4@600ms resume=4@2s until=2.6s',
    ),
  },
  {
    id: 'cascade',
    group: 'Disasters',
    title: 'One after another',
    hint: 'Each new leader crashes as soon as it has been elected.',
    settings: run(
      'bully-fd',
      'nodes=6 seed=9 crash=6@60ms crash=5@130ms crash=4@200ms recover=6@300ms',
    ),
  },
  {
    id: 'loss',
    group: 'Disasters',
    title: 'Every fifth message is lost',
    hint: 'Time-outs and repetition carry the election through.',
    settings: run('bully', 'nodes=5 seed=12 loss=20% crash=5@150ms until=1s'),
  },
  {
    id: 'race',
    group: 'Disasters',
    title: 'The candidate crashes in mid-election',
    hint: 'Those who acknowledged it wait for a leader that never comes, until their detectors tell them.',
    settings: run('bully-fd', 'nodes=5 seed=8 crash=5@60ms crash=4@82ms recover=5@200ms'),
  },
  {
    id: 'many',
    group: 'Many members',
    title: '25 members, the leader crashes',
    hint: 'Hundreds of messages at once: the quadratic cost of Bully, seen.',
    settings: run('bully', 'nodes=25 seed=1 crash=25@60ms'),
  },
  {
    id: 'hundred',
    group: 'Many members',
    title: '100 members on a ring',
    hint: 'All start at once; about n·ln n candidacies survive long enough to travel.',
    settings: run('chang-roberts', 'nodes=100 seed=1'),
  },
  ...Object.entries(texts).map(([path, trace]): Preset => {
    const id = path.replace(/^.*\/|\.txt$/gu, '')
    const remark = /^# (.*)$/mu.exec(trace)?.[1] ?? ''
    return { id, group: 'Counterexamples', title: PRINTED[id] ?? id, hint: hintOf(remark), trace }
  }),
]

export const OPENING: Settings = PRESETS[0].settings ?? []
