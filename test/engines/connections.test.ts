/** Tests the connection that the calls of an engine share. */
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { aborted, SharedConnection } from '../../src/engines/connections.ts'

test('calls that fail late on a lost connection leave the next one alone', async () => {
  let opened = 0
  const ended: number[] = []
  const shared = new SharedConnection<number>('test', {
    open: async () => Promise.resolve((opened += 1)),
    end: (connection) => {
      ended.push(connection)
      shared.forget(connection)
    },
    isBroken: () => true,
  })
  const signal = AbortSignal.timeout(5000)
  const fails = async (ms: number): Promise<unknown> =>
    shared
      .use(signal, async () => {
        await sleep(ms)
        throw new Error('lost')
      })
      .catch(() => undefined)
  const late = fails(30)
  await fails(0)
  expect(await shared.use(signal, async (connection) => Promise.resolve(connection))).toBe(2)
  await late
  expect(await shared.use(signal, async (connection) => Promise.resolve(connection))).toBe(2)
  expect({ opened, ended }).toEqual({ opened: 2, ended: [1, 1] })
})

test('a server that accepts a connection and answers no more holds up no later connection', async () => {
  let opened = 0
  let given = 0
  const open = async (signal: AbortSignal): Promise<number> => {
    opened += 1
    signal.addEventListener('abort', () => (given += 1))
    if (opened === 1) await aborted(new AbortController().signal)
    return opened
  }
  const shared = new SharedConnection<number>('test', { open }, 50)
  const call = async () =>
    shared.use(AbortSignal.timeout(5000), async (one) => Promise.resolve(one))
  await expect(call()).rejects.toThrow('did not answer in time')
  expect(await call()).toBe(2)
  expect(given).toBe(1)
})
