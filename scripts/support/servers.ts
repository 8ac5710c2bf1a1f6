/** Finds which servers are installed, and starts, kills, pauses and restarts them on loopback: etcd, MariaDB, NATS, PostgreSQL, Redis. */
import { execFileSync, spawn, type ChildProcess } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePorts } from '../../src/testing/local-cluster.ts'
import { etcd, mysql, nats, postgres, redis, type Engine } from '../../src/engines/index.ts'
import { until } from '../../src/testing/wait.ts'
import { childrenOf } from './linux-processes.ts'

export type ServerName = 'etcd' | 'mariadb' | 'nats' | 'postgres' | 'redis'
export const SERVER_NAMES: readonly ServerName[] = ['etcd', 'mariadb', 'nats', 'postgres', 'redis']

const POSTGRES_ROOT = '/usr/lib/postgresql'

function locate(name: string): string | undefined {
  const folders = (process.env['PATH'] ?? '').split(':')
  return [...folders, '/usr/sbin', '/usr/local/sbin', '/usr/bin', '/sbin']
    .map((folder) => join(folder, name))
    .find((path) => existsSync(path))
}

function postgresFolder(): string | undefined {
  if (!existsSync(POSTGRES_ROOT)) return locate('postgres')?.replace(/postgres$/u, '')
  const versions = readdirSync(POSTGRES_ROOT).filter((name) => /^\d+$/u.test(name))
  const newest = versions.toSorted((a, b) => Number(b) - Number(a))[0]
  return newest && join(POSTGRES_ROOT, newest, 'bin')
}

function programOf(name: ServerName): string | undefined {
  if (name === 'mariadb') return locate('mariadbd')
  if (name !== 'postgres') return locate(name === 'etcd' ? 'etcd' : `${name}-server`)
  const folder = postgresFolder()
  return folder && join(folder, 'postgres')
}

/**
 * Whether a server is installed. In continuous integration a missing one is a failure; elsewhere a warning is
 * printed, and the tests that need it count as skipped.
 */
export function has(name: ServerName): boolean {
  if (programOf(name) !== undefined) return true
  const sentence = `${name} is not installed: run scripts/ensure-debian.sh as root`
  if (process.env['CI'] === 'true') throw new Error(sentence)
  process.stderr.write(`\n*** SKIPPED: ${sentence} ***\n`)
  return false
}

export function installed(): ServerName[] {
  return SERVER_NAMES.filter(has)
}

/** Children of a server that was killed may still write for a moment. */
const GONE = { recursive: true, force: true, maxRetries: 10, retryDelay: 100 }

interface Command {
  readonly program: string
  readonly args: readonly string[]
}

/** PostgreSQL refuses to run as root: Debian's package made a user for it. */
function asPostgres(program: string, args: readonly string[]): Command {
  if (userInfo().uid !== 0) return { program, args }
  return {
    program: 'setpriv',
    args: ['--reuid=postgres', '--regid=postgres', '--clear-groups', '--', program, ...args],
  }
}

export class RealServer {
  readonly name: ServerName
  readonly port: number
  private readonly folder: string
  private readonly peerPort: number
  /** Makes the client that reaches it. */
  private reach = (address: string): Engine =>
    ({ etcd, mariadb: mysql, nats, postgres, redis })[this.name](this.url(address))
  private child: ChildProcess | null = null
  private complaint = ''

  private readonly more: readonly string[]

  private constructor(name: ServerName, port: number, peerPort: number, more: readonly string[]) {
    this.more = more
    this.name = name
    this.port = port
    this.peerPort = peerPort
    this.folder = mkdtempSync(join(tmpdir(), `bellwether-${name}-`))
  }

  /** `more`: further arguments of the program; `engine`: the client that they need. */
  static async open(
    name: ServerName,
    more: readonly string[] = [],
    engine?: (address: string) => Engine,
  ): Promise<RealServer> {
    const [port, peerPort] = await freePorts(2)
    const server = new RealServer(name, port, peerPort, more)
    if (engine !== undefined) server.reach = engine
    await server.start()
    return server
  }

  get address(): string {
    return `127.0.0.1:${this.port}`
  }

  /** The address for a member; `address` is that of a proxy before the server. */
  url(address = this.address): string {
    if (this.name === 'etcd') return `http://${address}`
    if (this.name === 'postgres') return `postgres://postgres@${address}/postgres`
    if (this.name === 'mariadb') return `mysql://root@${address}/test`
    return `${this.name}://${address}`
  }

  /** The same for the command line's --engine. */
  flag(address = this.address): string {
    return this.name === 'etcd' ? `etcd://${address}` : this.url(address)
  }

  engine(address = this.address): Engine {
    return this.reach(address)
  }

  /** Starts it with its stored data; resolves when it answers. */
  async start(engine = this.reach): Promise<void> {
    this.reach = engine
    if (this.child !== null) return
    if (this.name === 'postgres') this.makeCluster()
    else if (this.name === 'mariadb') this.makeDatabase()
    else mkdirSync(this.data, { recursive: true })
    const { program, args } = this.command()
    const child = spawn(program, [...args, ...this.more], { stdio: ['ignore', 'pipe', 'pipe'] })
    this.complaint = ''
    const listen = (chunk: Buffer): void => {
      this.complaint = `${this.complaint}${String(chunk)}`.slice(-4000)
    }
    child.stdout.on('data', listen)
    child.stderr.on('data', listen)
    child.on('exit', () => {
      if (this.child === child) this.child = null
    })
    this.child = child
    await this.ready()
  }

