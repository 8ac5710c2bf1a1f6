/**
 * Finds a running group for a process that knows only seeds: asks a member, as a visitor, for the members and the
 * options that all of them share, and completes the options of `join` with them.
 */
import { sleep } from '../../clock/sleep.ts'
import type { Json } from '../../core/schema.ts'
import { TransportError } from '../../transports/errors.ts'
import { isRecord } from '../../transports/handshake.ts'
import { printable } from '../../transports/printable.ts'
import type { Transport } from '../../transports/transport.ts'
import { JOIN_OPTIONS, type JoinOptions } from '../options/option-table.ts'
import { isFenced } from '../fencing/fenced.ts'
import { asRecord, wrong } from '../options/option-kinds.ts'
import type { GroupOptions } from './group-options.ts'
import { addressesAt } from './seed-addresses.ts'
import type { Seed } from '../options/seeds-option.ts'

/** A member that is up answers within this. */
const ANSWER_MS = 2000
/** How often the seeds are looked up and asked again. */
const AGAIN_MS = 1000
/** Of the addresses that the seeds lead to, so many are asked at once. */
const MOST_ASKED = 16
/** How many reasons a warning gives. */
const MOST_REASONS = 3

type Found = { readonly options: GroupOptions } | { readonly problem: string }

/**
 * The options with the members in place of the seeds; the same options where there are none. Asks until a member
 * answers, and warns of each new reason why none does. Throws ConfigurationError, and the reason of an aborted signal.
 */
export async function withMembers(given: JoinOptions, transport: Transport): Promise<JoinOptions> {
  const { seeds, signal } = given
  if (seeds === undefined) return given
  let last = ''
  for (;;) {
    const completed = await withMembersNow(given, transport)
    if (typeof completed !== 'string') return completed
    if (completed !== last) process.emitWarning(`${completed}; asked again every second`)
    last = completed
    await sleep(AGAIN_MS, signal)
    signal?.throwIfAborted()
  }
}

/** As `withMembers`, once: a sentence where no member answers. */
export async function withMembersNow(
  given: JoinOptions,
  transport: Transport,
): Promise<JoinOptions | string> {
  const group = JOIN_OPTIONS.group.check(given.group, 'group')
  const id = JOIN_OPTIONS.id.check(given.id, 'id')
  if (given.members !== undefined) wrong('seeds', 'give members or seeds, not both')
  const found = await findGroup(JOIN_OPTIONS.seeds.check(given.seeds, 'seeds'), group, transport)
  if ('problem' in found) return found.problem
  return completed(given, id, found.options)
}

function completed(given: JoinOptions, id: string, theirs: GroupOptions): JoinOptions {
  const { seeds: _, ...own } = given
  const { members, engine, timing, ...shared } = theirs
  const names = Object.keys(asRecord(members) ?? {})
  if (!names.includes(id)) {
    const who = names.map((name) => printable(name, 64)).join(', ')
    wrong(
      'id',
      `${JSON.stringify(id)} is not a member of the running group, whose members are ${who}`,
    )
  }
  if (engine !== null && !isFenced(own.safety)) {
    wrong('safety', `the group is fenced by ${printable(engine, 64)}: give its engine`)
  }
  return {
    ...shared,
    members,
    ...own,
    timing: { ...timing, ...own.timing },
  }
}

/** Asks the members behind all seeds at once; the first answer counts. */
async function findGroup(
  seeds: readonly Seed[],
  group: string,
  transport: Transport,
): Promise<Found> {
  const places = await Promise.all(seeds.map(addressesAt))
  const addresses = [...new Set(places.flatMap((place) => place.addresses))]
  const reasons = places.flatMap(({ problem }) => (problem === undefined ? [] : [problem]))
  const asked = addresses
    .slice(0, MOST_ASKED)
    .map(async (address) => askGroup(address, group, transport))
  try {
    return { options: await Promise.any(asked) }
  } catch (error) {
    const failures = (error as AggregateError).errors as readonly Error[]
    reasons.push(...failures.map(({ message }) => message))
    const why = reasons.slice(0, MOST_REASONS).join('; ')
    const rest = reasons.length > MOST_REASONS ? `; and ${reasons.length - MOST_REASONS} more` : ''
    return { problem: `no member of the group ${group} answers at its seeds: ${why}${rest}` }
  }
}

async function askGroup(
  address: string,
  group: string,
  transport: Transport,
): Promise<GroupOptions> {
  if (transport.visit === undefined) wrong('seeds', 'this transport cannot ask a member')
  const answer = await transport
    .visit(group, address, { ask: 'group' }, ANSWER_MS)
    .catch((error: unknown) => {
      if (!(error instanceof TransportError)) throw error
      throw new TransportError(`${address}: ${error.message}`, { cause: error })
    })
  const options = isRecord(answer) ? answer['group'] : undefined
  if (!isRecord(options)) throw new TransportError(`${address}: ${refusalIn(answer)}`)
  return options as unknown as GroupOptions
}

function refusalIn(answer: Json): string {
  const error = isRecord(answer) ? answer['error'] : undefined
  return typeof error === 'string' ? printable(error) : 'its answer is malformed'
}
