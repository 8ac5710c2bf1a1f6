/** The metrics of a member in the text format of Prometheus. */
import type { Election } from '../election.ts'

/** Counts the terms that a member won and lost. */
export class TermCounts {
  elected = 0
  readonly lost = new Map<string, number>()

  constructor(election: Election) {
    election.on('elected', () => (this.elected += 1))
    election.on('lost', ({ reason }) => this.lost.set(reason, (this.lost.get(reason) ?? 0) + 1))
  }
}

export function metricsOf(election: Election, counts: TermCounts): string {
  const status = election.status()
  const labels = { group: election.options.groupName, id: election.id }
  const lines: string[] = []
  const family = (name: string, type: 'gauge' | 'counter', help: string): void => {
    lines.push(`# HELP bellwether_${name} ${help}`, `# TYPE bellwether_${name} ${type}`)
  }
  const sample = (name: string, value: number, more: Record<string, string> = {}): void => {
    const all = Object.entries({ ...labels, ...more })
    const shown = all.map(([key, text]) => `${key}="${escape(text)}"`).join(',')
    lines.push(`bellwether_${name}{${shown}} ${value}`)
  }
  family('is_leader', 'gauge', 'Whether this member leads now. The sum over a group should be 1.')
  sample('is_leader', election.current === null ? 0 : 1)
  family('term', 'gauge', 'The latest term that this member accepted.')
  sample('term', status.term)
  if (status.engine !== null) {
    family('engine_trouble', 'gauge', 'Whether the last call to the engine failed.')
    sample('engine_trouble', status.engine.trouble === null ? 0 : 1)
  }
  family('ready', 'gauge', 'Whether this member takes part.')
  sample('ready', status.status === 'off' ? 0 : 1)
  family('elected_total', 'counter', 'Terms that this member won.')
  sample('elected_total', counts.elected)
  family('lost_total', 'counter', 'Terms that this member lost, by reason.')
  for (const [reason, count] of counts.lost) sample('lost_total', count, { reason })
  family('peer_up', 'gauge', 'The verdict of the failure detector: 1 up, 0 down, -1 none yet.')
  for (const { id, state } of status.peers) {
    sample('peer_up', state === 'up' ? 1 : state === 'down' ? 0 : -1, { peer: id })
  }
  family('loop_lag_ms', 'gauge', 'The largest delay of a timer in the last seconds.')
  sample('loop_lag_ms', status.loopLagMs)
  family('counter_total', 'counter', 'Counters of host and transport.')
  for (const [name, value] of Object.entries(election.counters)) {
    sample('counter_total', value, { name })
  }
  return `${lines.join('\n')}\n`
}

function escape(text: string): string {
  return text
    .replaceAll('\\', String.raw`\\`)
    .replaceAll('"', String.raw`\"`)
    .replaceAll('\n', ' ')
}
