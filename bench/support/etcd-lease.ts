/** Processes that elect by a lease of etcd: started, the leader killed, replaced. */
import { spawn, type ChildProcess } from 'node:child_process'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { until } from '../../src/testing/wait.ts'

interface Line {
  readonly at: string
  readonly node: string
  readonly ttl: number
}

const program = fileURLToPath(new URL('./etcd-lease-member.js', import.meta.url))

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

  /** How many times somebody was elected. */
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
  async strike(): Promise<number> {
    const leader = await this.leader()
    const before = this.lines.length
    const started = Number(process.hrtime.bigint()) / 1e6
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
    const child = spawn(process.execPath, [program, node, this.url, String(this.ttl)], {
      stdio: ['pipe', 'pipe', 'inherit'],
    })
    createInterface({ input: child.stdout }).on('line', (line) => {
      this.lines.push(JSON.parse(line) as Line)
    })
    this.children.set(node, child)
  }
}
