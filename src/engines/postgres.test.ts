/** Tests what the engine PostgreSQL owes the pool of its user, without a server: lost connections, a table that cannot be made. */
import { EventEmitter } from 'node:events'
import { expect, test } from 'vitest'
import { fence } from '../fence/index.ts'
import { fakeTerm } from '../testing/index.ts'
import { postgres } from './postgres.ts'

/** A pool of which each query is answered by `answer`. */
class Pool extends EventEmitter {
  private readonly answer: (text: string) => { rows: unknown[]; command: string }

  constructor(answer: (text: string) => { rows: unknown[]; command: string }) {
    super()
    this.answer = answer
  }

  connect() {
    const query = (text: string) => Promise.resolve(text).then(this.answer)
    const client = Object.assign(new EventEmitter(), { query, release: () => undefined })
    return Promise.resolve(client)
  }
}

const lost = new Error('terminating connection due to administrator command')
const nothing = { rows: [{ it: null }], command: '' }

test('a pool whose idle connection the server ends does not end the process', async () => {
  const pool = new Pool(() => nothing)
  expect(() => pool.emit('error', lost)).toThrow(lost)
  postgres(pool)
  postgres(pool)
  pool.emit('error', lost)
  expect(pool.listenerCount('error')).toBe(1)
  const other = new Pool(() => {
    throw new Error('no such thing')
  })
  const { term } = fakeTerm()
  await expect(fence.postgres(term, other, { text: 'SELECT 1' })).rejects.toThrow('no such thing')
  other.emit('error', lost)
})

test('a table that cannot be made is named, with the statement for a migration', async () => {
  const pool = new Pool((text) => {
    if (!text.startsWith('CREATE')) return nothing
    throw Object.assign(new Error('permission denied for schema public'), { code: '42501' })
  })
  const engine = postgres(pool)
  const reading = engine.read('jobs', AbortSignal.timeout(1000))
  await expect(reading).rejects.toMatchObject({ code: 'engine' })
  await expect(reading).rejects.toThrow(
    `the table bellwether_register is missing and cannot be created (permission denied for schema public): run "${postgres.schema()}" in a migration`,
  )
})

test.each([
  [() => fence.postgres(fakeTerm().term, undefined as never, { text: '' }), 'pool'],
  [() => fence.postgres(undefined as never, new Pool(() => nothing), { text: '' }), 'term'],
  [() => fence.postgres(fakeTerm().term, new Pool(() => nothing), 'SELECT 1' as never), 'work'],
  [
    () =>
      fence.redis(fakeTerm().term, { sendCommand: () => Promise.resolve([1]) }, 'SET x 1' as never),
    'commands',
  ],
  [() => Promise.resolve().then(() => fence.http(undefined as never)), 'fence.http'],
])('a fence that is called wrongly says so (%#)', async (call, field) => {
  await expect(call()).rejects.toMatchObject({ code: 'configuration', field })
})
