import { describe, expect, test } from 'vitest'
import { Cluster, type Member } from '../../test/support/transports.ts'
import { MemoryHub } from './memory.ts'

const PEERS = ['a', 'b', 'c'].map((id) => ({ id, address: id }))

/** Three members on a hub that is stepped by hand. */
async function three(cluster: Cluster): Promise<{ hub: MemoryHub; members: Member[] }> {
  const hub = new MemoryHub({ schedule: () => {} })
  const members = await Promise.all(PEERS.map(({ id }) => cluster.start(hub, id, PEERS)))
  return { hub, members }
}

/** Runs a scene and then the hub, so that closing ends. */
async function scene(play: (hub: MemoryHub, ...members: Member[]) => void): Promise<void> {
  const cluster = new Cluster()
  const { hub, members } = await three(cluster)
  play(hub, ...members)
  const closed = cluster[Symbol.asyncDispose]()
  hub.run()
  await closed
}

describe('the hub', () => {
  test('delivers in the order of sending, over all members, and the same every time', async () => {
    const runs: unknown[] = []
    for (let run = 0; run < 2; run++) {
      await scene((hub, a, b, c) => {
        b.log.onFrame = (peer, payload) => b.endpoint.send(peer, ['b', payload])
        a.endpoint.send('b', 1)
        c.endpoint.send('b', 2)
        a.endpoint.send('c', 3)
        a.endpoint.send('b', 4)
        hub.run()
        runs.push([a.log.told, b.log.told, c.log.told])
        expect(b.log.frames()).toEqual([1, 2, 4])
        expect(a.log.frames()).toEqual([
          ['b', 1],
          ['b', 4],
        ])
      })
    }
    expect(runs[0]).toEqual(runs[1])
  })

  test('calls no event back during a send', async () => {
    await scene((hub, a, b) => {
      a.endpoint.send('b', 1)
      expect(b.log.told).toEqual([])
      hub.run()
      expect(b.log.frames()).toEqual([1])
    })
  })

  test('a cut reports no event and loses frames; after healing the link is as before', async () => {
    await scene((hub, a, b) => {
      a.endpoint.send('b', 1)
      hub.run()
      hub.cut('a', 'b')
      a.endpoint.send('b', 2)
      b.endpoint.send('a', 2)
      hub.run()
      expect([a.log.losses('b'), b.log.losses('a')]).toEqual([[], []])
      hub.heal('a', 'b')
      a.endpoint.send('b', 3)
      hub.run()
      expect(b.log.frames()).toEqual([1, 3])
      expect(a.log.frames()).toEqual([])
    })
  })

  test('a one-way cut lets the other direction through', async () => {
    await scene((hub, a, b) => {
      a.endpoint.send('b', 1)
      hub.run()
      hub.cut('a', 'b', 'one')
      a.endpoint.send('b', 2)
      b.endpoint.send('a', 3)
      hub.run()
      expect([b.log.frames(), a.log.frames()]).toEqual([[1], [3]])
    })
  })

  test('a dial across a cut is unreachable, and across a healed one it is not', async () => {
    await scene((hub, a, b) => {
      hub.cut('b', 'a', 'one')
      a.endpoint.probe('b')
      hub.run()
      expect(a.log.losses('b')).toEqual([{ kind: 'unreachable', cause: 'cut' }])
      hub.heal()
      a.endpoint.probe('b')
      hub.run()
      expect([a.log.connections('b'), b.log.connections('a')]).toEqual([[1], [1]])
    })
  })

  test('a crash closes the connections, unless a cut hides it, and then refuses', async () => {
    await scene((hub, a, b, c) => {
      a.endpoint.send('c', 1)
      b.endpoint.send('c', 1)
      hub.run()
      hub.cut('b', 'c')
      hub.crash('c')
      hub.run()
      expect(a.log.losses('c')).toEqual([{ kind: 'closed' }])
      expect(b.log.losses('c')).toEqual([])
      a.endpoint.probe('c')
      hub.run()
      expect(a.log.losses('c').at(-1)).toEqual({ kind: 'refused' })
      hub.heal()
      b.endpoint.send('c', 2)
      hub.run()
      expect(b.log.losses('c')).toEqual([{ kind: 'closed' }])
      expect(c.log.frames()).toEqual([1, 1])
    })
  })
})
