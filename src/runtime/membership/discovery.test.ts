import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join as joinPath } from 'node:path'
import { describe, expect, test } from 'vitest'
import { join, type JoinOptions, type Seeds } from '../../index.ts'
import { MemoryStore } from '../../stores/memory.ts'
import { MemoryHub } from '../../transports/memory.ts'
import { JOIN_OPTIONS } from '../options/option-table.ts'
import { addressesAt } from './seed-addresses.ts'
import { findGroup } from './discovery.ts'

const check = (seeds: unknown) => JOIN_OPTIONS.seeds.check(seeds, 'seeds')

describe('seeds', () => {
  test('are addresses, names in the DNS, services and files, one or several', () => {
    expect(
      check('10.0.0.1:7400, dns:web.internal:7400,dns+srv:_b._tcp.web,file:/etc/seeds'),
    ).toEqual([
      { kind: 'address', address: '10.0.0.1:7400' },
      { kind: 'dns', name: 'web.internal', port: 7400 },
      { kind: 'dns+srv', name: '_b._tcp.web' },
      { kind: 'file', path: '/etc/seeds' },
    ])
    expect(check(['[::1]:7400', 'dns:7400'])).toEqual([
      { kind: 'address', address: '[::1]:7400' },
      { kind: 'address', address: 'dns:7400' },
    ])
  })

  test('that are none of these are refused with what is possible', () => {
    expect(() => check('web')).toThrow('seeds: must be host:port')
    expect(() => check('dns:web:port')).toThrow('seeds: must be host:port')
    expect(() => check([])).toThrow('seeds: must be HOST:PORT, dns:NAME:PORT')
    expect(() => check([1])).toThrow('dns+srv:NAME or file:PATH, not 1')
  })

  test('lead to the addresses of the moment, or to why there are none', async () => {
    const folder = mkdtempSync(joinPath(tmpdir(), 'bellwether-seeds-'))
    try {
      const path = joinPath(folder, 'seeds')
      const at = async (seeds: Seeds) => addressesAt(check(seeds)[0])
      expect(await at(`file:${path}`)).toEqual({
        addresses: [],
        problem: `${path}: there is no such file`,
      })
      writeFileSync(path, '# none\n')
      expect(await at(`file:${path}`)).toEqual({ addresses: [], problem: `${path}: is empty` })
      writeFileSync(path, 'a=10.0.0.1:1, 10.0.0.2:2\n[::1]:3 # the third\n')
      expect((await at(`file:${path}`)).addresses).toEqual(['10.0.0.1:1', '10.0.0.2:2', '[::1]:3'])
      writeFileSync(path, 'nonsense\n')
      expect((await at(`file:${path}`)).problem).toContain('give host:port')
      expect(await at(async () => Promise.resolve(['h:1']))).toEqual({ addresses: ['h:1'] })
      expect((await at('dns:localhost:7')).addresses).toContain('127.0.0.1:7')
    } finally {
      rmSync(folder, { recursive: true })
    }
  })
})

describe('a process that knows a seed', () => {
  const hub = new MemoryHub()
  const optionsOf = (id: string): JoinOptions => ({
    group: 'g',
    id,
    transport: hub,
    state: new MemoryStore(),
  })
  const members = { a: 'a:1', b: { address: 'b:1', priority: 3 } }

  test('joins with the members, addresses and options of the group, and its own where it has them', async () => {
    const preemption = { after: '1s', maxPerHour: 2 }
    const given = { ...optionsOf('a'), members, timing: { detection: 600 }, preemption }
    await using a = await join(given)
    const seeds = (): string[] => [a.address]
    await using b = await join({ ...optionsOf('b'), seeds })
    expect((await b.ready()).leader).toBe((await a.ready()).leader)
    expect(b.members).toMatchObject([
      { id: 'a', role: 'voter', seat: 1, address: 'a:1', priority: 0 },
      { id: 'b', role: 'voter', seat: 2, address: 'b:1', priority: 3, seen: 0 },
    ])
    const found = await findGroup(check(seeds), 'g', hub)
    expect(found).toMatchObject({
      address: 'a:1',
      options: {
        safety: 'quorum',
        preemption: { after: 1000, stableFor: 10_000, maxPerHour: 2 },
        timing: { detection: 600 },
      },
    })
    await expect(join({ ...optionsOf('b'), seeds, members })).rejects.toThrow(
      'members or seeds, not both',
    )
  })

  test('is told why no member answers, and stops to ask when its signal is aborted', async () => {
    const given = { ...optionsOf('b'), seeds: ['x:1', 'y:1'] }
    expect(await findGroup(check(given.seeds), 'g', hub)).toBe(
      'no member of the group g answers at its seeds: x:1: no process listens there; y:1: no process listens there',
    )
    const stop = new AbortController()
    const joining = join({ ...given, signal: stop.signal })
    stop.abort(new Error('enough'))
    await expect(joining).rejects.toThrow('enough')
  })
})
