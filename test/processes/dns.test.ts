/** Members that know each other by host names, with a real DNS server and a network of their own each: an address changes, and the peers find it. */
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { Namespaces } from '../../src/testing/index.ts'
import { until } from '../../src/testing/wait.ts'
import { TestCluster } from '../../scripts/support/test-cluster.ts'

const missing = Namespaces.whyUnavailable()
if (missing !== undefined) process.stderr.write(`no DNS in networks of their own: ${missing}\n`)

const BRISK = ['--detection', '600ms', '--lease', '800ms']
const NAMES = ['a', 'b', 'c']
const DOMAIN = 'group.test'
const PORT = 7400
/** The name of all members, and the service that they give. */
const [ALL, SERVICE] = [`all.${DOMAIN}`, `_bellwether._tcp.${DOMAIN}`]
/** Where a member moves to, and where the DNS server is. */
const [ELSEWHERE, SERVER] = ['elsewhere', 'dns']

/** dnsmasq in a network of its own. */
class Dns implements Disposable {
  readonly resolver: string
  private readonly hosts: string
  private readonly folder = mkdtempSync(join(tmpdir(), 'bellwether-dns-'))
  private readonly net: Namespaces
  private readonly server: ChildProcess

  constructor(net: Namespaces, places: Readonly<Record<string, string>>) {
    this.net = net
    this.hosts = join(this.folder, 'hosts')
    this.resolver = join(this.folder, 'resolv.conf')
    writeFileSync(this.resolver, `nameserver ${net.hostOf(SERVER)}\noptions timeout:1\n`)
    this.write(places)
    const [command, ...enter] = net.enter(SERVER)
    const quiet = [
      '--keep-in-foreground',
      '--no-resolv',
      '--no-hosts',
      '--user=root',
      '--pid-file=',
    ]
    const local = [`--local=/${DOMAIN}/`, '--local-ttl=0', `--addn-hosts=${this.hosts}`]
    const services = NAMES.map((name) => `--srv-host=${SERVICE},${name}.${DOMAIN},${PORT}`)
    const at = ['--bind-interfaces', `--listen-address=${net.hostOf(SERVER)}`]
    this.server = spawn(command, [...enter, 'dnsmasq', ...quiet, ...local, ...services, ...at])
  }

  /** Gives each member the address of a place. */
  set(places: Readonly<Record<string, string>>): void {
    this.write(places)
    this.server.kill('SIGHUP')
  }

  [Symbol.dispose](): void {
    this.server.kill('SIGKILL')
    rmSync(this.folder, { recursive: true, force: true })
  }

  private write(places: Readonly<Record<string, string>>): void {
    const lines = Object.entries(places).map(
      ([name, place]) => `${this.net.hostOf(place)} ${name}.${DOMAIN} ${ALL}`,
    )
    writeFileSync(this.hosts, `${lines.join('\n')}\n`)
  }
}

/** Runs what follows with this file as /etc/resolv.conf. */
const resolvingBy = (file: string): string[] => [
  'unshare',
  '--mount',
  'sh',
  '-c',
  `mount --bind ${file} /etc/resolv.conf && exec "$@"`,
  'sh',
]

const LISTENER = `require('net').createServer((socket) => {
  socket.on('error', () => undefined)
  console.log(socket.remoteAddress.replace('::ffff:', ''))
}).listen(${PORT}, '0.0.0.0')`

/** The addresses from which this place is dialled, until both are among them. */
async function dialledFrom(net: Namespaces, place: string, wanted: readonly string[]) {
  const [command, ...enter] = net.enter(place)
  const listener = spawn(command, [...enter, process.execPath, '-e', LISTENER])
  let heard = ''
  listener.stdout.on('data', (chunk) => (heard += String(chunk)))
  try {
    await until(() => wanted.every((host) => heard.split('\n').includes(host)), 'dials', 20_000)
  } finally {
    listener.kill('SIGKILL')
    await once(listener, 'exit')
  }
}

test.skipIf(missing !== undefined)(
  'a member whose address changes in the DNS is dialled there by its peers, which keep their leader',
  async () => {
    using net = Namespaces.open([...NAMES, ELSEWHERE, SERVER])
    const places: Record<string, string> = { a: 'a', b: 'b', c: 'c' }
    using dns = new Dns(net, places)
    await using cluster = await TestCluster.open({
      members: 3,
      flags: [...BRISK, '--listen', `0.0.0.0:${PORT}`],
      flagsOf: () => ['--members', NAMES.map((name) => `${name}.${DOMAIN}:${PORT}`).join(',')],
      launch: () => ({ under: resolvingBy(dns.resolver) }),
      network: {
        hostOf: (name) => net.hostOf(name),
        enter: (name) => net.enter(places[name]),
        cut: (one, other) => net.cut(one, other),
        heal: () => net.heal(),
      },
    })
    const leader = await cluster.agreed(() => cluster.names)
    const [mover, other] = cluster.names.filter((name) => name !== leader)
    cluster.processes.stop(mover)
    await until(() => cluster.processes.conditionOf(mover) === 'dead')
    places[mover] = ELSEWHERE
    dns.set(places)
    await dialledFrom(net, ELSEWHERE, [net.hostOf(leader), net.hostOf(other)])
    cluster.processes.start(mover)
    expect(await cluster.agreed(() => cluster.names)).toBe(leader)
    // Its vote counts from there.
    cluster.processes.stop(other)
    await until(() => cluster.processes.conditionOf(other) === 'dead')
    expect(await cluster.agreed(() => [leader, mover])).toBe(leader)
    expect(cluster.of('lost')).toEqual([])
  },
)

test.skipIf(missing !== undefined).each([
  ['a name of all members', `dns:${ALL}:${PORT}`],
  ['a service', `dns+srv:${SERVICE}`],
])('a member that knows only %s in the DNS joins the running group', async (_what, seed) => {
  using net = Namespaces.open([...NAMES, SERVER])
  using dns = new Dns(net, { a: 'a', b: 'b', c: 'c' })
  const list = NAMES.map((name) => `${name}.${DOMAIN}:${PORT}`).join(',')
  await using cluster = await TestCluster.open({
    members: 3,
    flags: ['--listen', `0.0.0.0:${PORT}`],
    joinOf: (name) => (name === 'c' ? ['--join', seed] : ['--members', list, ...BRISK]),
    launch: () => ({ under: resolvingBy(dns.resolver) }),
    network: net,
  })
  const leader = await cluster.agreed(() => cluster.names)
  cluster.processes.stop(leader)
  await cluster.agreed(() => cluster.names.filter((name) => name !== leader), leader)
  expect(cluster.of('refused')).toEqual([])
})
