/** The presets of the lab: typical elections, faults, large groups, and the counterexamples that the checker found. */
import { say } from '../language/translate.ts'
import type { Settings } from '../simulation/worker-protocol.ts'
import { settingsFrom } from './edit-settings.ts'

export interface Preset {
  readonly id: string
  readonly title: string
  /** What to look for, in a sentence or two. */
  readonly hint: string
  /** Of a counterexample: what breaks. */
  readonly remark?: string
  readonly settings?: Settings
  /** Another algorithm to compare with. */
  readonly rival?: string
  /** A trace without a clock. */
  readonly trace?: string
}

function preset(id: string, title: string, settings: string, hint: string): Preset {
  return { id, title, hint, settings: settingsFrom(settings) }
}

const traces = import.meta.glob<string>('./presets/*.txt', {
  query: '?raw',
  import: 'default',
  eager: true,
})

function counterexample(id: string, title: string): Preset {
  const trace = traces[`./presets/${id}.txt`]
  const remark = (/^# (.*)$/mu.exec(trace)?.[1] ?? '').replace(/\.$/u, '')
  return {
    id,
    title,
    hint: '',
    remark: `${remark.charAt(0).toUpperCase()}${remark.slice(1)}`,
    trace,
  }
}

export const PRESET_GROUPS: Readonly<Record<string, readonly Preset[]>> = {
  Elections: [
    preset(
      'opening',
      'The leader crashes and recovers',
      'bully-fd nodes=5 seed=42 crash=5@70ms recover=5@220ms',
      'Bully_FD: the strongest member halts the others, collects their acks and leads. It crashes, and the next strongest takes over. It recovers and takes the leadership back.',
    ),
    preset(
      'bully',
      'Bully: the weakest member starts the election',
      'bully nodes=6 seed=3 down=6 initiator=1',
      'Only member 1 notices that the leader is down. It asks all its superiors, and each of them asks its own superiors: the number of messages is quadratic.',
    ),
    preset(
      'chang-roberts',
      'Chang–Roberts: the most expensive ring',
      'chang-roberts nodes=7 seed=2 ring=7,6,5,4,3,2,1',
      'All members start at once, on a ring on which strength decreases: every candidacy travels as far as possible.',
    ),
    preset(
      'ring',
      'Ring: the list skips members that are down',
      'ring nodes=6 seed=5 crash=6@120ms',
      'The message collects the list of running members on its way round the ring. It skips members that are down.',
    ),
    preset(
      'roulette',
      'Roulette: a random choice',
      'roulette nodes=5 seed=7 until=1.5s',
      'No member is stronger than another. Members draw numbers, and a roulette wheel chooses the leader.',
    ),
    preset(
      'resign',
      'One leader resigns, the next one crashes',
      'bully-fd-quorum nodes=5 seed=3 resign=5>3@60ms crash=3@250ms until=1s',
      'Member 5 resigns in favour of member 3, which leads at once. When 3 crashes, the others must wait for their detectors and for the lease of 3 to expire.',
    ),
    preset(
      'members',
      'A group grows, and one of its members leaves',
      'bully-fd-quorum nodes=5 seed=3 voters=1,2,3 add=4@60ms promote=4@200ms remove=3@400ms until=800ms',
      'Members 1 to 3 vote. Member 4 joins as an observer, which follows the leader and does not vote; when it has caught up, it becomes a voter. Then the leader removes itself. Member 5 stays outside: select it and press a.',
    ),
    {
      ...preset(
        'compare',
        'Bully and Bully_FD with the same faults',
        'bully nodes=6 seed=11 crash=6@80ms recover=6@260ms',
        'The same crash under both algorithms: the failure detector saves messages and costs waiting time.',
      ),
      rival: 'bully-fd',
    },
  ],
  Faults: [
    preset(
      'partition',
      'A partition: each side elects a leader',
      'bully nodes=5 seed=4 detector=heartbeat cut=1,2|3,4,5@500ms heal=@2s until=3s',
      'The two sides of a partition cannot communicate. Bully promises agreement only among members that can, so each side has a leader.',
    ),
    preset(
      'quorum',
      'The same partition with a majority',
      'bully-fd-quorum nodes=5 seed=4 detector=heartbeat cut=4,5|1,2,3@500ms heal=@3s until=4s',
      'A leader needs durable votes from a majority. The minority elects no leader, and no term has two leaders.',
    ),
    preset(
      'pause',
      'A pause looks like a crash',
      'bully-fd nodes=4 seed=6 detector=heartbeat pause=4@600ms resume=4@2s until=2.6s',
      'The leader executes nothing for a while, as during a garbage collection. The heartbeat detector reports it as down, which is a mistake. Bully_FD relies on its detector, so it breaks its promise.',
    ),
    preset(
      'cascade',
      'Three leaders crash in a row',
      'bully-fd nodes=6 seed=9 crash=6@60ms crash=5@130ms crash=4@200ms recover=6@300ms',
      'Each new leader crashes soon after its election.',
    ),
    preset(
      'loss',
      'One message in five is lost',
      'bully nodes=5 seed=12 loss=20% crash=5@150ms until=1s',
      'Timeouts and repeated messages still complete the election.',
    ),
    preset(
      'race',
      'The candidate crashes during its election',
      'bully-fd nodes=5 seed=8 crash=5@60ms crash=4@82ms recover=5@200ms',
      'The members that sent it an ack wait for a leader until their detectors report the crash.',
    ),
  ],
  'Large groups': [
    preset(
      'many',
      '25 members, the leader crashes',
      'bully nodes=25 seed=1 crash=25@60ms',
      'Hundreds of messages at once: the quadratic cost of Bully.',
    ),
    preset(
      'hundred',
      '100 members on a ring',
      'chang-roberts nodes=100 seed=1',
      'All members start at once, on a ring on which each successor is stronger. Every candidacy but that of the strongest ends at the next member: 3n − 1 = 299 messages.',
    ),
  ],
  Counterexamples: [
    counterexample('bully-as-printed-000', 'Bully as printed by Park 2008: the last claim wins'),
    counterexample('bully-as-printed-002', 'Bully as printed by Gupta: a late claim wins'),
    counterexample('bully-as-printed-004', 'Bully as printed by Hirata: a late claim wins'),
    counterexample('bully-fd-as-printed', 'Bully_FD as printed: members follow two leaders'),
    counterexample(
      'chang-roberts-as-printed',
      'Chang–Roberts as printed: a crash loses the message',
    ),
    counterexample('ring-as-printed', 'Ring as printed: a crash loses the list'),
    counterexample('roulette-as-printed', 'Roulette as printed: the members never agree'),
  ],
}

/** What to look for, in the viewer's language. */
export function hintOf({ hint, remark }: Preset): string {
  return remark === undefined
    ? say(hint)
    : say('{remark}. The checker found no shorter counterexample. Step back to see the cause.', {
        remark: say(remark),
      })
}

export const PRESETS: readonly Preset[] = Object.values(PRESET_GROUPS).flat()
export const OPENING: Settings = PRESETS[0].settings ?? []
