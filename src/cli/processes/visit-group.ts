/**
 * Visits a member of a group over its port, which may serve this group alone or many groups: tries both, and says which
 * groups there are where none is named.
 */
import type { Json } from '../../core/schema.ts'
import { DEFAULT_NODE_NAME } from '../../runtime/node.ts'
import { asRecord } from '../../runtime/options/option-kinds.ts'
import type { Question } from '../../runtime/visitors.ts'
import { TransportError } from '../../transports/errors.ts'
import type { Protection } from '../../transports/tcp/security/security-of.ts'
import { visit } from '../../transports/tcp/visit.ts'
import { UsageError } from '../errors.ts'

export interface GroupPlace {
  readonly address: string
  /** The member that must answer; empty: whichever has the address. */
  readonly member: string
  /** Undefined: the group `default`, or a list of the groups that a node serves. */
  readonly group: string | undefined
  /** The name of the nodes that serve the group among others; undefined: that is tried. */
  readonly node: string | undefined
}

export interface GroupFlags {
  readonly group?: string
  readonly node?: string
}

export const NODE_FLAG = [
  '--node <name>',
  `the name of the nodes, where the group is one of many over their ports (default: ${DEFAULT_NODE_NAME})`,
] as const

const MOST_NAMED = 20

/** The port serves many groups, and none was named. */
export class ManyGroupsError extends UsageError {
  readonly groups: readonly string[]

  constructor(address: string, groups: readonly string[]) {
    const rest = groups.length > MOST_NAMED ? ` and ${groups.length - MOST_NAMED} more` : ''
    const named = groups.slice(0, MOST_NAMED).join(', ')
    super(`${address} serves many groups over one port: choose one with --group: ${named}${rest}`)
    this.groups = groups
  }
}

/** Rejects with a TransportError that says why there is no answer within the time, or with ManyGroupsError. */
export async function visitGroup(
  protection: Protection,
  { address, member, group, node }: GroupPlace,
  question: Question,
  timeoutMs: number,
): Promise<Json> {
  const until = performance.now() + timeoutMs
  const ask = async (cluster: string, asked: Json): Promise<Json> =>
    visit(
      protection,
      { cluster, address, member },
      asked,
      Math.max(1, Math.ceil(until - performance.now())),
    )
  const amongOthers = group === undefined ? question : { ...question, group }
  /** A member that is in one group ignores the name of another one: only a node is asked for one of its groups. */
  const askNode = async (name: string): Promise<Json> => {
    const { groups } = asRecord(await ask(name, { ask: 'groups' })) ?? {}
    if (!Array.isArray(groups)) throw new TransportError(`${name} is a group, and no name of nodes`)
    if (group === undefined) throw new ManyGroupsError(address, groups.filter(isText))
    return ask(name, amongOthers)
  }
  if (node !== undefined) return askNode(node)
  const own = group ?? DEFAULT_NODE_NAME
  try {
    const answer = await ask(own, question)
    const isNode = group !== undefined && groupsIn(answer) !== undefined
    return isNode ? await ask(own, amongOthers) : listed(address, group, answer)
  } catch (error) {
    const isOther = own !== DEFAULT_NODE_NAME && performance.now() < until
    if (!(error instanceof TransportError) || !isOther) throw error
    // It was rejected before the question: it may be a node, of which the group has another name.
    return askNode(DEFAULT_NODE_NAME).catch(() => Promise.reject(error))
  }
}

function listed(address: string, group: string | undefined, answer: Json): Json {
  const groups = groupsIn(answer)
  if (groups !== undefined && group === undefined) throw new ManyGroupsError(address, groups)
  return answer
}

/** What the port of many groups answers where none is named, or one that it lacks. */
export function groupsIn(answer: unknown): string[] | undefined {
  const { error, groups } = asRecord(answer) ?? {}
  if (error === undefined) return undefined
  if (!Array.isArray(groups)) return undefined
  return groups.filter(isText)
}

function isText(name: unknown): name is string {
  return typeof name === 'string'
}
