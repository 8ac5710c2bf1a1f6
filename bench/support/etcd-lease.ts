/** Starts processes that elect by a lease of etcd (etcd-lease-member.js), kills their leader, and measures the time until the next leads. */
import type { ChildProcess } from 'node:child_process'
import { until } from '../../src/testing/wait.ts'
import { now, startProgram } from './failover.ts'

interface Line {
  readonly at: string
  readonly node: string
  readonly ttl: number
}

export class LeaseElection {
  private readonly url: string
  private readonly ttl: number
  private readonly children = new Map<string, ChildProcess>()
  private readonly lines: Line[] = []
  private started = 0

  constructor(url: string, members: number, ttl: number) {
    this.url = url
    this.ttl = ttl
    for (let i = 0; i < members; i++) this.start()
  }

  /** The time to live that the server granted. */
  get granted(): number {
    return this.lines[0]?.ttl ?? NaN
  }

  /** How many elections there were. */
  get terms(): number {
    return this.lines.length
  }

  async leader(): Promise<string> {
    return until(() => {
      const node = this.lines.at(-1)?.node
      return node !== undefined && this.children.has(node) ? node : undefined
    }, 'the usual election')
  }

  /** Milliseconds from `kill -9` of the leader until the next one knows that it leads. */
  async failLeader(): Promise<number> {
    const leader = await this.leader()
    const before = this.lines.length
    const started = now()
    this.children.get(leader)!.kill('SIGKILL')
    this.children.delete(leader)
    const next = await until(() => this.lines[before], 'the next leader')
    this.start()
    return Number(BigInt(next.at)) / 1e6 - started
  }

  close(): void {
    for (const child of this.children.values()) child.kill('SIGKILL')
  }

  private start(): void {
    const node = `m${(this.started += 1)}`
    const args = [node, this.url, String(this.ttl)]
    this.children.set(node, startProgram('./etcd-lease-member.js', args, this.lines))
  }
}
