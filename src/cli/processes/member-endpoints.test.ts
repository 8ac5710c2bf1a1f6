/** Tests what `status` and `step-down` make of an answer from a process that has taken over the port of a member. */
import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, test } from 'vitest'
import { requestJson } from './member-endpoints.ts'

async function answerOf(listener: RequestListener) {
  const server = createServer(listener)
  await once(server.listen(0, '127.0.0.1'), 'listening')
  try {
    const { port } = server.address() as AddressInfo
    return await requestJson({ http: `127.0.0.1:${port}` }, 'GET', '/status')
  } finally {
    server.closeAllConnections()
    server.close()
  }
}

test('characters that change a terminal become escapes', async () => {
  const name = 'a\u001b]0;owned\u0007\u009b2J\nb leads'
  const answer = await answerOf((_, response) =>
    response.end(JSON.stringify({ leader: name, [name]: 1 })),
  )
  const printed = 'a\\u{1b}]0;owned\\u{7}\\u{9b}2J\\u{a}b leads'
  expect(answer?.body).toEqual({ leader: printed, [printed]: 1 })
})

test('an answer that is no object is an empty one', async () => {
  for (const text of ['null', '[1]', '"x"', '{']) {
    expect(await answerOf((_, response) => response.end(text))).toEqual({ code: 200, body: {} })
  }
})

test('an answer without an end is none', async () => {
  const endless: RequestListener = (_, response) => {
    const timer = setInterval(() => response.write('x'.repeat(200_000)), 1)
    response.on('close', () => clearInterval(timer))
  }
  expect(await answerOf(endless)).toBeUndefined()
})
