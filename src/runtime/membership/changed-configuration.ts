/** Computes the configuration of a group after one change of its members or of its options. */
import { majority } from '../../core/quorum.ts'
import { ChangeError } from '../errors.ts'
import { MOST_SEATS, type GroupConfiguration } from './group-configuration.ts'

/** One change of the configuration of a group. */
export type GroupChange =
  | {
      /** The new member, which begins as an observer. */
      readonly add: string
      readonly address: string
      readonly priority?: number
    }
  | {
      readonly promote: string
      /** False: it becomes a witness. */
      readonly lead?: boolean
    }
  | { readonly remove: string }
  | { readonly timing: { readonly [name: string]: number } }
  /** Another address or priority of a member. */
  | { readonly member: string; readonly address?: string; readonly priority?: number }
  /** A member that was added starts for the first time. */
  | { readonly claim: string; readonly key: string }

/** Of the members that were removed, so many are remembered, so that they learn it. */
const MOST_FORMER = 16

/** Throws ChangeError where the change contradicts the configuration. */
export function changedConfiguration(
  before: GroupConfiguration,
  change: GroupChange,
): GroupConfiguration {
  if ('add' in change) return withMember(before, change)
  if ('promote' in change) return withVoter(before, change)
  if ('remove' in change) return refuseWitnesses(withoutMember(before, change.remove))
  if ('member' in change) return withChangedMember(before, change)
  if ('claim' in change) return claimed(before, change.claim, change.key)
  return withTiming(before, change.timing)
}

/** As in `join`, the times that are not named scale with `detection`. A second time it changes nothing. */
function withTiming(
  before: GroupConfiguration,
  given: Readonly<Record<string, number>>,
): GroupConfiguration {
  const present = before.options['timing'] as Readonly<Record<string, number>>
  const { detection = present['detection'] } = given
  const scaled = Object.entries(present).map(([name, ms]): [string, number] => [
    name,
    detection === present['detection']
      ? ms
      : inMicroseconds((ms * detection) / present['detection']),
  ])
  const timing = { ...Object.fromEntries(scaled), ...given }
  return { ...before, options: { ...before.options, timing } }
}

function inMicroseconds(ms: number): number {
  return Math.round(ms * 1000) / 1000
}

function withMember(
  before: GroupConfiguration,
  { add: name, address, priority = 0 }: Extract<GroupChange, { add: string }>,
): GroupConfiguration {
  const there = Object.hasOwn(before.members, name) ? before.members[name] : undefined
  if (there?.address === address && there.priority === priority) return before
  if (there !== undefined) {
    throw new ChangeError('exists', `${name} is a member already, at ${there.address}`)
  }
  refuseTakenAddress(before, name, address)
  const seat = before.seats + 1
  if (seat > MOST_SEATS) {
    throw new ChangeError('full', `all ${MOST_SEATS} seats were given: found the group anew`)
  }
  const member = { seat, address, priority, role: 'observer', key: '' } as const
  return { ...withEntry(before, name, member), seats: seat }
}

function refuseTakenAddress({ members }: GroupConfiguration, name: string, address: string): void {
  const other = Object.entries(members).find(([id, one]) => id !== name && one.address === address)
  if (other === undefined) return
  throw new ChangeError('exists', `${address} is the address of ${other[0]} already`)
}

/** Who votes stays a witness or none: a leader that became one would have to tell all that it leads no longer. */
function withVoter(
  before: GroupConfiguration,
  { promote: name, lead = true }: Extract<GroupChange, { promote: string }>,
): GroupConfiguration {
  const member = memberOf(before, name)
  const role = lead ? 'voter' : 'witness'
  if (member.role === role) return before
  if (member.role !== 'observer') {
    throw new ChangeError('exists', `${name} is a ${member.role}: remove it and add it again`)
  }
  return refuseWitnesses(withEntry(before, name, { ...member, role }))
}

/** Of each majority one member may lead. */
function refuseWitnesses(after: GroupConfiguration): GroupConfiguration {
  const roles = Object.values(after.members).map(({ role }) => role)
  const witnesses = roles.filter((role) => role === 'witness').length
  const voters = roles.filter((role) => role !== 'observer').length
  if (witnesses === 0 || witnesses < majority(voters)) return after
  const sentence = `${witnesses} witnesses of ${voters} voters would be a majority that cannot lead`
  throw new ChangeError('no voter', sentence)
}

function withChangedMember(
  before: GroupConfiguration,
  { member: name, address, priority }: Extract<GroupChange, { member: string }>,
): GroupConfiguration {
  const member = memberOf(before, name)
  if (address !== undefined) refuseTakenAddress(before, name, address)
  return withEntry(before, name, {
    ...member,
    address: address ?? member.address,
    priority: priority ?? member.priority,
  })
}

function withoutMember(before: GroupConfiguration, name: string): GroupConfiguration {
  const isFormer = Object.values(before.former).some(([former]) => former === name)
  if (!Object.hasOwn(before.members, name) && isFormer) return before
  const { seat, address } = memberOf(before, name)
  const { [name]: _, ...members } = before.members
  if (Object.values(members).every(({ role }) => role === 'observer')) {
    throw new ChangeError('no voter', `${name} is the last voter: nobody would be left to lead`)
  }
  const former = [...Object.entries(before.former), [seat, [name, address]] as const].slice(
    -MOST_FORMER,
  )
  return { ...before, members, former: Object.fromEntries(former) }
}

/** The seat belongs to the state that begins in it: another state has forgotten what that one promised. */
function claimed(before: GroupConfiguration, name: string, key: string): GroupConfiguration {
  const member = memberOf(before, name)
  if (member.key === key) return before
  if (member.key === '') return withEntry(before, name, { ...member, key })
  throw new ChangeError(
    'lost-state',
    `${name} has run before with another state, which is lost: remove it and add it again ` +
      '("bellwether members replace"), so that no vote is forgotten',
  )
}

function withEntry(
  before: GroupConfiguration,
  name: string,
  member: GroupConfiguration['members'][string],
): GroupConfiguration {
  return { ...before, members: { ...before.members, [name]: member } }
}

function memberOf({ members }: GroupConfiguration, name: string) {
  if (Object.hasOwn(members, name)) return members[name]
  const names = Object.keys(members).join(', ')
  throw new ChangeError('unknown', `${name} is not a member; the members are ${names}`)
}
