/**
 * The public entry `bellwether`: `join` a group that elects a leader, check options and stored state without joining,
 * and the types, errors and transports for both.
 */
import { join as joinPath } from 'node:path'
import { algorithms } from './algorithms/index.ts'
import { detectors } from './detectors/index.ts'
import { termWriter } from './core/algorithm.ts'
import type { Json } from './core/schema.ts'
import { MemberElection } from './runtime/election.ts'
import type { Election } from './runtime/handle.ts'
import { logTo } from './runtime/log/logger.ts'
import { ConfigurationError } from './core/errors/configuration-error.ts'
import { startOf, storedConfiguration } from './runtime/membership/start.ts'
import { PortNode, type ElectionNode, type OpenOptions } from './runtime/node.ts'
import { abortable } from './runtime/waiting.ts'
import { asRecord } from './runtime/options/option-kinds.ts'
import { JOIN_OPTIONS, type JoinOptions, type Safety } from './runtime/options/option-table.ts'
import {
  resolveOptions,
  type Implementations,
  type ResolvedOptions,
} from './runtime/options/resolve-options.ts'
import { TermJumpGuard } from './runtime/host/term-jump-guard.ts'
import { isBlank, namedMembers, refuseOtherMembers, restore } from './runtime/host/restore.ts'
import { TokenStore } from './runtime/fencing/token-store.ts'
import { FileStore } from './stores/file.ts'
import type { Store } from './stores/store.ts'
import { memberFile } from './stores/member-files.ts'
import { tcp } from './transports/tcp/tcp.ts'

const implementations: Implementations = {
  algorithms,
  detectors,
  byDefault: { advisory: 'bully-fd', quorum: 'bully-fd-quorum', detector: 'link' },
}

/**
 * Joins a group. Resolves when this member listens; `ready`, `watch`, `on` and `lead` then report the leader. Rejects
 * with ConfigurationError (naming the field), StoreError, TransportError, or the reason of an aborted `signal`.
 */
export async function join<S extends Safety = 'quorum', M extends Json = Json>(
  options: JoinOptions<S, M>,
): Promise<Election<S, M>> {
  return joinGroup(options, () => undefined)
}

/**
 * Opens one port for any number of groups: `node.join('invoices')`. Processes that share groups have one connection, and
 * with `shareHeartbeats` the heartbeats of groups in which nothing happens are shared too. Rejects as `join` does.
 */
export async function open(options: OpenOptions): Promise<ElectionNode> {
  return PortNode.open(options, options.transport ?? tcp(), joinGroup)
}

async function joinGroup<S extends Safety, M extends Json>(
  options: JoinOptions<S, M>,
  left: () => void,
): Promise<Election<S, M>> {
  refuseTransportOptions(options)
  // Before there is a file.
  if (asRecord(options)?.['seeds'] === undefined) resolveOptions(options, implementations)
  const { transport = tcp(), signal } = options
  signal?.throwIfAborted()
  const store = openStore(options)
  const { resolved, start } = await startOf(options, implementations, transport, store).catch(
    (error: unknown) => {
      store.close()
      throw error
    },
  )
  const { logger } = resolved
  const election = new MemberElection<S, M>(resolved, transport, store, start)
  election.left = left
  const opening = election.open()
  try {
    await abortable(opening, signal)
  } catch (error) {
    await opening.then(
      async () => election.close(),
      () => store.close(),
    )
    throw error
  }
  signal?.addEventListener('abort', () => void election.close(), { once: true })
  if (logger !== undefined) logTo(election, logger)
  return election
}

/** What protects connections belongs to the transport. */
function refuseTransportOptions(options: object): void {
  const name = ['tls', 'key', 'keyFile', 'insecurePlaintext'].find(
    (one) => asRecord(options)?.[one] !== undefined,
  )
  if (name === undefined) return
  throw new ConfigurationError(
    name,
    `no such option of join: give transport: tcp({ ${name} }), with tcp of bellwether`,
  )
}

function openStore(options: JoinOptions): Store {
  const group = JOIN_OPTIONS.group.check(options.group, 'group')
  const id = JOIN_OPTIONS.id.check(options.id, 'id')
  const state = JOIN_OPTIONS.state.check(options.state ?? JOIN_OPTIONS.state.default, 'state')
  if (typeof state !== 'string') return state
  return new FileStore(joinPath(state, memberFile(group, id, 'state')), {
    cluster: group,
    member: id,
  })
}

