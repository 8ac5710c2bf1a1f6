/** Tests that connections without a request do not keep the status of a member from being read. */
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { Cluster } from '../../../test/support/members.ts'
import { parseAddress } from '../../transports/address.ts'
import { StatusServer } from './status-server.ts'

/** A connection that sends the beginning of a request and no more. */
async function halfOpen(address: string): Promise<Socket> {
  const socket = connect(parseAddress(address))
  socket.on('error', () => undefined)
  await once(socket, 'connect')
  socket.write('GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow: ')
  return socket
}

async function healthMs(server: StatusServer): Promise<number> {
  const started = performance.now()
  const signal = AbortSignal.timeout(10_000)
  const { status } = await fetch(`http://${server.address}/healthz`, { signal })
  expect(status).toBe(200)
  return performance.now() - started
}

test('hundreds of half-open requests silence neither /healthz nor a subscriber, and end soon', async () => {
  const cluster = new Cluster(['a'])
  const election = await cluster.start('a')
  const server = await StatusServer.open(election, { listen: '127.0.0.1:0' })
  const sockets: Socket[] = []
  const end = new AbortController()
  try {
    const events = await fetch(`http://${server.address}/events`, { signal: end.signal })
    for (let i = 0; i < 400; i++) sockets.push(await halfOpen(server.address))
    const times: number[] = []
    for (let i = 0; i < 10; i++) {
      times.push(await healthMs(server))
      for (let j = 0; j < 20; j++) sockets.push(await halfOpen(server.address))
    }
    // On a busy machine one may be slow; most are not.
    expect(times.toSorted((x, y) => x - y)[5]).toBeLessThan(1000)
    expect(Math.max(...times)).toBeLessThan(5000)
    const open = (): number => sockets.filter(({ destroyed }) => !destroyed).length
    expect(open()).toBeLessThan(200)
    for (let i = 0; i < 80 && open() > 0; i++) await sleep(100)
    expect(open()).toBe(0)
    const reader = events.body!.getReader()
    expect(new TextDecoder().decode((await reader.read()).value)).toContain('event: status')
    await election.stepDown().catch(() => undefined)
    expect((await reader.read()).done).toBe(false)
  } finally {
    end.abort()
    for (const socket of sockets) socket.destroy()
    await server.close()
  }
})
