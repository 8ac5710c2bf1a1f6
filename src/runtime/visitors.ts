/** Answers what others ask a member, over its status server or as visitors on its own port: its status, the addresses of the members, to step down. */
import type { Json } from '../core/schema.ts'
import { printable } from '../transports/printable.ts'
import { StepDownError } from './errors.ts'
import type { Election } from './handle.ts'
import { changeAsAsked } from './membership/asked-change.ts'
import type { GroupChange } from './membership/changed-configuration.ts'
import type { GroupConfiguration } from './membership/group-configuration.ts'
import type { Stamp } from './membership/lost-configuration.ts'
import { groupOptionsOf } from './membership/group-options.ts'
import type { ResolvedOptions } from './options/resolve-options.ts'

/** The questions of visitors. */
export type Question =
  | { readonly ask: 'status' | 'members' | 'options' | 'group' }
  | { readonly ask: 'change'; readonly change: GroupChange; readonly dryRun?: boolean }
  | { readonly ask: 'step-down'; readonly to?: string; readonly reason?: string }

interface Answering {
  readonly options: ResolvedOptions
  /** Of the configuration that this member has adopted. */
  readonly stamp: Stamp | undefined
}

/** Never rejects: an error is an answer too. */
export async function answerVisitor(
  election: Election,
  { options, stamp }: Answering,
  visitor: string,
  question: Json,
): Promise<Json> {
  const asked = (typeof question === 'object' && question !== null ? question : {}) as Asked
  const { group = election.group } = asked
  if (group !== election.group) {
    return { error: `this member is in group "${election.group}" only` }
  }
  switch (asked['ask']) {
    case 'status':
      return election.status()
    case 'members':
      return { members: Object.fromEntries(options.addresses), list: membersOf(election) }
    case 'options':
      return { options: { ...options.shared } }
    case 'group':
      return {
        group: groupOptionsOf(options),
        ...(options.configuration && { configuration: asJson(options.configuration) }),
        ...(stamp && { stamp: { term: stamp.term, version: stamp.version } }),
      }
    case 'change':
      return mayAsk(options, visitor, asked)
        ? changeAsAsked(async (...change) => election.change(...change), asked)
        : { error: `${visitor} cannot claim the seat of another member`, rule: 'not yours' }
    case 'step-down':
      return stepDownAsAsked(election, { ...asked, reason: reasonOf(visitor, asked['reason']) })
    default:
      return {
        error: 'this version answers status, members, options, group, change and step-down only',
      }
  }
}

function membersOf({ members }: Election): Json {
  return members.map((member) => ({ ...member }))
}

function asJson(configuration: GroupConfiguration): Json {
  return configuration as unknown as Json
}

type Asked = Readonly<Record<string, unknown>>

/** A member claims its own seat, or another member passes that on. */
function mayAsk({ addresses }: ResolvedOptions, visitor: string, { change }: Asked): boolean {
  const { claim = visitor } = (change ?? {}) as { claim?: unknown }
  return visitor === '' || claim === visitor || addresses.has(visitor)
}

/** Names who asked, where a certificate names it: a visitor cannot speak for another one. */
function reasonOf(visitor: string, given: unknown): unknown {
  if (visitor === '') return given
  return `asked by ${visitor}${typeof given === 'string' ? `: ${given}` : ''}`
}

/** Steps down if this member leads; resolves when another member may lead. */
export async function stepDownAsAsked(
  election: Election,
  { to, reason }: Asked,
): Promise<{ ok: true } | { error: string; code?: string }> {
  try {
    await election.stepDown({
      ...(typeof to === 'string' ? { to } : {}),
      ...(typeof reason === 'string' ? { reason: printable(reason) } : {}),
    })
    return { ok: true }
  } catch (error) {
    if (error instanceof StepDownError) return { error: error.message, code: error.code }
    return { error: String(error) }
  }
}
