/**
 * Restores a member's state from its stored stable fields, refuses what another algorithm, version or list of members
 * wrote, and codes members by name. A field that is unknown or missing was written under other rules, and a member
 * that forgets or guesses a vote can make two leaders.
 */
import type { Algorithm, AnyState } from '../../core/algorithm.ts'
import { NONE, type NodeId } from '../../core/node-id.ts'
import { CodecError, type MemberCodec } from '../../core/schema.ts'
import { StoreError, type Store, type Stored } from '../../stores/store.ts'

/** Going back to the earlier version loses nothing; starting anew loses the votes. */
const OR_START_ANEW =
  'or stop all members, delete the state file of each and start them again; terms then begin anew'

/** Throws StoreError, which names the store and the field. */
export function restore(
  stored: Stored,
  algorithm: Algorithm,
  members: MemberCodec,
  { place = 'the store' }: Pick<Store, 'place'>,
): AnyState {
  const { name, state: schema } = algorithm
  const refuse = (problem: string, remedy: string): never => {
    throw new StoreError(`${place}: ${problem}: ${remedy}, ${OR_START_ANEW}`)
  }
  const { algorithm: writer = name } = stored
  if (writer !== name) {
    refuse(
      `holds the state of ${JSON.stringify(writer)}, which ${name}, the algorithm of this member, cannot use`,
      `go back to ${writer}`,
    )
  }
  const state = stored.version === undefined ? stored.state : earlier(stored.state, algorithm)
  const entries = schema.entries.filter(({ field }) => field.stable)
  const stable = new Set(entries.map(({ name }) => name))
  const version = 'written by another version of bellwether or under another safety'
  const unknown = Object.keys(state).find((field) => !stable.has(field))
  const missing = entries.find(({ name, field }) => !field.optional && !Object.hasOwn(state, name))
  const back = 'go back to that one'
  if (unknown !== undefined)
    refuse(`has a field "${unknown}", which ${name} has not; ${version}`, back)
  if (missing !== undefined)
    refuse(`lacks the field "${missing.name}" of ${name}; ${version}`, back)
  try {
    const all = { ...schema.toJson(schema.init(), members), ...state }
    return schema.afterCrash(schema.fromJson(all, members, 'field')) as AnyState
  } catch (error) {
    if (!(error instanceof CodecError)) throw error
    return refuse(`is no state of ${name} (${error.message})`, 'restore it')
  }
}

/** What an earlier version of the algorithm wrote, in the fields of this one. */
function earlier(state: Stored['state'], { upgrade }: Algorithm): Stored['state'] {
  return upgrade === undefined ? state : upgrade(state)
}

/**
 * A majority of one list of members and a majority of another need share no member: restarts with an edited list
 * could elect two leaders. Terms also name members by their strength. Throws StoreError.
 */
export function refuseOtherMembers(
  { members }: Pick<Stored, 'members'>,
  names: readonly string[],
  { place = 'the store' }: Pick<Store, 'place'>,
): void {
  const given = names.slice(1)
  if (members === undefined || members.join(' ') === given.join(' ')) return
  throw new StoreError(
    `${place}: was written in a group of ${members.join(', ')} (weakest first), and this member is given ` +
      `${given.join(', ')}: a restart with another list could elect a second leader; ` +
      'give it the list of the file. To change the members, start with that list and use "bellwether members", or ' +
      'election.add and election.remove; only where the group cannot run, stop all members, delete the state file ' +
      'of each and start them again; terms then begin anew',
  )
}

/** Whether the member has not run yet: it has only drawn its key. */
export function isBlank({ state }: Pick<Stored, 'state'>): boolean {
  return Object.keys(state).length === 0
}

/** Writes members to the store by name: their NodeIds change with priorities. Of members that were removed, the seat. */
export function namedMembers(
  names: readonly string[],
  roles: ReadonlyMap<NodeId, unknown>,
): MemberCodec {
  return {
    members: names.length - 1,
    write: (id) => (roles.has(id) ? names[id] : id),
    read: (written) => {
      if (typeof written === 'number' && !roles.has(written)) return written
      const id = typeof written === 'string' ? names.lastIndexOf(written) : -1
      return id > NONE ? id : undefined
    },
  }
}
