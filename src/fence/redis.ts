/** Checks a fence in Redis: runs the check and the caller's commands as one Lua script, so nothing runs in between. */
import type { FencedTerm } from '../runtime/term.ts'
import { StaleFenceError } from './guard.ts'

/** The part of a client of `@redis/client` that is used; for ioredis: `{ sendCommand: (args) => redis.call(...args) }`. */
export interface RedisClient {
  sendCommand(args: string[]): Promise<unknown>
}

export interface RedisFenceOptions {
  /** The key that holds the largest fence. In a cluster, all keys must share a hash tag with it. */
  readonly key?: string
}

const KEY = 'bellwether:fence'

/** Numbers have 53 bits in Lua as in JavaScript: the comparison is exact. */
const SCRIPT = `
if tonumber(redis.call('GET', KEYS[1]) or '0') > tonumber(ARGV[1]) then return { 0 } end
redis.call('SET', KEYS[1], ARGV[1])
local answers = { 1 }
for i, command in ipairs(cjson.decode(ARGV[2])) do
  local answer = redis.call(unpack(command))
  if type(answer) == 'table' and answer['ok'] then answer = answer['ok'] end
  answers[i + 1] = answer
end
return answers`

/**
 * Runs the commands, each a list of words, and returns their answers. Throws StaleFenceError, and runs none, where a
 * larger fence was seen.
 */
export async function redis(
  term: FencedTerm,
  client: RedisClient,
  commands: readonly (readonly string[])[],
  { key = KEY }: RedisFenceOptions = {},
): Promise<unknown[]> {
  const values = [String(term.fence), JSON.stringify(commands)]
  const answer = await client.sendCommand(['EVAL', SCRIPT, '1', key, ...values])
  const [accepted, ...answers] = answer as [number, ...unknown[]]
  if (accepted === 1) return answers
  throw new StaleFenceError(term.fence, key)
}
