/**
 * Replaces the options of a member by what its group has agreed on, as its state file says, without taking the lock of
 * that file: the member may run.
 */
import { join } from 'node:path'
import { storedConfiguration } from '../../runtime/membership/start.ts'
import { memberFile } from '../../stores/member-files.ts'
import { readPrivateFile } from '../../stores/private-folder.ts'
import { decodeCopies, decodeVersion1 } from '../../stores/state-text.ts'
import type { MemberConfig } from '../options/member-options.ts'

type Options = MemberConfig['options']

/** The same options where the group has never changed, or nothing can be read: `join` then says what is wrong. */
export function agreedOptions(options: Options): Options {
  const { group, id, state } = options
  const path = join(state, memberFile(group, id, 'state'))
  try {
    const bytes = readPrivateFile(path)
    const content = decodeCopies(bytes) ?? decodeVersion1(bytes)
    const configuration = storedConfiguration(content?.stored ?? null, { place: path })
    if (configuration === null) return options
    const members = Object.entries(configuration.members).map(
      ([name, { address, priority, role }]) =>
        [name, { address, priority, lead: role !== 'witness' }] as const,
    )
    return { ...options, ...configuration.options, members: Object.fromEntries(members) }
  } catch {
    return options
  }
}
