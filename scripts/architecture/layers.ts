/** The import rules as data, for src, lab, experiments and optional packages: `test/tidy` enforces them, ARCHITECTURE.md shows them. */

/** A folder, what it contains, and which other folders its files may import. */
export interface Layer {
  readonly contains: string
  /** Names of other layers. A layer may always import itself. */
  readonly mayImport: readonly string[]
  /** No clock, no random source, no platform, nothing asynchronous. */
  readonly isPure?: true
}

/** The entry point `src/index.ts`, which has no folder of its own. */
export const ENTRY = 'index.ts'

/** The folders of `src`. */
export const SRC: Readonly<Record<string, Layer>> = {
  core: {
    contains: 'the contract of algorithms, detectors and hosts; schema, group, trace',
    mayImport: [],
    isPure: true,
  },
  algorithms: { contains: 'one file for each election', mayImport: ['core'], isPure: true },
  detectors: { contains: 'one file for each failure detector', mayImport: ['core'], isPure: true },
  // Hosts know the contract, never an algorithm or a detector by name.
  sim: { contains: 'the simulator and the stepper', mayImport: ['core'], isPure: true },
  check: { contains: 'the model checker', mayImport: ['core'], isPure: true },
  explore: {
    contains:
      'the checks of each algorithm, their reports and traces, and a walk through the states',
    mayImport: ['core', 'algorithms', 'sim', 'check'],
    isPure: true,
  },
  diagram: {
    contains: 'the space-time diagram of a run',
    mayImport: ['core', 'sim'],
    isPure: true,
  },
  // Below everything that runs in real time, so that none of it has a sleep or a clock of its own.
  clock: { contains: 'the monotonic clock, its timers, the abortable sleep', mayImport: [] },
  live: {
    contains: 'records and timeline of a running group; runs in Node and in a browser',
    mayImport: ['core', 'clock'],
  },
  transports: {
    contains: 'TCP with TLS or a pre-shared key; memory; one port that many groups share',
    mayImport: ['core', 'clock'],
  },
  stores: { contains: 'stable fields in a file or in memory', mayImport: ['core', 'clock'] },
  engines: {
    contains: 'etcd, PostgreSQL, MySQL, NATS, Redis, Kubernetes, memory',
    mayImport: ['core', 'clock'],
  },
  runtime: {
    contains: 'the production host: `join`, `open`, terms, leases, status over HTTP',
    mayImport: ['core', 'clock', 'transports', 'stores', 'engines'],
  },
  fence: { contains: 'the check that a protected resource runs', mayImport: ['core', 'runtime'] },
  telemetry: {
    contains: 'metrics and spans of a member through OpenTelemetry',
    mayImport: ['core', 'clock', 'runtime'],
  },
  cron: {
    contains: 'jobs that run once for each tick of a cron expression',
    mayImport: ['core', 'clock', 'runtime', 'fence', 'engines'],
  },
  [ENTRY]: {
    contains: 'the main entry point of the package',
    mayImport: ['core', 'algorithms', 'detectors', 'runtime', 'transports', 'stores', 'engines'],
  },
  nest: { contains: 'a module and a decorator for NestJS', mayImport: [ENTRY] },
  testing: {
    contains: 'what users test their services with: processes, fault proxies, namespaces',
    mayImport: ['core', 'clock', 'transports', 'stores', 'runtime', ENTRY],
  },
  cli: {
    contains: 'the `bellwether` command',
    mayImport: [
      'core',
      'algorithms',
      'detectors',
      'sim',
      'check',
      'explore',
      'diagram',
      'clock',
      'live',
      'transports',
      'stores',
      'engines',
      'runtime',
      'fence',
      ENTRY,
      'testing',
    ],
  },
}

/** The web page. It imports only folders of `src` that run in a browser. */
export const LAB: Layer = {
  contains: 'the web page that simulates, teaches and shows live groups',
  mayImport: ['core', 'algorithms', 'detectors', 'sim', 'check', 'explore', 'diagram', 'live'],
}

/** What `bellwether reproduce` runs. It imports the package by its public name, as any user does. */
export const EXPERIMENTS = {
  contains: 'the claims of the documents, measured',
  /** The one package of others: it renders PNG, and the report does without it where it is missing. */
  packages: ['@resvg/resvg-js'],
}

/** Packages that the user installs. An engine, or a scheduled job, loads its own when it is used, and never before. */
export const OPTIONAL_PEERS: Readonly<Record<string, readonly string[]>> = {
  'src/engines/mysql.ts': ['mysql2/promise'],
  'src/engines/postgres.ts': ['pg'],
  'src/engines/redis.ts': ['@redis/client'],
  'src/cron/schedule.ts': ['croner'],
  'src/engines/nats.ts': ['@nats-io/transport-node', '@nats-io/jetstream', '@nats-io/kv'],
}

/** What an entry point of its own imports: a user of the entry point installs it. */
export const ENTRY_PACKAGES: Readonly<Record<string, readonly string[]>> = {
  telemetry: ['@opentelemetry/api'],
}
