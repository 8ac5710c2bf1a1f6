/** Counts the terms that a member won and lost, and writes its metrics in the text format of Prometheus. */
import type { Election } from '../handle.ts'

export interface ServedMember {
  readonly election: Election
  readonly counts: TermCounts
}

/** Counts the terms that a member won and lost. */
export class TermCounts {
  elected = 0
  readonly lost = new Map<string, number>()

  constructor(election: Election) {
    election.on('elected', () => (this.elected += 1))
    election.on('lost', ({ reason }) => this.lost.set(reason, (this.lost.get(reason) ?? 0) + 1))
  }
}

/** Of all members: a family has one head, however many groups there are. */
export function metricsOf(members: readonly ServedMember[]): string {
  const lines: string[] = []
  const shown = members.map((member) => ({ ...member, status: member.election.status() }))
  type Shown = (typeof shown)[number]
  const family = (
    name: string,
    type: 'gauge' | 'counter',
    help: string,
    samplesOf: (member: Shown) => Iterable<readonly [number, Record<string, string>?]>,
  ): void => {
    lines.push(`# HELP bellwether_${name} ${help}`, `# TYPE bellwether_${name} ${type}`)
    for (const member of shown) {
      const { group, id } = member.election
      for (const [value, more] of samplesOf(member)) {
        const labels = Object.entries({ group, id, ...more })
        const text = labels.map(([key, label]) => `${key}="${escape(label)}"`).join(',')
        lines.push(`bellwether_${name}{${text}} ${value}`)
      }
    }
  }
  family(
    'is_leader',
    'gauge',
    'Whether this member leads. The sum over a group should be 1.',
    ({ election }) => [[election.current === null ? 0 : 1]],
  )
  const termHelp = 'The latest term that this member accepted.'
  family('term', 'gauge', termHelp, ({ status }) => [[status.term]])
  if (shown.some(({ status }) => status.engine !== null)) {
    const help = 'Whether the last call to the engine failed.'
    family('engine_trouble', 'gauge', help, ({ status: { engine } }) =>
      engine === null ? [] : [[engine.trouble === null ? 0 : 1]],
    )
  }
  family('ready', 'gauge', 'Whether this member takes part.', ({ status }) => [
    [status.status === 'off' ? 0 : 1],
  ])
  family('elected_total', 'counter', 'Terms that this member won.', ({ counts }) => [
    [counts.elected],
  ])
  family('lost_total', 'counter', 'Terms that this member lost, by reason.', ({ counts }) =>
    [...counts.lost].map(([reason, count]) => [count, { reason }] as const),
  )
  const verdicts = { up: 1, down: 0, unknown: -1 }
  const peerHelp = 'The verdict of the failure detector: 1 up, 0 down, -1 none yet.'
  family('peer_up', 'gauge', peerHelp, ({ status }) =>
    status.peers.map(({ id, state }) => [verdicts[state], { peer: id }] as const),
  )
  const lagHelp = 'The largest delay of a timer lately.'
  family('loop_lag_ms', 'gauge', lagHelp, ({ status }) => [[status.loopLagMs]])
  const slowest = 'The slowest durable write of the last ten minutes.'
  family('slowest_write_ms', 'gauge', slowest, ({ status }) => [[status.slowestWriteMs]])
  family('counter_total', 'counter', 'Counters of host and transport.', ({ election }) =>
    Object.entries(election.counters).map(([name, value]) => [value, { name }] as const),
  )
  return `${lines.join('\n')}\n`
}

function escape(text: string): string {
  return text
    .replaceAll('\\', String.raw`\\`)
    .replaceAll('"', String.raw`\"`)
    .replaceAll('\n', ' ')
}
