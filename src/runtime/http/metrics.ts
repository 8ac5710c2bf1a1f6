/** Counts the terms that a member won and lost, and writes its metrics in the text format of Prometheus. */
import type { Election } from '../handle.ts'

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
  const lines: string[] = []
  const sample = (name: string, value: number, more: Record<string, string> = {}): void => {
    const labels = { group: election.group, id: election.id, ...more }
    const shown = Object.entries(labels).map(([key, text]) => `${key}="${escape(text)}"`)
    lines.push(`bellwether_${name}{${shown.join(',')}} ${value}`)
  }
  const family = (name: string, type: 'gauge' | 'counter', help: string, value?: number): void => {
    lines.push(`# HELP bellwether_${name} ${help}`, `# TYPE bellwether_${name} ${type}`)
    if (value !== undefined) sample(name, value)
  }
  const leads = election.current === null ? 0 : 1
  family(
    'is_leader',
    'gauge',
    'Whether this member leads. The sum over a group should be 1.',
    leads,
  )
  family('term', 'gauge', 'The latest term that this member accepted.', status.term)
  if (status.engine !== null) {
    const trouble = status.engine.trouble === null ? 0 : 1
    family('engine_trouble', 'gauge', 'Whether the last call to the engine failed.', trouble)
  }
  family('ready', 'gauge', 'Whether this member takes part.', status.status === 'off' ? 0 : 1)
  family('elected_total', 'counter', 'Terms that this member won.', counts.elected)
  family('lost_total', 'counter', 'Terms that this member lost, by reason.')
  for (const [reason, count] of counts.lost) sample('lost_total', count, { reason })
  family('peer_up', 'gauge', 'The verdict of the failure detector: 1 up, 0 down, -1 none yet.')
  const verdicts = { up: 1, down: 0, unknown: -1 }
  for (const { id, state } of status.peers) sample('peer_up', verdicts[state], { peer: id })
  family('loop_lag_ms', 'gauge', 'The largest delay of a timer lately.', status.loopLagMs)
  const slowest = 'The slowest durable write of the last ten minutes.'
  family('slowest_write_ms', 'gauge', slowest, status.slowestWriteMs)
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
