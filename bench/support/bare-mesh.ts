/** A mesh of bare members, started, killed once, ended. */
import { spawn, type ChildProcess } from 'node:child_process'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { freePorts } from '../../src/testing/local-cluster.ts'
import { until } from '../../src/testing/wait.ts'

interface Line {
  readonly at: string
  readonly node: number
  readonly pid: number
  readonly leader: number
}

const program = fileURLToPath(new URL('./bare-member.js', import.meta.url))

/** Milliseconds from `kill -9` of the leader until all survivors know the next one. */
export async function bareFailover(members: number): Promise<number> {
  const ports = await freePorts(members)
  const lines: Line[] = []
  const children = ports.map((_, i) => start(i, ports, lines))
  try {
    await until(() => known(lines, members - 1).size === members, 'the mesh')
    const started = process.hrtime.bigint()
    children[members - 1].kill('SIGKILL')
    await until(() => known(lines, members - 2).size === members - 1, 'the next leader')
    const last = Math.max(...known(lines, members - 2).values())
    return last - Number(started) / 1e6
  } finally {
    for (const child of children) child.kill('SIGKILL')
  }
}

/** When each first named this leader, in milliseconds. */
function known(lines: readonly Line[], leader: number): Map<number, number> {
  const first = new Map<number, number>()
  for (const line of lines) {
    if (line.leader === leader && !first.has(line.node)) {
      first.set(line.node, Number(BigInt(line.at)) / 1e6)
    }
  }
  return first
}

function start(me: number, ports: readonly number[], lines: Line[]): ChildProcess {
  const child = spawn(process.execPath, [program, String(me), ports.join(',')], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  createInterface({ input: child.stdout }).on('line', (line) => {
    lines.push(JSON.parse(line) as Line)
  })
  return child
}
