/**
 * Decides with which configuration a member starts: that of its state, that of a running group that it finds by its
 * seeds, or the one that its options describe.
 */
import { randomUUID } from 'node:crypto'
import { sleep } from '../../clock/sleep.ts'
import { canChange } from '../../core/algorithm.ts'
import { Group } from '../../core/group.ts'
import type { NodeId } from '../../core/node-id.ts'
import { StoreError, type Store, type Stored } from '../../stores/store.ts'
import { printable } from '../../transports/printable.ts'
import type { Transport } from '../../transports/transport.ts'
import type { Start } from '../election.ts'
import { ChangeError, ConfigurationError } from '../errors.ts'
import { isBlank } from '../host/restore.ts'
import { wrong } from '../options/option-kinds.ts'
import { JOIN_OPTIONS, type JoinOptions } from '../options/option-table.ts'
import {
  resolveOptions,
  type Implementations,
  type ResolvedOptions,
} from '../options/resolve-options.ts'
import { completedOptions, findGroup, type FoundGroup } from './discovery.ts'
import { readConfiguration, type GroupConfiguration } from './group-configuration.ts'
import { refusedBy } from './membership.ts'

/** How often the seeds are looked up and asked again. */
const AGAIN_MS = 1000
const ANY_TIMING = { messageMs: 1, processingMs: 1, detectionMs: 1, watchMs: 1, periodMs: 1 }
/** The leader waits for a majority. */
const CLAIM_MS = 15_000

interface Starting {
  readonly resolved: ResolvedOptions
  readonly start: Start
}

type Given = Readonly<{ given: JoinOptions; implementations: Implementations }>

/** Waits until the group is found and names this member. Throws ConfigurationError, StoreError, and what aborted it. */
export async function startOf(
  given: JoinOptions,
  implementations: Implementations,
  transport: Transport,
  store: Store,
): Promise<Starting> {
  const options = { given, implementations }
  const stored = store.read()
  const own = storedConfiguration(stored, store)
  if (own !== null) {
    const starting = under(own, options, stored?.key ?? '')
    warnOfDifferences(given, starting.resolved, implementations)
    return starting
  }
  if (given.seeds === undefined) return asGiven(options, stored?.key ?? '')
  return joining(options, transport, store, stored)
}

/** The configuration in a member's state; null where it is the first one. Throws StoreError. */
export function storedConfiguration(
  stored: Stored | null,
  { place = 'the store' }: Pick<Store, 'place'>,
): GroupConfiguration | null {
  const data = stored?.state['data']
  if (typeof data !== 'string' || data === '') return null
  const configuration = readConfiguration(data)
  if (configuration !== undefined) return configuration
  throw new StoreError(`${place}: holds a configuration of the group that this version cannot read`)
}

function asGiven({ given, implementations }: Given, key: string): Starting {
  const resolved = resolveOptions(given, implementations)
  return { resolved, start: { key, resolve: resolver({ given, implementations }, resolved.me) } }
}

function under(configuration: GroupConfiguration, options: Given, key: string): Starting {
  const seat = seatIn(configuration, options.given.id)
  const resolved = resolveOptions(
    ownOf(options.given),
    options.implementations,
    configuration,
    seat,
  )
  return { resolved, start: { key, resolve: resolver(options, resolved.me, configuration) } }
}

/** `began`: the configuration with which the member starts. */
function resolver(
  { given, implementations }: Given,
  seat: NodeId,
  began: GroupConfiguration | null = null,
): Start['resolve'] {
  const resolve = (configuration: GroupConfiguration): ResolvedOptions =>
    resolveOptions(ownOf(given), implementations, configuration, seat)
  return (data) => {
    if (data === '') {
      // Who was given seeds, and has stored no configuration yet, keeps that of its start.
      const keeps = began !== null && given.members === undefined
      return keeps ? resolve(began) : first({ given, implementations }, seat)
    }
    const configuration = readConfiguration(data)
    if (configuration === undefined) {
      throw new ConfigurationError('configuration', 'this version cannot read it')
    }
    return resolve(configuration)
  }
}

/** A leader may write the first configuration again, in place of a change that no majority had adopted. */
function first({ given, implementations }: Given, seat: NodeId): ResolvedOptions {
  const why = 'the group has the first one, which the options of this member do not give'
  if (given.members === undefined) return wrong('configuration', why)
  const resolved = resolveOptions(given, implementations)
  return resolved.me === seat ? resolved : wrong('configuration', why)
}

/** What the configuration of the group does not say. */
function ownOf({ members: _members, seeds: _seeds, ...own }: JoinOptions): JoinOptions {
  return own
}

/** The seat of a member, or the one that it had. */
function seatIn({ members, former }: GroupConfiguration, id: string): NodeId | undefined {
  if (Object.hasOwn(members, id)) return members[id].seat
  const had = Object.entries(former).filter(([, [name]]) => name === id)
  return had.length === 0 ? undefined : Math.max(...had.map(([seat]) => Number(seat)))
}

