/** Starts a mesh of processes with plain sockets (bare-member.js), kills their leader, and measures the time until all survivors know the next. */
import { freePorts } from '../../src/testing/local-cluster.ts'
import { until } from '../../src/testing/wait.ts'
import { now, startProgram } from './failover.ts'

interface Line {
  readonly at: string
  readonly node: number
  readonly pid: number
  readonly leader: number
}

/** Milliseconds from `kill -9` of the leader until all survivors know the next one. */
export async function bareFailover(members: number): Promise<number> {
  const ports = await freePorts(members)
  const lines: Line[] = []
  const children = ports.map((_, i) => {
    return startProgram('./bare-member.js', [String(i), ports.join(',')], lines)
  })
  try {
    await until(() => known(lines, members - 1).size === members, 'the mesh')
    const started = now()
    children[members - 1].kill('SIGKILL')
    await until(() => known(lines, members - 2).size === members - 1, 'the next leader')
    const last = Math.max(...known(lines, members - 2).values())
    return last - started
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
