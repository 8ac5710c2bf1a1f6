/**
 * Runs a candidate that leads while it has the oldest key under a prefix of etcd. It keeps the lease of its key alive
 * three times in its time to live, and watches the prefix for deletions of the others' keys. Nothing but Node and the JSON gateway.
 */
import { Agent, request } from 'node:http'
import { candidateArguments, reportLeader } from './candidate.js'

const { slot, settings } = candidateArguments()
const { url, ttl } = settings
const agent = new Agent({ keepAlive: true })
const PREFIX = 'usual/'
const encode = (/** @type {string} */ text) => Buffer.from(text).toString('base64')

/**
 * @param {string} path @param {object} body
 * @returns {Promise<import('node:http').IncomingMessage>}
 */
async function post(path, body) {
  return new Promise((resolve, reject) => {
    const sent = request(new URL(path, url), { method: 'POST', agent }, resolve)
    sent.on('error', reject)
    sent.end(JSON.stringify(body))
  })
}

/**
 * @typedef {{ ID: string, TTL: string, kvs?: { key: string }[], header: { revision: string } }} Answer
 * @param {string} path @param {object} body
 * @returns {Promise<Answer>}
 */
async function call(path, body) {
  const response = await post(path, body)
  let text = ''
  for await (const chunk of response) text += String(chunk)
  return /** @type {Answer} */ (JSON.parse(text))
}

/** Resolves when a key of the others is deleted. @param {string} revision */
async function deletion(revision) {
  const range_end = encode('usual0')
  const create = { key: encode(PREFIX), range_end, start_revision: revision, filters: ['NOPUT'] }
  const response = await post('/v3/watch', { create_request: create })
  for await (const chunk of response) {
    if (String(chunk).includes('DELETE')) break
  }
  response.destroy()
}

const lease = await call('/v3/lease/grant', { TTL: ttl })
const granted = Number(lease.TTL)
setInterval(() => void call('/v3/lease/keepalive', { ID: lease.ID }), (1000 * granted) / 3)
const key = encode(`${PREFIX}${slot}-${lease.ID}`)
await call('/v3/kv/put', { key, value: encode(String(slot)), lease: lease.ID })
for (;;) {
  const range = {
    key: encode(PREFIX),
    range_end: encode('usual0'),
    sort_target: 'CREATE',
    limit: '1',
  }
  const { kvs = [], header } = await call('/v3/kv/range', { ...range, sort_order: 'ASCEND' })
  if (kvs[0]?.key === key) break
  await deletion(String(Number(header.revision) + 1))
}
reportLeader(slot)
