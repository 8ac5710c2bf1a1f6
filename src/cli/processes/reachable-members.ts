/**
 * Finds the members that a command asks: on this machine by the files beside their state, over HTTP; from anywhere by
 * their addresses, as a visitor with the key or a certificate of the group. Asks all of them at once.
 */
import { InvalidArgumentError, type Command } from 'commander'
import { asRecord } from '../../runtime/options/option-kinds.ts'
import { JOIN_OPTIONS, PROCESS_OPTIONS } from '../../runtime/options/option-table.ts'
import type { Question } from '../../runtime/visitors.ts'
import { TransportError } from '../../transports/errors.ts'
import type { Protection } from '../../transports/tcp/security/security-of.ts'
import { UnreachableError, UsageError } from '../errors.ts'
import { readGroupConfig } from '../options/member-options.ts'
import { addFlags, type FlagValues } from '../options/option-flags.ts'
import { findEndpoints, requestJson, type EndpointFlags } from './member-endpoints.ts'
import {
  groupsIn,
  ManyGroupsError,
  NODE_FLAG,
  visitGroup,
  type GroupFlags,
  type GroupPlace,
} from './visit-group.ts'

/** A member that runs answers within milliseconds; the network and a busy machine get the rest. */
const STATUS_MS = 2000
/** Nothing else can be asked before. */
const MEMBERS_MS = 5000
/** The leader waits for a majority. */
const CHANGE_MS = 15_000
/** Longer than the work may take to stop. */
const STEP_DOWN_MS = 120_000

type Body = Readonly<Record<string, unknown>>
/** The answer of a member, or why there is none. */
export interface Answer {
  readonly body?: Body
  readonly problem?: string
}

export interface ReachableMember {
  /** Undefined where only its address is known. */
  readonly id: string | undefined
  readonly group: string
  readonly address: string
  readonly ask: (question: Question) => Promise<Answer>
}

export interface ReachFlags extends EndpointFlags, GroupFlags, FlagValues {
  readonly members?: string
  readonly peer?: string
  readonly config?: string
  readonly token?: string
}

const VISIT_OPTIONS = {
  members: JOIN_OPTIONS.members,
  tls: PROCESS_OPTIONS.tls,
  sharedKey: PROCESS_OPTIONS.sharedKey,
}

export function addReachFlags(command: Command): Command {
  command
    .option('--http <host:port>', 'the address at which a member serves its status')
    .option('--state <folder>', 'the state folder of the members on this machine', '.bellwether')
    .option(
      '--group <name>',
      'the group; of the members on this machine, ask only those of this group',
    )
    .option(...NODE_FLAG)
    .option('--id <name>', 'only this member')
    .option('--peer <host:port>', 'the address of one member, which names the others', once)
    .option('--config <file>', 'JSON file with the options of a member')
  return addFlags(command, VISIT_OPTIONS)
}

/** Of several addresses only the last would be asked. */
function once(address: string, given: string | undefined): string {
  if (given === undefined) return address
  throw new InvalidArgumentError('is given twice: give the address of one member.')
}

/** Throws UsageError where there is none; ManyGroupsError where a port serves many groups, and none is named. */
export async function reachableMembers(flags: ReachFlags): Promise<ReachableMember[]> {
  const { members, peer, config, id } = flags
  if (members === undefined && peer === undefined && config === undefined)
    return onThisMachine(flags)
  const { group, members: given, protection } = readGroupConfig(flags)
  const addresses =
    given === undefined || peer !== undefined
      ? await addressesFrom(peer, { group, node: flags.node }, protection)
      : given.map(({ name, address }) => [name, address] as const)
  const wanted = addresses.filter(([name]) => name === (id ?? name))
  if (wanted.length === 0)
    throw new UsageError(
      `${id} is not a member; the members are ${addresses.map(([name]) => name).join(', ')}`,
    )
  return wanted.map(([name, address]) =>
    visited({ group, node: flags.node, address, member: name }, protection),
  )
}

function onThisMachine(flags: ReachFlags): ReachableMember[] {
  return findEndpoints(flags).map(({ id, group = flags.group ?? '', http = '', token }) => ({
    id,
    group,
    address: http,
    ask: async (question) =>
      askOverHttp({ http, group, token: flags.token ?? token ?? '' }, question),
  }))
}

async function askOverHttp(
  endpoint: { readonly http: string; readonly group: string; readonly token: string },
  question: Question,
): Promise<Answer> {
  const timeoutMs = timeoutOf(question)
  const { http, group } = endpoint
  const isOrder = question.ask === 'step-down' || question.ask === 'change'
  // A member that is in one group ignores its name.
  const path = `/${question.ask}${group === '' ? '' : `?group=${encodeURIComponent(group)}`}`
  const answer = isOrder
    ? await requestJson(endpoint, 'POST', path, question, timeoutMs)
    : await requestJson(endpoint, 'GET', path, undefined, timeoutMs)
  if (answer === undefined) return { problem: `no answer in ${timeoutMs} ms` }
  const groups = groupsIn(answer.body)
  if (groups !== undefined && group === '') throw new ManyGroupsError(http, groups)
  return { body: answer.body }
}

/** The members that one of them names. */
async function addressesFrom(
  peer: string | undefined,
  place: Pick<GroupPlace, 'group' | 'node'>,
  protection: Protection,
) {
  if (peer === undefined) throw new UsageError('--members or --peer is missing; see --help')
  const one = visited({ ...place, address: peer, member: '' }, protection)
  const { body, problem } = await one.ask({ ask: 'members' })
  const members = asRecord(body?.['members'])
  if (members === undefined) {
    throw new UnreachableError(`${peer}: ${problem ?? String(body?.['error'])}`)
  }
  return Object.entries(members).flatMap(([name, at]) =>
    typeof at === 'string' ? [[name, at] as const] : [],
  )
}

function visited(place: GroupPlace, protection: Protection): ReachableMember {
  return {
    id: place.member === '' ? undefined : place.member,
    group: place.group ?? '',
    address: place.address,
    ask: async (question) => {
      try {
        const answer = await visitGroup(protection, place, question, timeoutOf(question))
        return { body: answer as Body }
      } catch (error) {
        if (error instanceof TransportError) return { problem: error.message }
        throw error
      }
    },
  }
}

function timeoutOf({ ask }: Question): number {
  if (ask === 'step-down') return STEP_DOWN_MS
  if (ask === 'change') return CHANGE_MS
  return ask === 'members' ? MEMBERS_MS : STATUS_MS
}
