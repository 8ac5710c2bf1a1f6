/**
 * Finds a running group for a process that knows only seeds: asks a member, as a visitor, for the members and the
 * options that all of them share, and completes the options of `join` with them.
 */
import type { Json } from '../../core/schema.ts'
import { TransportError } from '../../transports/errors.ts'
import { isRecord } from '../../transports/handshake.ts'
import { printable } from '../../transports/printable.ts'
import type { Transport } from '../../transports/transport.ts'
import { isFenced } from '../fencing/fenced.ts'
import { wrong } from '../options/option-kinds.ts'
import type { JoinOptions } from '../options/option-table.ts'
import type { Seed } from '../options/seeds-option.ts'
import { asConfiguration, type GroupConfiguration } from './group-configuration.ts'
import type { GroupOptions } from './group-options.ts'
import { addressesAt } from './seed-addresses.ts'

/** A member that is up answers within this. */
const ANSWER_MS = 2000
/** Of the addresses that the seeds lead to, so many are asked at once. */
const MOST_ASKED = 16
/** How many reasons a sentence gives. */
const MOST_REASONS = 3

export interface FoundGroup {
  /** Of the member that answered. */
  readonly address: string
  readonly options: GroupOptions
  /** Undefined: the first one, which the options describe. */
  readonly configuration: GroupConfiguration | undefined
}

/** Asks the members behind all seeds at once; the first answer counts. A sentence where none answers. */
export async function findGroup(
  seeds: readonly Seed[],
  group: string,
  transport: Transport,
): Promise<FoundGroup | string> {
  const places = await Promise.all(seeds.map(addressesAt))
  const addresses = [...new Set(places.flatMap((place) => place.addresses))]
  const reasons = places.flatMap(({ problem }) => (problem === undefined ? [] : [problem]))
  const asked = addresses
    .slice(0, MOST_ASKED)
    .map(async (address) => askGroup(address, group, transport))
  try {
    return await Promise.any(asked)
  } catch (error) {
    const failures = (error as AggregateError).errors as readonly Error[]
    reasons.push(...failures.map(({ message }) => message))
    const why = reasons.slice(0, MOST_REASONS).join('; ')
    const rest = reasons.length > MOST_REASONS ? `; and ${reasons.length - MOST_REASONS} more` : ''
    return `no member of the group ${group} answers at its seeds: ${why}${rest}`
  }
}

/** The options of `join` with the members and the shared options of the group; what is given goes first. */
export function completedOptions(given: JoinOptions, theirs: GroupOptions): JoinOptions {
  const { seeds: _, ...own } = given
  const { members, engine, timing, ...shared } = theirs
  if (engine !== null && !isFenced(own.safety)) {
    wrong('safety', `the group is fenced by ${printable(engine, 64)}: give its engine`)
  }
  return { ...shared, members, ...own, timing: { ...timing, ...own.timing } }
}

async function askGroup(address: string, group: string, transport: Transport): Promise<FoundGroup> {
  if (transport.visit === undefined) wrong('seeds', 'this transport cannot ask a member')
  const answer = await transport
    .visit(group, address, { ask: 'group' }, ANSWER_MS)
    .catch((error: unknown) => {
      if (!(error instanceof TransportError)) throw error
      throw new TransportError(`${address}: ${error.message}`, { cause: error })
    })
  const { group: options, configuration: given } = isRecord(answer) ? answer : {}
  if (!isRecord(options)) throw new TransportError(`${address}: ${refusalIn(answer)}`)
  const configuration = given === undefined ? given : asConfiguration(given)
  if (given !== undefined && configuration === undefined) {
    throw new TransportError(`${address}: its configuration cannot be read by this version`)
  }
  return { address, options: options as unknown as GroupOptions, configuration }
}

function refusalIn(answer: Json): string {
  const error = isRecord(answer) ? answer['error'] : undefined
  return typeof error === 'string' ? printable(error) : 'its answer is malformed'
}
