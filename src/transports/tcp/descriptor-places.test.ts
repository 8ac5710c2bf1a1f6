import { readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { expect, test } from 'vitest'
import { until } from '../../testing/wait.ts'
import { tcp } from './tcp.ts'

const events = {
  connected: () => undefined,
  frame: () => undefined,
  lost: () => undefined,
  refused: () => undefined,
}
const LISTENING = '0A'

/** The descriptors of this process whose sockets have this local port: of the listener, and of connections. */
function descriptorsOf(port: number): { listener: number[]; connections: number[] } {
  const found = { listener: [] as number[], connections: [] as number[] }
  const sockets = new Map(
    readdirSync('/proc/self/fd').flatMap((fd) => {
      try {
        return [[readlinkSync(`/proc/self/fd/${fd}`), Number(fd)] as const]
      } catch {
        return [] // the descriptor of this listing
      }
    }),
  )
  for (const line of readFileSync('/proc/self/net/tcp', 'utf8').split('\n').slice(1)) {
    const [, local = '', , state, , , , , , inode] = line.trim().split(/\s+/u)
    const fd = sockets.get(`socket:[${inode}]`)
    if (fd === undefined || parseInt(local.split(':')[1], 16) !== port) continue
    found[state === LISTENING ? 'listener' : 'connections'].push(fd)
  }
  return found
}

test.runIf(process.platform === 'linux')(
  'the listener has a larger descriptor than every connection, and so is closed first when the process is killed',
  async () => {
    const open = async (id: string, peers: { id: string; address: string }[]) =>
      tcp().listen(
        { id, cluster: 'g', configuration: '', incarnation: 1 },
        '127.0.0.1:0',
        peers,
        events,
      )
    const names = ['b', 'c', 'd', 'e']
    const a = await open(
      'a',
      names.map((id) => ({ id, address: '127.0.0.1:1' })),
    )
    const others = await Promise.all(
      names.map(async (id) => open(id, [{ id: 'a', address: a.address }])),
    )
    for (const other of others) other.probe('a')
    const port = Number(a.address.split(':')[1])
    await until(() => descriptorsOf(port).connections.length === 4)
    const { listener, connections } = descriptorsOf(port)
    expect(listener).toHaveLength(1)
    expect(listener[0]).toBeGreaterThan(Math.max(...connections))
    await Promise.all([a, ...others].map(async (endpoint) => endpoint.close()))
  },
)
