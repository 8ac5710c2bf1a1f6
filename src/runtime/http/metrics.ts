/** An election's figures in the text format that Prometheus reads. */
import type { Election } from '../election.ts'

/** Counts what only passes by. */
export class TermCounts {
  elected = 0
  readonly lost = new Map<string, number>()

  constructor(election: Election) {
    election.on('elected', () => (this.elected += 1))
    election.on('lost', ({ reason }) => this.lost.set(reason, (this.lost.get(reason) ?? 0) + 1))
  }
}

export function metricsOf(election: Election, tally: TermCounts): string {
  const { status, settings } = { status: election.status(), settings: election.settings }
  const labels = { group: settings.groupName, id: settings.id }
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
    family(
      'engine_trouble',
      'gauge',
      'Whether the engine could not be used when last it was asked.',
    )
    sample('engine_trouble', status.engine.trouble === null ? 0 : 1)
  }
  family('ready', 'gauge', 'Whether this member takes part.')
  sample('ready', status.status === 'off' ? 0 : 1)
  family('elected_total', 'counter', 'Terms that this member won.')
  sample('elected_total', tally.elected)
  family('lost_total', 'counter', 'Terms that this member lost, by reason.')
  for (const [reason, count] of tally.lost) sample('lost_total', count, { reason })
  family('peer_up', 'gauge', 'What the failure detector thinks: 1 up, 0 down, -1 not asked yet.')
  for (const { id, state } of status.peers) {
    sample('peer_up', state === 'up' ? 1 : state === 'down' ? 0 : -1, { peer: id })
  }
  family('loop_lag_ms', 'gauge', 'How late the latest timer was in the worst of the last seconds.')
  sample('loop_lag_ms', status.loopLagMs)
  family('counter_total', 'counter', 'What host and transport count.')
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