/** The configuration of the group goes first; what is given differently is said once. */
function warnOfDifferences(
  given: JoinOptions,
  { shared, id }: ResolvedOptions,
  implementations: Implementations,
): void {
  if (given.members === undefined) return
  const names = differences(given, shared, implementations)
  if (names.length === 0) return
  process.emitWarning(
    `${id}: the group has changed while it ran, and what it agreed on goes before what is given here: ${names.join('; ')}`,
  )
}

function differences(
  given: JoinOptions,
  shared: ResolvedOptions['shared'],
  implementations: Implementations,
): string[] {
  try {
    const own = resolveOptions(given, implementations).shared
    return Object.entries(shared)
      .filter(([name, value]) => own[name] !== value)
      .map(([name, value]) => `${name} is ${value}, not ${own[name]}`)
  } catch (error) {
    if (error instanceof ConfigurationError) return [error.message]
    throw error
  }
}

// A member that knows only seeds.

async function joining(
  options: Given,
  transport: Transport,
  store: Store,
  stored: Stored | null,
): Promise<Starting> {
  const { given } = options
  const group = JOIN_OPTIONS.group.check(given.group, 'group')
  const id = JOIN_OPTIONS.id.check(given.id, 'id')
  if (given.members !== undefined) wrong('seeds', 'give members or seeds, not both')
  const seeds = JOIN_OPTIONS.seeds.check(given.seeds, 'seeds')
  let last = ''
  for (;;) {
    const found = await findGroup(seeds, group, transport)
    const starting =
      typeof found === 'string'
        ? found
        : await begin(options, found, { transport, store, stored, id })
    if (typeof starting !== 'string') return starting
    if (starting !== last) process.emitWarning(`${starting}; asked again every second`)
    last = starting
    await sleep(AGAIN_MS, given.signal)
    given.signal?.throwIfAborted()
  }
}

interface Joining {
  readonly transport: Transport
  readonly store: Store
  readonly stored: Stored | null
  readonly id: string
}

/** A sentence where the member has to wait. */
async function begin(
  options: Given,
  found: FoundGroup,
  joining: Joining,
): Promise<Starting | string> {
  const { configuration } = found
  const { id, stored } = joining
  const names = Object.keys(configuration?.members ?? found.options.members)
  if (!names.includes(id)) {
    const who = names.map((name) => printable(name, 64)).join(', ')
    const why = `"${id}" is not a member of the running group, whose members are ${who}`
    if (!algorithmIn(found, options).changes) return wrong('id', why)
    return `${why}: add it with "bellwether members add ${id}=HOST:PORT"`
  }
  if (configuration === undefined) {
    const given = completedOptions(options.given, found.options)
    return asGiven({ ...options, given }, stored?.key ?? '')
  }
  // Without votes nothing is forgotten: any state will do, and none.
  if (!algorithmIn(found, options).votes) return under(configuration, options, stored?.key ?? '')
  const isFounder = configuration.members[id].key === undefined
  if (isFounder && (stored === null || isBlank(stored))) throw lostState(id)
  if (isFounder) return wrong('seeds', knowsFirstOnly(id))
  return claim(options, configuration, found.address, joining)
}

/** Of a running group: whether its members can change, and whether they vote. */
function algorithmIn(
  { options }: FoundGroup,
  { implementations }: Given,
): { readonly changes: boolean; readonly votes: boolean } {
  const algorithm = implementations.algorithms.find(({ name }) => name === options['algorithm'])
  if (algorithm === undefined) return { changes: false, votes: true }
  const changes = canChange(algorithm, new Group(1, ANY_TIMING))
  return { changes, votes: algorithm.promises.oneLeaderPerTerm === true }
}

/** It may be bound for longer than the present timing says, and only the options of the first configuration tell. */
function knowsFirstOnly(id: string): string {
  return (
    `the state of "${id}" was written before the group changed: start it with the members and the timing with which the ` +
    'group was founded; when it has joined, seeds suffice'
  )
}

/** An added member begins in its seat once: with the state that has its key. */
async function claim(
  options: Given,
  configuration: GroupConfiguration,
  address: string,
  { transport, store, stored, id }: Joining,
): Promise<Starting | string> {
  const key = stored?.key ?? randomUUID()
  if (stored === null) store.write({ incarnation: 0, key, state: {} })
  const question = { ask: 'change', change: { claim: id, key } }
  try {
    refusedBy(await transport.visit!(options.given.group, address, question, CLAIM_MS))
  } catch (error) {
    if (error instanceof ChangeError && error.rule === 'lost-state') throw lostState(id)
    return `${address}: ${(error as Error).message}`
  }
  return under(configuration, options, key)
}

function lostState(id: string): ConfigurationError {
  return new ConfigurationError(
    'id',
    `${id} has run before, and its state is lost: a member that forgot its votes could make two leaders. ` +
      `Remove it and add it again: "bellwether members replace ${id} ${id}=HOST:PORT"`,
  )
}
