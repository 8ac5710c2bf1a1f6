/**
 * Declares all options, a row for each: those of `join`, its timing, `open` and the member process, with their types. It drives
 * `JoinOptions`, the validation, the configuration file, the flags of `node`, `run`, `doctor` and `up`, and the
 * reference in docs/guide/operations.md. A new option is a new row, and nothing else. See
 * docs/decisions/0010-one-table-of-options.md.
 */
import type { Json } from '../../core/schema.ts'
import type { Store } from '../../stores/store.ts'
import type { Transport } from '../../transports/transport.ts'
import { isFenced, VOUCHES, type Fenced } from '../fencing/fenced.ts'
import { isLogger, type Logger } from '../log/logger.ts'
import { metadataOf } from '../metadata.ts'
import { members } from './members-option.ts'
import { seeds } from './seeds-option.ts'
import {
  address,
  choice,
  choiceOr,
  duration,
  toggle,
  number,
  name,
  objectWith,
  options,
  positiveDuration,
  required,
  anyText,
  textOr,
  withDefault,
  wrong,
  type CheckedOf,
  type OptionRow,
  type OptionsOf,
} from './option-kinds.ts'

export type Safety = 'advisory' | 'quorum' | Fenced

export const TIMING_OPTIONS = {
  /** The time between two rounds of periodic work, such as heartbeats. A shorter one costs more messages. */
  period: positiveDuration('time between two heartbeats', { flag: 'time', defaultText: '500ms' }),
  /** How long a peer may be silent before it counts as down. The other times scale with it. */
  detection: positiveDuration('how long a silent peer counts as up', {
    flag: 'time',
    defaultText: '1.5s',
  }),
  /** How long a leader may act without an answer from a majority. A longer one delays failover. */
  lease: positiveDuration('how long a leader acts without an answer from a majority', {
    flag: 'time',
    defaultText: '2s',
  }),
  /** The longest time that a message should take. Later messages cost an election, never safety. */
  message: positiveDuration('the longest time that a message should take', {
    flag: 'time',
    defaultText: 'detection / 10',
  }),
}
export interface TimingOptions extends OptionsOf<typeof TIMING_OPTIONS> {}

const TAKEOVER = {
  /** How long the stronger member must have followed the leader. */
  after: required(duration('how long the stronger member must have followed the leader')),
  /** How long the stronger member must have run without a stall. */
  stableFor: withDefault(
    '10s',
    duration('how long the stronger member must have run without a stall'),
  ),
  /** At most this many takeovers an hour. */
  maxPerHour: withDefault(4, number(1, 3600)('at most this many takeovers an hour')),
}
/** A stronger member takes over from a leader that it has followed for `after`. */
export interface TakeoverOptions extends OptionsOf<typeof TAKEOVER> {}
export type Preemption = 'sticky' | 'always' | TakeoverOptions

const FENCED: OptionRow<Fenced, Fenced> = {
  help: 'fenced(engine)',
  inFile: false,
  check: (value, field) =>
    isFenced(value) ? value : wrong(field, 'must be fenced(engine)', value),
}

const LOGGER: OptionRow<Logger, Logger> = {
  help: 'gets a sentence and a record for each event: a function, or an object with info, warn and error',
  inFile: false,
  check: (value, field) =>
    isLogger(value)
      ? value
      : wrong(field, 'must be a function, or an object with info, warn and error', value),
}

const metadataRow = (help: string): OptionRow<Json, Json> => ({ help, check: metadataOf })

