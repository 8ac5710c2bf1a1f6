/**
 * What the engine `kubernetes` sends and how it reads answers and failures, against a server of this test. Its conformance
 * is tested in conformance.test.ts, where KUBERNETES_API names a real API server.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { engineFrom } from '../../src/cli/options/engine-url.ts'
import { EngineError, kubernetes, type Engine, type Register } from '../../src/engines/index.ts'
import { until } from '../../src/testing/wait.ts'
import { LeaseServer, reply, statusOf } from '../support/kubernetes/lease-server.ts'

const soon = (ms = 5000): AbortSignal => AbortSignal.timeout(ms)
const claim = { holder: 'pod-1', metadata: { url: 'http://ü' } }
const LEASE = 'bellwether-jobs'
const PATH = `/apis/coordination.k8s.io/v1/namespaces/web/leases`

describe('the engine kubernetes', () => {
  let server: LeaseServer
  let folder: string
  let engine: Engine
  const ends: AbortController[] = []
  const file = (name: string): string => join(folder, name)
  const options = (): Parameters<typeof kubernetes>[0] => ({
    server: server.url,
    namespace: 'web',
    tokenFile: file('token'),
    caFile: file('ca.crt'),
  })

  beforeEach(async () => {
    server = await LeaseServer.open()
    folder = mkdtempSync(join(tmpdir(), 'bellwether-account-'))
    writeFileSync(file('token'), 'first\n')
    writeFileSync(file('ca.crt'), server.ca)
    engine = kubernetes(options())
  })
  afterEach(async () => {
    for (const end of ends.splice(0)) end.abort()
    await engine.close()
    await server.close()
    rmSync(folder, { recursive: true })
    vi.unstubAllEnvs()
  })

  async function taken(): Promise<Register> {
    return (await engine.take('jobs', await engine.read('jobs', soon()), claim, soon()))!
  }

  test('creates a Lease, with its token in an annotation and the fields that people look at', async () => {
    const held = await taken()
    expect(held).toMatchObject({ token: 1, ...claim })
    expect(server.requests.at(-1)).toBe(`POST ${PATH}`)
    const { metadata, spec } = server.leases.get(LEASE)!
    expect(metadata.annotations).toMatchObject({ 'bellwether-token': '1', 'bellwether-beat': '0' })
    expect(spec).toMatchObject({ holderIdentity: 'pod-1', leaseTransitions: 0 })
    expect(spec!['renewTime']).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/u)
    expect(await engine.read('jobs', soon())).toEqual(held)
  })

  test('keeps what others have written, and names the version that it has read', async () => {
    const held = await taken()
    const lease = server.leases.get(LEASE)!
    lease.metadata.annotations!['team'] = 'web'
    const next = await engine.take('jobs', held, { holder: '', metadata: null }, soon())
    expect(next).toMatchObject({ token: 2, holder: '' })
    const { metadata, spec } = server.leases.get(LEASE)!
    expect(metadata.annotations).toMatchObject({ team: 'web', 'bellwether-token': '2' })
    expect(metadata.resourceVersion).not.toBe(lease.metadata.resourceVersion)
    expect(spec).toMatchObject({ leaseTransitions: 1 })
    expect(spec).not.toHaveProperty('holderIdentity') // an empty one says less than none
  })

  test('a conflict is looked at again: a renewal goes on, a token that is gone is not taken', async () => {
    const held = await taken()
    server.failures.push(
      (_, response) => reply(response, [200, server.leases.get(LEASE)!]),
      (_, response) => reply(response, [409, statusOf(409, 'the object has been modified')]),
    )
    expect(await engine.renew('jobs', held, soon())).toBe(true)
    expect((await engine.read('jobs', soon())).beat).toBe(1)
    await engine.take('jobs', held, { ...claim, holder: 'pod-2' }, soon())
    expect(await engine.renew('jobs', held, soon())).toBe(false)
    expect(await engine.take('jobs', held, claim, soon())).toBeNull()
  })

  test('a Lease that was deleted is a register that was never taken', async () => {
    const held = await taken()
    server.delete(LEASE)
    expect(await engine.read('jobs', soon())).toMatchObject({ token: 0, holder: '' })
    expect(await engine.renew('jobs', held, soon())).toBe(false)
    expect(await engine.take('jobs', held, claim, soon())).toBeNull()
    expect((await engine.reseed('jobs', 7, soon())).token).toBe(8)
  })

  test('reads the token of its account for each request, which the kubelet replaces', async () => {
    await taken()
    server.token = 'second'
    await expect(engine.read('jobs', soon())).rejects.toThrow('kubernetes: 401 Unauthorized')
    writeFileSync(file('token'), 'second')
    expect((await engine.read('jobs', soon())).token).toBe(1)
  })

  test('a watch reports changes of the token, and begins again when the server has forgotten its version', async () => {
    const held = await taken()
    server.watchErrors.push(statusOf(410, 'too old resource version'))
    const seen: Register[] = []
    const end = new AbortController()
    ends.push(end)
    engine.watch('jobs', { changed: (register) => seen.push(register) }, end.signal)
    const watches = (): number => server.requests.filter((one) => one.includes('watch=1')).length
    await until(() => watches() === 2, 'the second watch')
    await engine.renew('jobs', held, soon())
    await engine.take('jobs', held, { ...claim, holder: 'pod-2' }, soon())
    await until(() => seen.length === 2, 'the change')
    server.delete(LEASE)
    await until(() => seen.length === 3, 'the deletion')
    expect(seen.map(({ token, holder }) => `${token} ${holder}`)).toEqual([
      '1 pod-1',
      '2 pod-2',
      '0 ',
    ])
    expect(server.requests.find((one) => one.includes('watch=1'))).toContain(
      `fieldSelector=metadata.name%3D${LEASE}&watch=1&resourceVersion=101`,
    )
  })

  test('a server that does not answer, and one that answers something else, are errors of the engine', async () => {
    server.failures.push(() => undefined)
    await expect(engine.read('jobs', soon(200))).rejects.toThrow(EngineError)
    server.failures.push((_, response) => void response.end('<html>'))
    await expect(engine.read('jobs', soon())).rejects.toThrow(EngineError)
    server.failures.push((_, response) => void response.writeHead(503).end('no endpoints'))
    await expect(engine.read('jobs', soon())).rejects.toThrow('kubernetes: 503 no endpoints')
  })

  test.each(['bellwether-token', 'bellwether-beat'])(
    'a number that a person has overwritten (%s) is an error',
    async (name) => {
      await taken()
      Object.assign(server.leases.get(LEASE)!.metadata.annotations!, { [name]: 'none' })
      await expect(engine.read('jobs', soon())).rejects.toThrow('kubernetes: none is not a token')
    },
  )

  test('a certificate of another authority is refused', async () => {
    const other = await LeaseServer.open()
    writeFileSync(file('ca.crt'), other.ca)
    await other.close()
    await expect(engine.read('jobs', soon())).rejects.toThrow(EngineError)
  })

  test('groups with other names than Kubernetes accepts have Leases of their own', async () => {
    for (const group of ['Jobs', 'jobs', 'jöbs', 'j bs', '-', 'x'.repeat(100)]) {
      await engine.take(group, await engine.read(group, soon()), claim, soon())
    }
    const names = [...server.leases.keys()]
    expect(new Set(names).size).toBe(6)
    for (const name of names) expect(name).toMatch(/^[a-z0-9](?:[-a-z0-9]{0,61}[a-z0-9])?$/u)
  })

  test('in a pod it finds the server by the environment; elsewhere it says what is missing', () => {
    vi.stubEnv('KUBERNETES_SERVICE_HOST', undefined)
    expect(() => kubernetes()).toThrow('this process runs in no pod')
    vi.stubEnv('KUBERNETES_SERVICE_HOST', 'fd00::1')
    expect(() => kubernetes({ namespace: 'web' })).not.toThrow()
    expect(() => kubernetes()).toThrow('/var/run/secrets/kubernetes.io/serviceaccount/namespace')
    expect(engineFrom('kubernetes://web/lease').name).toBe('kubernetes')
    expect(() => kubernetes({ server: 'http://10.0.0.1:8080' })).toThrow(
      'must be reached over https',
    )
    expect(() => kubernetes({ server: 'http://127.0.0.1:8001' })).not.toThrow()
  })
})
