/**
 * The configuration of a group as its host keeps it in the register (`data`): who has which seat, address, priority
 * and role, and the options that all members share. Seats are given once: a member that is added again gets another one.
 */
import { splitAddress } from '../../core/address.ts'
import type { Change } from '../../core/configuration.ts'
import { orderByStrength } from '../../core/group.ts'
import type { NodeId } from '../../core/node-id.ts'
import { NodeSet } from '../../core/node-set.ts'
import type { Json } from '../../core/schema.ts'
import { isRecord } from '../../transports/handshake.ts'
import type { ResolvedOptions } from '../options/resolve-options.ts'
import { groupOptionsOf } from './group-options.ts'

/** A witness is a voter that never leads. */
export type MemberRole = 'voter' | 'witness' | 'observer'
const ROLES: ReadonlySet<unknown> = new Set(['voter', 'witness', 'observer'])

interface RegisteredMember {
  readonly seat: NodeId
  readonly address: string
  readonly priority: number
  readonly role: MemberRole
  /** Of a member that was added: the key of the state that began in its seat; empty before it has started. */
  readonly key?: string
}

export type Founder = readonly [name: string, priority: number, witness?: 'witness']

export interface GroupConfiguration {
  /** The largest seat that was ever given. */
  readonly seats: NodeId
  /** The members of the first configuration, weakest first: they have the seats from 1 on. */
  readonly founders: readonly Founder[]
  readonly members: Readonly<Record<string, RegisteredMember>>
  /** By seat: members that were removed, with their last address. */
  readonly former: Readonly<Record<string, readonly [name: string, address: string]>>
  /** Options of `join`. */
  readonly options: { readonly [option: string]: Json }
}

/** Terms have so many numbers for members. */
export const MOST_SEATS = 1023

/** The configuration that the options of `join` describe. */
export function firstConfiguration(options: ResolvedOptions): GroupConfiguration {
  const { addresses, roles } = options
  const { members: _, engine: __, ...shared } = groupOptionsOf(options)
  const founders = foundersIn(options)
  const members = founders.map(([name, priority], i): [string, RegisteredMember] => [
    name,
    { seat: i + 1, address: addresses.get(name)!, priority, role: roles.get(i + 1)! },
  ])
  return {
    seats: founders.length,
    founders,
    members: Object.fromEntries(members),
    former: {},
    options: shared,
  }
}

export function foundersIn({ names, priorities, roles }: Omit<Seating, 'strength'>): Founder[] {
  return names.slice(1).map((name, i) => {
    const founder = [name, priorities[i + 1]] as const
    return roles.get(i + 1) === 'witness' ? [...founder, 'witness'] : founder
  })
}

/** The same configuration is always the same text. */
export function writeConfiguration(configuration: GroupConfiguration): string {
  const { seats, founders, former, options } = configuration
  const members = Object.entries(configuration.members).toSorted(
    ([, { seat: a }], [, { seat: b }]) => a - b,
  )
  return JSON.stringify({ seats, founders, members: Object.fromEntries(members), former, options })
}

/** Undefined where it is malformed. */
export function readConfiguration(text: string): GroupConfiguration | undefined {
  try {
    return asConfiguration(JSON.parse(text) as Json)
  } catch {
    return undefined
  }
}

/** Undefined where it is malformed. */
export function asConfiguration(json: Json): GroupConfiguration | undefined {
  if (!isRecord(json)) return undefined
  const { seats, founders, members, former, options } = json
  const isWhole =
    isSeat(seats, MOST_SEATS) &&
    Array.isArray(founders) &&
    founders.every(isFounder) &&
    isRecord(members) &&
    Object.values(members).every((member) => isMember(member, seats)) &&
    isRecord(former) &&
    Object.values(former).every(isFormer) &&
    isRecord(options)
  if (!isWhole) return undefined
  const configuration = json as unknown as GroupConfiguration
  return isConsistent(configuration) ? configuration : undefined
}

/** At least one member votes, no two share a seat, and founders have the seats that their places in the list give them. */
function isConsistent({ founders, members }: GroupConfiguration): boolean {
  const all = Object.entries(members)
  return (
    all.some(([, { role }]) => role !== 'observer') &&
    new Set(all.map(([, { seat }]) => seat)).size === all.length &&
    all.every(([name, { seat, key }]) =>
      key === undefined ? founders[seat - 1]?.[0] === name : seat > founders.length,
    )
  )
}

function isSeat(json: Json | undefined, most: number): json is number {
  return Number.isSafeInteger(json) && (json as number) >= 1 && (json as number) <= most
}

function isFounder(json: Json): boolean {
  return Array.isArray(json) && typeof json[0] === 'string' && typeof json[1] === 'number'
}

function isFormer(json: Json): boolean {
  return Array.isArray(json) && json.length === 2 && json.every((part) => typeof part === 'string')
}

function isMember(json: Json, seats: number): boolean {
  if (!isRecord(json)) return false
  const { seat, address, priority, role, key = '' } = json
  if (typeof address !== 'string' || typeof key !== 'string') return false
  const { port } = splitAddress(address) ?? {}
  if (port === undefined) return false
  return isSeat(seat, seats) && typeof priority === 'number' && ROLES.has(role)
}

/** What the algorithm is asked to write. */
export function changeTo(configuration: GroupConfiguration): Change {
  const [voters, observers] = [new NodeSet(), new NodeSet()]
  for (const { seat, role } of Object.values(configuration.members)) {
    if (role === 'observer') observers.add(seat)
    else voters.add(seat)
  }
  return { voters, observers, data: writeConfiguration(configuration) }
}

/** The members by seat; the first entry is empty. */
export interface Seating {
  readonly names: readonly string[]
  readonly addresses: ReadonlyMap<string, string>
  readonly priorities: readonly number[]
  /** Of the members, weakest first. Who was removed has none. */
  readonly roles: ReadonlyMap<NodeId, MemberRole>
  /** By seat: the larger, the stronger. null: in the order of the seats. */
  readonly strength: readonly number[] | null
}

export function seatingOf(configuration: GroupConfiguration): Seating {
  const { seats, members, former } = configuration
  const names = Array.from({ length: seats + 1 }, (_, seat) => former[seat]?.[0] ?? '')
  const priorities = names.map(() => 0)
  for (const [name, { seat, priority }] of Object.entries(members)) {
    names[seat] = name
    priorities[seat] = priority
  }
  const order = orderByStrength(
    Object.entries(members).map(([name, { priority, role }]) => ({
      name,
      priority,
      lead: role !== 'witness',
    })),
  )
  const strength = names.map(() => 0)
  order.forEach((name, i) => (strength[members[name].seat] = i + 1))
  return {
    names,
    priorities,
    addresses: new Map(Object.entries(members).map(([name, { address }]) => [name, address])),
    roles: new Map(order.map((name) => [members[name].seat, members[name].role])),
    strength: strength.every((rank, seat) => rank === seat) ? null : strength,
  }
}
