/** A candidate that takes and renews a key of Redis with a time to live, as locks on Redis do (`SET NX PX`). */
import { createClient } from '@redis/client'
import { candidateArguments, reportLeader } from './candidate.js'

const { slot, settings } = candidateArguments()
const { url, ttlMs, renewMs, retryMs } = settings
const KEY = 'leader'
const RENEW = `if redis.call('get', KEYS[1]) == ARGV[1] then
  return redis.call('pexpire', KEYS[1], ARGV[2]) else return 0 end`
const client = createClient({ url })
client.on('error', () => process.exit(1))
await client.connect()

/** Returns whether this candidate holds the key. @param {boolean} holds */
async function turn(holds) {
  if (holds) {
    const renewed = await client.eval(RENEW, { keys: [KEY], arguments: [`${slot}`, `${ttlMs}`] })
    return renewed === 1
  }
  return (await client.set(KEY, `${slot}`, { NX: true, PX: ttlMs })) !== null
}

for (let holds = false; ;) {
  holds = await turn(holds)
  const holder = holds ? `${slot}` : await client.get(KEY)
  reportLeader(holder === null ? null : Number(holder))
  await new Promise((resolve) => {
    setTimeout(resolve, holds ? renewMs : retryMs)
  })
}
