/**
 * What `join` was given, before anything is made of it. Types say most of this; whoever writes JavaScript, or
 * reads options from somewhere, learns it here: a name that is spelt wrongly would otherwise be ignored.
 */
import { ConfigurationError } from '../errors.ts'

const FIELDS = [
  'group',
  'id',
  'members',
  'safety',
  'algorithm',
  'detector',
  'preemption',
  'trustRefusals',
  'timing',
  'listen',
  'state',
  'transport',
  'metadata',
  'drain',
  'signal',
]

/** Throws ConfigurationError, which names the field. */
export function checkGiven(given: unknown): void {
  const options = recordOf(given, 'options')
  known(options, FIELDS, '')
  for (const [name, member] of Object.entries(asRecord(options['members']) ?? {})) {
    known(asRecord(member) ?? {}, ['address', 'priority'], `members.${name}.`)
  }
  if (options['timing'] !== undefined) {
    const timing = recordOf(options['timing'], 'timing')
    known(timing, ['period', 'detection', 'lease', 'message'], 'timing.')
  }
  const takeover = asRecord(options['preemption'])
  if (takeover !== undefined) known(takeover, ['after', 'stableFor', 'maxPerHour'], 'preemption.')
  const { state, transport, signal } = options
  if (typeof state !== 'string' || state === '') {
    able(state, ['read', 'write', 'close'], 'state', 'the path of a folder, or a store')
  }
  able(transport, ['listen'], 'transport', 'a transport, such as tcp()')
  able(signal, ['addEventListener'], 'signal', 'an AbortSignal')
}

function known(given: object, names: readonly string[], path: string): void {
  const unknown = Object.keys(given).find((name) => !names.includes(name))
  if (unknown === undefined) return
  throw new ConfigurationError(`${path}${unknown}`, `no such option; possible: ${names.join(', ')}`)
}

function able(given: unknown, methods: readonly string[], field: string, what: string): void {
  if (given === undefined) return
  const object = (typeof given === 'object' ? given : null) as Record<string, unknown> | null
  if (methods.every((method) => typeof object?.[method] === 'function')) return
  throw new ConfigurationError(field, `must be ${what}`)
}

function recordOf(given: unknown, field: string): Record<string, unknown> {
  const record = asRecord(given)
  if (record === undefined) throw new ConfigurationError(field, 'must be an object')
  return record
}

function asRecord(given: unknown): Record<string, unknown> | undefined {
  if (typeof given !== 'object' || given === null || Array.isArray(given)) return undefined
  return given as Record<string, unknown>
}
