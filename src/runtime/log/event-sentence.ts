/** Says what a record of the event log means, as one sentence for people, and how serious it is. */
import type { EventRecord } from './event-log.ts'

export type LogLevel = 'info' | 'warn' | 'error'

/** What a leader loses its term for without a fault. */
const ORDERLY: ReadonlySet<string | null> = new Set(['stepped-down', 'closed', 'deposed'])

export function levelOf({ event, reason, detail }: EventRecord): LogLevel {
  if (event === 'error') return 'error'
  if (event === 'down' || event === 'unreachable' || event === 'refused') return 'warn'
  if (event === 'removed') return 'warn'
  if (event !== 'lost') return 'info'
  const hasFailed = detail?.startsWith('the work failed') === true
  return ORDERLY.has(reason) && !hasFailed ? 'info' : 'warn'
}

/** Empty where another record says the same. */
export function sentenceFor(record: EventRecord): string {
  const { node, event, leader, termText, reason, detail, peer } = record
  const because = reason === null ? '' : `: ${reason}`
  switch (event) {
    case 'started':
      return `${node} has joined`
    case 'elected':
      return `${node} leads, term ${termText}`
    case 'lost':
      return `${node} no longer leads${because}${detail === undefined ? '' : ` (${detail})`}`
    case 'leader':
      if (leader === node) return '' // `elected` says so
      return leader === null
        ? `${node} has no leader`
        : `${node} follows ${leader}, term ${termText}`
    case 'down':
    case 'up':
      return `${node} considers ${peer} ${event}${because}`
    case 'unreachable':
      return `${node} cannot reach ${peer}${because}`
    case 'refused':
      return `${node} and ${peer} refuse each other${because}`
    case 'reconfigured':
      return `${node} has a new configuration of the group: ${reason}`
    case 'removed':
      return `${node} was removed from the group`
    case 'error':
      return `${node} reports an error${because}`
    case 'exited':
      return `${node} has exited${because}`
  }
}
