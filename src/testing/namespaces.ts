/**
 * Gives each member a Linux network namespace behind a router that can drop the packets from one member to another,
 * separately for each direction. The effects of a cut on TCP (retransmission, connections that only one side considers
 * open) are those of the kernel.
 *
 * Needs root and the commands `ip` and `nsenter`. `whyUnavailable` says what is missing.
 *
 *     using net = Namespaces.open(['a', 'b', 'c'])
 *     spawn(...net.enter('a'), process.execPath, 'member.js', net.hostOf('a'))
 *     net.cut('a', 'b'); net.heal()
 */
import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync } from 'node:fs'

const FOLDER = '/run/netns'
const PREFIX = 'bellwether'

let opened = 0

export class Namespaces implements Disposable {
  private readonly places: ReadonlyMap<string, number>
  private readonly prefix: string
  private readonly router: string
  private readonly cuts = new Set<string>()
  private closed = false

  private constructor(members: readonly string[]) {
    this.places = new Map(members.map((member, i) => [member, i + 1]))
    this.prefix = `${PREFIX}-${process.pid}-${++opened}`
    this.router = `${this.prefix}-router`
  }

  /** Why this machine cannot have namespaces; undefined if it can. */
  static whyUnavailable(): string | undefined {
    if (process.platform !== 'linux') return 'only Linux has network namespaces'
    if (process.getuid?.() !== 0) return 'only root can make network namespaces'
    try {
      execFileSync('ip', ['netns', 'list'], { stdio: 'ignore' })
      execFileSync('nsenter', ['--net=/proc/self/ns/net', 'true'], { stdio: 'ignore' })
    } catch {
      return 'the commands ip (iproute2) and nsenter (util-linux) are missing or may not be used'
    }
    return undefined
  }

  /** Up to 250 members. Removes the namespaces of processes that were killed first. */
  static open(members: readonly string[]): Namespaces {
    if (members.length > 250)
      throw new RangeError('at most 250 members have a network of their own')
    sweep()
    const net = new Namespaces(members)
    try {
      net.build()
    } catch (error) {
      net.close()
      throw error
    }
    return net
  }

  hostOf(member: string): string {
    return `10.77.${this.placeOf(member)}.2`
  }

  /** The command that runs what follows it in a member's network, under the same process id. */
  enter(member: string): [string, ...string[]] {
    return ['nsenter', `--net=${FOLDER}/${this.nameOf(member)}`]
  }

  cutOneWay(from: string, to: string): void {
    this.dropPackets([[from, to]])
  }

  cut(a: string, b: string): void {
    this.dropPackets([
      [a, b],
      [b, a],
    ])
  }

  /** Only members of one part reach each other. A member in no part reaches no other. */
  partition(...parts: readonly (readonly string[])[]): void {
    const names = [...this.places.keys()]
    const pairs = names.flatMap((from) => names.map((to) => [from, to] as const))
    const together = (from: string, to: string): boolean =>
      parts.some((part) => part.includes(from) && part.includes(to))
    this.dropPackets(pairs.filter(([from, to]) => !together(from, to)))
  }

  heal(): void {
    const rules = [...this.cuts].map((way) => `rule del ${way} prio 100 blackhole`)
    batch(rules, this.router)
    this.cuts.clear()
  }

  /** End the processes in the namespaces first: they would keep their networks. */
  close(): void {
    if (this.closed) return
    this.closed = true
    for (const name of readdirSync(FOLDER)) {
      if (name.startsWith(`${this.prefix}-`)) ip(['netns', 'del', name])
    }
  }

  [Symbol.dispose](): void {
    this.close()
  }

  /** One command for all pairs. */
  private dropPackets(pairs: readonly (readonly [string, string])[]): void {
    const ways = pairs
      .filter(([from, to]) => from !== to)
      .map(([from, to]) => `from ${this.hostOf(from)} to ${this.hostOf(to)}`)
      .filter((way) => !this.cuts.has(way))
    const rules = ways.map((way) => `rule add ${way} prio 100 blackhole`)
    batch(rules, this.router)
    for (const way of ways) this.cuts.add(way)
  }

  private build(): void {
    ip(['netns', 'add', this.router])
    for (const member of this.places.keys()) ip(['netns', 'add', this.nameOf(member)])
    const wires = [...this.places].flatMap(([member, place]) => [
      `link add v${place} type veth peer name eth0 netns ${this.nameOf(member)}`,
      `addr add 10.77.${place}.1/30 dev v${place}`,
      `link set v${place} up`,
    ])
    batch([...wires, 'link set lo up'], this.router)
    for (const [member, place] of this.places) {
      const own = ['link set lo up', `addr add 10.77.${place}.2/30 dev eth0`, 'link set eth0 up']
      batch([...own, `route add default via 10.77.${place}.1`], this.nameOf(member))
    }
    const forward = 'echo 1 > /proc/sys/net/ipv4/ip_forward'
    execFileSync('nsenter', [`--net=${FOLDER}/${this.router}`, 'sh', '-c', forward])
  }

  private nameOf(member: string): string {
    return `${this.prefix}-${this.placeOf(member)}`
  }

  private placeOf(member: string): number {
    const place = this.places.get(member)
    if (place === undefined) throw new RangeError(`${member} is not a member`)
    return place
  }
}

function ip(args: readonly string[], input = ''): void {
  execFileSync('ip', args, { input, stdio: ['pipe', 'ignore', 'pipe'] })
}

function batch(lines: readonly string[], namespace: string): void {
  if (lines.length > 0) ip(['-n', namespace, '-batch', '-'], `${lines.join('\n')}\n`)
}

function sweep(): void {
  if (!existsSync(FOLDER)) return
  for (const name of readdirSync(FOLDER)) {
    const owner = new RegExp(`^${PREFIX}-(\\d+)-`, 'u').exec(name)?.[1]
    if (owner !== undefined && !existsSync(`/proc/${owner}`)) ip(['netns', 'del', name])
  }
}