  /** As `kill -9`. */
  async kill(): Promise<void> {
    const { child } = this
    if (child === null) return
    this.resume()
    // PostgreSQL's own children end with it: SIGQUIT is its immediate, unclean end.
    child.kill(this.name === 'postgres' ? 'SIGQUIT' : 'SIGKILL')
    await until(() => child.exitCode !== null || child.signalCode !== null, `${this.name} to end`)
    this.child = null
  }

  /** PostgreSQL's work is done by children of the process that was started. */
  pause(): void {
    this.signal('SIGSTOP')
  }

  resume(): void {
    this.signal('SIGCONT')
  }

  async restart(kept: 'kept' | 'empty'): Promise<void> {
    await this.kill()
    if (kept === 'empty') rmSync(this.data, GONE)
    await this.start()
  }

  async close(): Promise<void> {
    await this.kill()
    rmSync(this.folder, GONE)
  }

  private get data(): string {
    return join(this.folder, 'data')
  }

  private signal(signal: NodeJS.Signals): void {
    for (const pid of this.pids()) {
      try {
        process.kill(pid, signal)
      } catch (error) {
        // It ended since it was listed.
        if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
      }
    }
  }

  private pids(): number[] {
    const pid = this.child?.pid
    if (pid === undefined) return []
    return [pid, ...childrenOf(pid)]
  }

  private command(): Command {
    const { port, data } = this
    const program = programOf(this.name)!
    switch (this.name) {
      case 'etcd': {
        const secure = this.more.includes('--cert-file')
        const client = `${secure ? 'https' : 'http'}://${this.address}`
        const peer = `http://127.0.0.1:${this.peerPort}`
        const urls = ['--listen-client-urls', client, '--advertise-client-urls', client]
        const peers = ['--listen-peer-urls', peer, '--initial-advertise-peer-urls', peer]
        const cluster = ['--initial-cluster', `default=${peer}`]
        return { program, args: ['--data-dir', data, ...urls, ...peers, ...cluster] }
      }
      case 'mariadb':
        return { program, args: [...this.mariadbArgs(), '--port', String(port)] }
      case 'nats':
        return { program, args: ['-a', '127.0.0.1', '-p', String(port), '-js', '-sd', data] }
      case 'redis': {
        // It keeps what it acknowledged: what it does not is for the tests that start it empty.
        const disk = ['--save', '', '--appendonly', 'yes', '--appendfsync', 'always']
        const where = ['--bind', '127.0.0.1', '--port', String(port), '--dir', data]
        return { program, args: [...where, ...disk] }
      }
      case 'postgres': {
        const settings = [
          `listen_addresses=127.0.0.1`,
          `unix_socket_directories=${this.folder}`,
          'max_connections=200',
          // A process that ends loses nothing that it wrote; tests stop no machines.
          'fsync=off',
        ]
        const args = ['-D', data, '-p', String(port), ...settings.flatMap((one) => ['-c', one])]
        return asPostgres(program, args)
      }
    }
  }

  private makeCluster(): void {
    if (existsSync(join(this.data, 'PG_VERSION'))) return
    if (userInfo().uid === 0) execFileSync('chown', ['-R', 'postgres:postgres', this.folder])
    const args = ['-D', this.data, '-A', 'trust', '-U', 'postgres', '-N', '--locale=C']
    const initdb = asPostgres(join(postgresFolder()!, 'initdb'), args)
    execFileSync(initdb.program, initdb.args, { stdio: 'pipe', cwd: tmpdir() })
  }

  private mariadbArgs(): string[] {
    return [
      '--no-defaults',
      `--datadir=${this.data}`,
      `--socket=${join(this.folder, 'socket')}`,
      '--bind-address=127.0.0.1',
      // Small files: a test starts it in a second.
      '--innodb-log-file-size=4M',
      '--innodb-buffer-pool-size=16M',
      ...(userInfo().uid === 0 ? ['--user=root'] : []),
    ]
  }

  private makeDatabase(): void {
    if (existsSync(join(this.data, 'mysql'))) return
    mkdirSync(this.data, { recursive: true })
    const install = locate('mariadb-install-db')!
    const login = '--auth-root-authentication-method=normal'
    execFileSync(install, [...this.mariadbArgs(), login], { stdio: 'pipe', cwd: tmpdir() })
  }

  private async ready(): Promise<void> {
    const started = performance.now()
    const engine = this.engine()
    try {
      for (;;) {
        if (this.child === null) throw new Error(`${this.name} ended: ${this.complaint}`)
        if (await accepts(this.port)) {
          const answer = await engine.read('ready?', AbortSignal.timeout(3000)).catch(() => null)
          if (answer !== null) return
        }
        if (performance.now() - started > 40_000) {
          throw new Error(`${this.name} does not answer: ${this.complaint}`)
        }
        await sleep(10)
      }
    } finally {
      await engine.close()
    }
  }
}

async function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    socket.on('connect', () => {
      socket.destroy()
      resolve(true)
    })
    socket.on('error', () => resolve(false))
  })
}
