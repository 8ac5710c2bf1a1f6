/** Members over real TCP whose frames are lost, duplicated, reordered, delayed, corrupted or stalled. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join as joinPath } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, describe, expect, test } from 'vitest'
import { freePorts } from '../../src/testing/local-cluster.ts'
import { join, tcp, type Election, type JoinOptions } from '../../src/index.ts'
import { FaultMesh, MemoryStore, type Faults } from '../../src/testing/index.ts'
import { leaderOf } from '../support/members.ts'
import { until } from '../../src/testing/wait.ts'

const opened: Election[] = []
const ends: (() => unknown)[] = []
afterEach(async () => {
  await Promise.all(opened.splice(0).map(async (election) => election.close({ drain: 0 })))
  for (const end of ends.splice(0)) await end()
})

async function start(options: JoinOptions): Promise<Election> {
  const election = await join(options)
  opened.push(election)
  return election
}

function agreed(members: readonly Election[]): string | undefined {
  const [first, ...rest] = members.map(({ view }) => leaderOf(view))
  return rest.every((leader) => leader === first) ? first : undefined
}

/** Members that reach each other through fault proxies only, and whether two ever held at once. */
async function meshed(names: readonly string[], detection: string) {
  const ports = await freePorts(names.length)
  const peers = names.map((id, i) => ({ id, address: `127.0.0.1:${ports[i]}` }))
  const mesh = await FaultMesh.open(peers, { seed: 5 })
  ends.push(async () => mesh.close())
  const members: Election[] = []
  const together: string[] = []
  for (const { id, address } of peers) {
    const seen = Object.fromEntries(mesh.peersFor(id).map((peer) => [peer.id, peer.address]))
    const options = { group: 'mesh', id, members: seen, listen: address, timing: { detection } }
    const election = await start({ ...options, state: new MemoryStore() })
    members.push(election)
    election.on('elected', ({ term }) => {
      const other = members.find((one) => one !== election && one.current !== null)
      if (other !== undefined) together.push(`${id} in ${term} beside ${other.id}`)
    })
  }
  await until(() => agreed(members), 'a first leader')
  return { mesh, members, together }
}

const FAULTS: readonly (readonly [string, Partial<Faults>])[] = [
  ['1 % of all frames are lost', { loss: 0.01 }],
  ['30 % of all frames are lost', { loss: 0.3 }],
  ['half of all frames come twice', { duplicate: 0.5 }],
  ['frames overtake each other', { reorder: 0.5 }],
  ['frames take ten times as long as they are thought to', { delayMs: [150, 300] }],
  ['one frame in twenty is corrupted', { corrupt: 0.05 }],
]

describe('links on which', () => {
  test.each(FAULTS)('%s: never two at once, and all agree when it is over', async (_, faults) => {
    const { mesh, members, together } = await meshed(['a', 'b', 'c'], '300ms')
    mesh.setAll(faults)
    await sleep(1200)
    // The leader, if there is one, steps down during the faults.
    await members.find(({ current }) => current !== null)?.stepDown()
    await sleep(1200)
    mesh.heal()
    await until(() => agreed(members), 'agreement after the faults')
    expect(together).toEqual([])
  })

  test('everything is held up at random: never two at once, and all agree when it is over', async () => {
    const { mesh, members, together } = await meshed(['a', 'b', 'c'], '300ms')
    const names = members.map(({ id }) => id)
    for (let i = 0; i < 10; i++) {
      const [from, to] = [names[i % 3], names[(i + 1 + (i % 2)) % 3]]
      mesh.set(from, to, { stall: true })
      await sleep(100 + 40 * i)
      mesh.set(from, to, { stall: false })
    }
    mesh.heal()
    await until(() => agreed(members), 'agreement after the stalls')
    expect(together).toEqual([])
  })
})

test('50 members start at once: one leader, with no more than ten frames for each pair', async () => {
  const names = Array.from({ length: 50 }, (_, i) => `m${String(i + 1).padStart(2, '0')}`)
  const ports = await freePorts(50)
  const state = mkdtempSync(joinPath(tmpdir(), 'bellwether-crowd-'))
  ends.push(() => rmSync(state, { recursive: true, force: true }))
  const members = Object.fromEntries(names.map((name, i) => [name, `127.0.0.1:${ports[i]}`]))
  // They share one loop here, which is as slow as 50 of them make it: nobody is to be called late.
  const transport = tcp({ limits: { handshakeMs: 40_000 } })
  const options = { group: 'crowd', members, state, transport, timing: { detection: '30s' } }
  const all = await Promise.all(names.map(async (id) => start({ ...options, id })))
  const leader = await until(() => agreed(all), 'a leader of 50', 50_000)
  expect(names).toContain(leader)
  const sent = all.reduce((sum, { counters }) => sum + counters['framesSent'], 0)
  expect(sent).toBeLessThan((10 * 50 * 49) / 2)
  expect(all.filter(({ current }) => current !== null)).toHaveLength(1)
})
