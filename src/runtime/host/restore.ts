/**
 * What a member kept, taken up again in its next life: exactly what its algorithm would have written, or
 * nothing. A field that is unknown or missing was promised under other rules, and whoever forgets a promise
 * or guesses one can make two leaders.
 */
import type { Algorithm, AnyState } from '../../core/algorithm.ts'
import { NONE } from '../../core/node-id.ts'
import { CodecError, type MemberCodec } from '../../core/schema.ts'
import { StoreError, type Store, type Stored } from '../../stores/store.ts'

/** What whoever runs the group can do. The way back loses nothing; the way on loses what was promised. */
const OR_BEGIN_ANEW =
  'or stop all members, delete the state file of each and start them again; terms then begin anew'

/** Throws StoreError, which names the store and the field. */
export function restore(
  stored: Stored,
  algorithm: Algorithm,
  members: MemberCodec,
  { place = 'the store' }: Pick<Store, 'place'>,
): AnyState {
  const { name, state: schema } = algorithm
  const refuse = (problem: string, back: string): never => {
    throw new StoreError(`${place}: ${problem}: ${back}, ${OR_BEGIN_ANEW}`)
  }
  const { algorithm: writer = name } = stored
  if (writer !== name) {
    refuse(
      `holds what ${JSON.stringify(writer)} promised, and this member runs ${name}, to which that means nothing`,
      `go back to ${writer}`,
    )
  }
  const stable = schema.entries.filter(({ field }) => field.stable).map((entry) => entry.name)
  const version = 'written by another version of bellwether or under another safety'
  const unknown = Object.keys(stored.state).find((field) => !stable.includes(field))
  const missing = stable.find((field) => !Object.hasOwn(stored.state, field))
  const back = 'go back to that one'
  if (unknown !== undefined)
    refuse(`has a field "${unknown}", which ${name} has not; ${version}`, back)
  if (missing !== undefined) refuse(`lacks the field "${missing}" of ${name}; ${version}`, back)
  try {
    const all = { ...schema.toJson(schema.init(), members), ...stored.state }
    return schema.afterCrash(schema.fromJson(all, members, 'field')) as AnyState
  } catch (error) {
    if (!(error instanceof CodecError)) throw error
    return refuse(`is no state of ${name} (${error.message})`, 'restore it')
  }
}

/** How members are written in a store: by name, for ranks change with priorities. */
export function namedMembers(names: readonly string[]): MemberCodec {
  return {
    members: names.length - 1,
    write: (id) => names[id],
    read: (written) => {
      const id = typeof written === 'string' ? names.indexOf(written) : -1
      return id > NONE ? id : undefined
    },
  }
}
