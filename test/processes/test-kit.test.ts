/** The test kit of bellwether/testing as a user has it: real members of the built package, with faults. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join as joinPath } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { join } from '../../src/index.ts'
import { freePorts } from '../../src/testing/local-cluster.ts'
import { FaultMesh, MemoryHub, MemoryStore, Processes } from '../../src/testing/index.ts'
import { program } from '../../scripts/support/test-cluster.ts'
import { until } from '../../src/testing/wait.ts'

const state = mkdtempSync(joinPath(tmpdir(), 'bellwether-kit-'))
afterAll(() => rmSync(state, { recursive: true, force: true }))

test('members of one process elect a leader over a transport in memory, without a socket or a file', async () => {
  const hub = new MemoryHub()
  const members = { a: 'a:1', b: 'b:1', c: 'c:1' }
  const all = await Promise.all(
    Object.keys(members).map(async (id) =>
      join({
        group: 'test',
        id,
        members,
        transport: hub,
        state: new MemoryStore(),
        timing: { detection: 300 },
      }),
    ),
  )
  const leader = await until(() => all.find((one) => one.current !== null))
  await leader.close()
  await until(() => all.some((one) => one !== leader && one.current !== null))
  await Promise.all(all.map(async (one) => one.close()))
})

test('real members are started, paused, resumed, parted, killed and stopped', async () => {
  const names = ['a', 'b', 'c']
  const ports = await freePorts(3)
  const members = names.map((id, i) => ({ id, address: `127.0.0.1:${ports[i]}` }))
  await using mesh = await FaultMesh.open(members)
  await using processes = new Processes((id) => {
    const seen = JSON.stringify(mesh.peersFor(id))
    const own = ['--id', id, '--members', seen, '--state', state]
    const timing = ['--detection', '600ms']
    return { command: process.execPath, args: [program, 'node', ...own, ...timing] }
  })
  const leads = (name: string): number => processes.output(name).split(`${name} leads, `).length - 1
  for (const name of names) await processes.start(name)
  await expect(processes.start('a')).rejects.toThrow('a runs already')
  await until(() => leads('c') === 1, 'c to lead')

  processes.pause('c')
  await until(() => leads('b') === 1, 'b to lead while c is paused')
  processes.resume('c')
  await until(() => processes.output('c').includes('no longer leads: paused'))

  mesh.partition(['a', 'c'], ['b'])
  await until(() => processes.output('b').includes('no longer leads'), 'b to lose its majority')
  await until(() => leads('a') + leads('c') === 2, 'another to lead')
  mesh.heal()

  await processes.kill('c')
  expect(processes.isRunning('c')).toBe(false)
  expect(() => processes.pause('c')).toThrow('c does not run')
  await processes.stop('a')
  await processes.start('c')
  await until(() => leads('a') + leads('b') + leads('c') > 3, 'a leader again')
  await processes.close()
  expect(names.some((name) => processes.isRunning(name))).toBe(false)
})
