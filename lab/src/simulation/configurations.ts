/** Reads the configuration that a member has adopted from its state, and finds the newest one and what it makes of each member. */
import type { MemberFrame, Seat } from './frames.ts'
import type { GroupConfiguration, Run } from './worker-protocol.ts'

type Fields = Readonly<Record<string, string | undefined>>

/** The fields of a state that hold it, which the page shows in words. */
export const CONFIGURATION_FIELDS: ReadonlySet<string> = new Set([
  'configTerm',
  'configVersion',
  'voters',
  'observers',
  'data',
  'committed',
  'confirmed',
])

/** The configuration that a member with these fields has adopted; null: the members of this group never change. */
export function configurationOf(
  fields: Fields,
  { configuration: first }: Run,
): GroupConfiguration | null {
  if (first === null) return null
  const term = Number(fields['configTerm'] ?? 0)
  const written = {
    term,
    version: Number(fields['configVersion'] ?? 0),
    committed: fields['committed'] === 'true',
    data: fields['data'] ?? '',
  }
  if (term === 0) return { ...written, ...first }
  return { ...written, voters: listIn(fields['voters']), observers: listIn(fields['observers']) }
}

/** The newest configuration that a member has adopted that is up, as hosts compare them: by term, then by version. */
export function newestOf(
  members: readonly Pick<MemberFrame, 'up' | 'configuration'>[],
): GroupConfiguration | null {
  let newest: GroupConfiguration | null = null
  for (const { up, configuration: own } of members) {
    if (own === null || !up) continue
    if (newest === null || own.term > newest.term) newest = own
    else if (own.term === newest.term && own.version > newest.version) newest = own
  }
  return newest
}

export function seatIn(configuration: GroupConfiguration | null, label: number): Seat {
  if (configuration === null || configuration.voters.includes(label)) return 'voter'
  return configuration.observers.includes(label) ? 'observer' : 'outside'
}

function listIn(set = '{}'): number[] {
  return (set.match(/\d+/gu) ?? []).map(Number).sort((a, b) => a - b)
}