export const JOIN_OPTIONS = {
  /** The name of the group. Members of other groups are refused. */
  group: required(
    name('the name of the group', { flag: 'name', defaultText: 'default', shared: true }),
  ),
  /** The name of this member among `members`. */
  id: required(name('the name of this member', { flag: 'name' })),
  /** All members by name, this one included: an address, or an address and a priority. Without them `fenced` has no mesh. */
  members: members(
    'all members: a=10.0.0.1:7400,b=10.0.0.2:7400@5 (priority 5), or web-{0..2}.web:7400',
    { flag: 'list', shared: true },
  ),
  /** Instead of `members`: where one of them is found, which names the others. See docs/guide/change.md. */
  seeds: seeds(
    'instead of the members, where one of a running group is found: host:port, dns:NAME:PORT, dns+srv:NAME or file:PATH',
    { flag: 'where', flagName: 'join' },
  ),
  /** What `join` promises: `advisory`, `quorum`, or `fenced(engine)`. See docs/guide/promises.md. */
  safety: withDefault(
    'quorum',
    choiceOr(['quorum', 'advisory'], FENCED)('what is promised', { flag: 'level', shared: true }),
  ),
  /** The election algorithm. Each level of safety has a default. */
  algorithm: anyText('the election algorithm', {
    flag: 'name',
    defaultText: 'bully-fd-quorum for quorum and sticky fenced, else bully-fd',
    shared: true,
  }),
  /** The failure detector. */
  detector: anyText('the failure detector', { flag: 'name', defaultText: 'link', shared: true }),
  /** Whether and when a stronger member takes over from a weaker leader. */
  preemption: choiceOr(
    ['sticky', 'always'],
    options<TakeoverOptions, typeof TAKEOVER>(TAKEOVER)('{ after, stableFor, maxPerHour }'),
  )('whether a stronger member takes over from the leader', {
    flag: 'how',
    defaultText: 'sticky for quorum, else always',
    shared: true,
  }),
  /** A refused connection proves that the peer's process has ended. Only where no firewall refuses connections. */
  trustRefusals: withDefault(
    false,
    toggle('a refused connection proves that a peer has ended; only where no firewall refuses', {
      flag: '',
      shared: true,
    }),
  ),
  /** Which members must be present when the group first starts; later starts need a majority. */
  founding: withDefault(
    'all',
    choice(['all', 'majority'])('which members must be up, all without state, to found the group', {
      flag: 'who',
    }),
  ),
  /** Heartbeats, failure detection and lease. `detection` alone scales all of them. */
  timing: withDefault(
    {},
    options<TimingOptions, typeof TIMING_OPTIONS>(TIMING_OPTIONS)('times', {
      defaultText: '',
      shared: true,
    }),
  ),
  /** `host:port` at which peers reach this member from now on. It tells the group, if the group knows another address. */
  address: address('where peers reach this member now: it tells the group', { flag: 'host:port' }),
  /** `host:port` at which this member listens, if it differs from its address. */
  listen: address('where this member listens, if not at its address', { flag: 'host:port' }),
  /** The folder for what must survive a crash, or a store. */
  state: withDefault(
    '.bellwether',
    textOr(objectWith<Store>(['read', 'write', 'close'], 'the path of a folder, or a store')(''))(
      'the folder for what must survive a crash',
      { flag: 'folder' },
    ),
  ),
  /** How members reach each other. */
  transport: objectWith<Transport>(['listen'], 'a transport, such as tcp()')(
    'how members reach each other',
    { defaultText: 'tcp()' },
  ),
  /** What the peers learn about this member when it leads, such as the URL that takes requests. */
  metadata: withDefault(
    null,
    metadataRow('what peers learn about this member when it leads; JSON'),
  ),
  /** How long work may take to stop when the term ends. */
  drain: withDefault(
    '10s',
    duration('how long work may take to stop when the term ends', { flag: 'time' }),
  ),
  /** Gets a sentence and a record for each event: a function, or anything with `info`, `warn` and `error`. */
  logger: LOGGER,
  /** Leaves the group when it is aborted; before that, `join` rejects with its reason. */
  signal: objectWith<AbortSignal>(
    ['addEventListener'],
    'an AbortSignal',
  )('leaves the group when it is aborted'),
}

/** The options of a member that runs as a process, beside those of `join`: only in the file and as flags. */
export const PROCESS_OPTIONS = {
  engine: anyText(
    'fenced leadership: etcd://HOST:PORT, postgres://…, mysql://…, nats://…, redis://…, kubernetes://',
    {
      flag: 'url',
      shared: true,
    },
  ),
  engineFile: anyText('a file with the URL of the engine, for one that holds a password', {
    flag: 'file',
  }),
  vouch: choice(VOUCHES)('which members let a leader go on while the engine is out of reach', {
    flag: 'who',
    defaultText: 'nobody',
    shared: true,
  }),
  http: address('serve /status, /metrics and more there; port 0 chooses a free port', {
    flag: 'host:port',
  }),
  tls: options({
    ca: required(anyText('mutual TLS: the authority of all certificates', { flag: 'file' })),
    certificate: required(anyText('mutual TLS: the certificate of this member', { flag: 'file' })),
    key: required(anyText('mutual TLS: the key of the certificate', { flag: 'file' })),
    revoked: anyText('mutual TLS: a list of members and fingerprints that are refused', {
      flag: 'file',
    }),
  })('files for mutual TLS'),
  sharedKey: anyText('a file with the key of all members (`bellwether certs --shared-key`)', {
    flag: 'file',
    defaultText: "this user's, if all members are on this machine",
  }),
  insecurePlaintext: toggle('no protection: every process that reaches a port can take part', {
    flag: '',
  }),
}

/** What `open` takes beside options of `join`. */
export const OPEN_OPTIONS = {
  /** The name of the set of processes: others are refused. Certificates are issued for it. */
  name: withDefault('default', name('the name of the set of processes')),
  /**
   * Experimental: groups in which nothing happens rest, and beats of the connections stand for their heartbeats. Groups
   * rest together only where both processes of a connection have it. See docs/guide/groups.md.
   */
  shareHeartbeats: withDefault(false, toggle('whether beats stand for the heartbeats of groups')),
}

export type { MemberOptions } from './members-option.ts'
export type { FindSeeds, Seeds } from './seeds-option.ts'

/** What `join` takes. */
export interface JoinOptions<S extends Safety = Safety, M extends Json = Json> extends OptionsOf<
  typeof JOIN_OPTIONS
> {
  readonly safety?: S
  readonly metadata?: M
}
export type CheckedOptions = CheckedOf<typeof JOIN_OPTIONS>
