/** Lists what is measured beside bellwether, with the program of its candidates, its settings, and its server. */
import type { ServerName } from '../../scripts/support/servers.ts'

export interface Rival {
  readonly name: string
  /** What a reader needs to know about its settings. */
  readonly how: string
  /** In this folder. */
  readonly program: string
  readonly settings: object
  /** Whether every candidate knows who leads. */
  readonly observes: boolean
  /** Whether it keeps state in a folder, which is on the disk. */
  readonly hasState?: boolean
  readonly server?: ServerName
  readonly serverFlags?: readonly string[]
  /** Whether npm must install packages of this folder first. */
  readonly needsPackages?: boolean
  /** How long agreement must last before a kill, and by how much kills differ in time from it. */
  readonly settleMs: number
  readonly jitterMs: number
}

const QUICK = { observes: true, settleMs: 1000, jitterMs: 200 }

export const LIMIT: Rival = {
  ...QUICK,
  name: 'bare mesh',
  how: 'plain sockets, no promise, no state: the limit',
  program: './bare-mesh.js',
  settings: {},
}

function bellwether(name: string, how: string, settings: object): Rival {
  return { ...QUICK, name, how, program: './bellwether.js', settings, hasState: true }
}

export const ADVISORY = bellwether('bellwether, advisory', 'state on the disk', {
  safety: 'advisory',
})
export const QUORUM = bellwether(
  'bellwether, quorum, `trustRefusals`',
  'votes on the disk; a refused dial ends the lease',
  { safety: 'quorum', trustRefusals: true },
)

/** The same time to live for all: the smallest that etcd has. */
const TTL = { ttlMs: 1000, renewMs: 333, retryMs: 50 }
const SLOW = { observes: true, settleMs: 1000, jitterMs: 1000 }

/**
 * Times to live are whole seconds, and the server raises what is shorter than one and a half of its own election
 * time-outs: with its defaults to 2 s. This one is set so that it grants the smallest there is.
 */
export const ETCD: Rival = {
  ...SLOW,
  name: 'etcd',
  how: 'lease of 1 s, the smallest; needs a server',
  program: './etcd.js',
  settings: { ttl: 1 },
  server: 'etcd',
  serverFlags: ['--heartbeat-interval', '50', '--election-timeout', '500'],
  observes: false,
}

/** They wait for time-outs: they are measured at the same time, after those that take milliseconds. */
export const OTHERS: readonly Rival[] = [
  bellwether('bellwether, quorum (default)', 'votes on the disk; waits for the lease', {
    safety: 'quorum',
  }),
  {
    ...SLOW,
    name: 'npm `bully` 0.2.3',
    how: 'its defaults: time-out 1 s, a ping every 3 s',
    program: './bully.js',
    settings: { timeout: 1000 },
    needsPackages: true,
    settleMs: 4000,
    jitterMs: 3000,
  },
  {
    ...SLOW,
    name: 'Raft (npm `@markwylde/liferaft` 1.4.0)',
    how: 'its defaults: election time-out 150–300 ms, heartbeat 50 ms; nothing is stored',
    program: './raft.js',
    settings: { 'election min': 150, 'election max': 300, heartbeat: 50 },
    needsPackages: true,
  },
  {
    ...SLOW,
    name: 'PostgreSQL',
    how: 'waits for `pg_advisory_lock`; needs a server',
    program: './postgres.js',
    settings: {},
    server: 'postgres',
    observes: false,
  },
  {
    ...SLOW,
    name: 'Redis',
    how: '`SET NX PX`, 1 s, tried every 50 ms; needs a server',
    program: './redis.js',
    settings: TTL,
    server: 'redis',
  },
  {
    ...SLOW,
    name: 'NATS',
    how: 'key with a time to live of 1 s, tried every 50 ms; needs a server',
    program: './nats.js',
    settings: TTL,
    server: 'nats',
  },
  ETCD,
]
