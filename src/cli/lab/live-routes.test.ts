import { createServer, request as ask, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { FaultRequest } from '../../live/live-record.ts'
import { FaultError, LiveRoutes } from './live-routes.ts'

let asked: FaultRequest[]
let routes: LiveRoutes
let server: Server
let port: number

beforeEach(async () => {
  asked = []
  routes = new LiveRoutes({
    members: ['a', 'b'],
    settings: [],
    fault: (request) => {
      if (request.node === 'z') throw new FaultError('there is no member z')
      asked.push(request)
    },
  })
  server = createServer((request, response) => {
    if (!routes.route(request.url ?? '', request, response)) response.end('a file')
  })
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  port = (server.address() as AddressInfo).port
})
afterEach(async () => {
  routes.close()
  server.closeAllConnections()
  await new Promise((resolve) => {
    server.close(resolve)
  })
})

async function send(
  method: string,
  path: string,
  headers: Record<string, string> = {},
  body?: string,
): Promise<{ code: number; text: string }> {
  return new Promise((resolve, reject) => {
    const sent = ask({ port, host: '127.0.0.1', method, path, headers }, (response) => {
      let text = ''
      response.on('data', (chunk) => (text += String(chunk)))
      response.on('end', () => resolve({ code: response.statusCode ?? 0, text }))
    })
    sent.on('error', reject)
    sent.end(body)
  })
}

describe('a fault', () => {
  const kill = JSON.stringify({ action: 'kill', node: 'a' })
  const bearer = (): Record<string, string> => ({ authorization: `Bearer ${routes.token}` })

  test('is carried out for a request with the token', async () => {
    expect((await send('POST', '/live/fault', bearer(), kill)).code).toBe(200)
    expect(asked).toEqual([{ action: 'kill', node: 'a' }])
  })

  test('is done for the page itself, which says where it comes from', async () => {
    const headers = { ...bearer(), origin: `http://127.0.0.1:${port}` }
    expect((await send('POST', '/live/fault', headers, kill)).code).toBe(200)
  })

  test.each([
    ['without the token', {}, 401],
    ['with another token', { authorization: 'Bearer abc' }, 401],
  ])('is refused %s', async (_, headers, code) => {
    expect((await send('POST', '/live/fault', headers, kill)).code).toBe(code)
    expect(asked).toEqual([])
  })

  test('is refused to a page of another origin, even with the token', async () => {
    const headers = { ...bearer(), origin: 'http://evil.example' }
    expect((await send('POST', '/live/fault', headers, kill)).code).toBe(403)
    expect(asked).toEqual([])
  })

  test('is refused when it is none', async () => {
    expect((await send('POST', '/live/fault', bearer(), '{"action":"explode"}')).code).toBe(400)
    expect((await send('POST', '/live/fault', bearer(), '{')).code).toBe(400)
    expect((await send('POST', '/live/fault', bearer(), 'x'.repeat(5000))).code).toBe(400)
    expect((await send('GET', '/live/fault', bearer())).code).toBe(405)
  })

  test('that cannot be done is answered with why', async () => {
    const none = JSON.stringify({ action: 'kill', node: 'z' })
    const { code, text } = await send('POST', '/live/fault', bearer(), none)
    expect(code).toBe(409)
    expect(JSON.parse(text)).toEqual({ error: 'there is no member z' })
  })
})

test('without faults there is nowhere to ask for one', async () => {
  const readOnly = new LiveRoutes({ members: [], settings: [] })
  server.removeAllListeners('request')
  server.on('request', (request, response) => readOnly.route('/live/fault', request, response))
  const headers = { authorization: `Bearer ${readOnly.token}` }
  expect((await send('POST', '/live/fault', headers, '{}')).code).toBe(404)
  readOnly.close()
})

test('a new page receives the history, a page that reconnects what came since', async () => {
  routes.tell({ kind: 'condition', at: 1, node: 'a', condition: 'paused' })
  routes.tell({ kind: 'condition', at: 2, node: 'a', condition: 'running' })
  const first = await readSome('/live/events', {}, 'history')
  expect(first).toContain('event: hello')
  expect(first).toContain('"at":1')
  const id = /id: (.*)/u.exec(first)![1]
  routes.tell({ kind: 'condition', at: 3, node: 'a', condition: 'dead' })
  const second = await readSome('/live/events', { 'last-event-id': id }, 'history')
  expect(second).not.toContain('"at":1')
  expect(second).toContain('"at":3')
})

/** Reads a stream until a word and the end of that event have come. */
async function readSome(
  path: string,
  headers: Record<string, string>,
  word: string,
): Promise<string> {
  return new Promise((resolve, reject) => {
    const sent = ask({ port, host: '127.0.0.1', path, headers }, (response) => {
      let text = ''
      response.on('data', (chunk) => {
        text += String(chunk)
        if (!text.includes(`event: ${word}`) || !text.endsWith('\n\n')) return
        sent.destroy()
        resolve(text)
      })
    })
    sent.on('error', reject)
    sent.end()
  })
}