interface CheckedState {
  readonly incarnation: number
  readonly term: string
  /** Whether the peers would not believe its term. */
  readonly isBeyond: boolean
}

/** The stored state of the member; null if it never ran. Throws StoreError if `join` would. */
export function checkState(options: JoinOptions): CheckedState | null {
  resolveOptions(options, implementations)
  const store = openStore(options)
  try {
    const configuration = storedConfiguration(store.read(), store)
    const resolved = resolveOptions(options, implementations, configuration)
    const { algorithm, names, roles } = resolved
    const plain = resolved.fenced === null ? store : new TokenStore(store)
    const stored = plain.read()
    if (stored === null || isBlank(stored)) return null
    if (resolved.fenced === null && configuration === null) refuseOtherMembers(stored, names, store)
    const state = restore(stored, algorithm, namedMembers(names, roles), store)
    const showTerm = termWriter(algorithm, (id) => names[id])
    const guard = new TermJumpGuard(algorithm.messages, roles.size)
    return {
      incarnation: stored.incarnation,
      term: showTerm(state.term),
      isBeyond: guard.isBeyond(state, algorithm.state),
    }
  } finally {
    store.close()
  }
}

/** Throws ConfigurationError if `join` would. */
export function checkOptions(
  options: JoinOptions,
): Pick<ResolvedOptions, 'leaseMs' | 'group' | 'shared' | 'engineOnly'> {
  return resolveOptions(options, implementations)
}

export { BellwetherError } from './core/errors/bellwether-error.ts'
export type { ErrorCode } from './core/errors/error-code.ts'
export type { ElectionEvents, LeaderView, View } from './runtime/election-events.ts'
export type { ConfigureOptions, Election, TermOf } from './runtime/handle.ts'
export type { StepDownOptions } from './runtime/release-leadership.ts'
export {
  ChangeError,
  ConfigurationError,
  ElectionClosedError,
  EngineResetError,
  RemovedError,
  StepDownError,
  TermOverError,
  WorkFailedError,
  WorkOverdueError,
} from './runtime/errors.ts'
export { fenced, type Fenced, type FencedOptions } from './runtime/fencing/fenced.ts'
export { StatusServer, type HttpOptions } from './runtime/http/status-server.ts'
export type { MemberStatus } from './runtime/http/status.ts'
export type { ChannelMessage, ElectionEmitter, Listener } from './runtime/listeners.ts'
export { logEvents, type EventRecord, type EventName } from './runtime/log/event-log.ts'
export type { LogLevel } from './runtime/log/event-sentence.ts'
export type { LogEntry, Logger, LoggerObject } from './runtime/log/logger.ts'
export type { ElectionNode, NodeGroupOptions, OpenOptions } from './runtime/node.ts'
export { onlyLeader } from './runtime/only-leader.ts'
export type { GroupChange } from './runtime/membership/changed-configuration.ts'
export type { MemberRole } from './runtime/membership/group-configuration.ts'
export type { ChangeOptions } from './runtime/membership/register.ts'
export type { MemberEntry } from './runtime/membership/member-list.ts'
export type { Duration } from './runtime/options/option-kinds.ts'
export type {
  JoinOptions,
  FindSeeds,
  MemberOptions,
  Preemption,
  Safety,
  Seeds,
  TakeoverOptions,
  TimingOptions,
} from './runtime/options/option-table.ts'
export type { LeadOptions, OnError } from './runtime/lead-scope.ts'
export type { WaitOptions } from './runtime/waiting.ts'
export type { Fence, FencedTerm, LostReason, Term } from './runtime/term.ts'
export { StoreError, StoreLockedError, type Store, type Stored } from './stores/store.ts'
export { ListenError, TransportError } from './transports/errors.ts'
export { tcp, type TcpOptions } from './transports/tcp/tcp.ts'
export type {
  Endpoint,
  Identity,
  LinkEvents,
  LinkLoss,
  Peer,
  Transport,
} from './transports/transport.ts'
