/**
 * Checks a fence in Redis: runs the check and the caller's commands as one Lua script, so nothing runs in between, and
 * refuses a server that may evict the largest fence.
 */
import { BellwetherError } from '../core/errors/bellwether-error.ts'
import { checkNames, ConfigurationError } from '../core/errors/configuration-error.ts'
import type { FencedTerm } from '../runtime/term.ts'
import { checkTerm, StaleFenceError } from './guard.ts'

/** The part of a client of `@redis/client` that is used; for ioredis: `{ sendCommand: (args) => redis.call(...args) }`. */
export interface RedisClient {
  sendCommand(args: string[]): Promise<unknown>
}

export interface RedisFenceOptions {
  /** The key that holds the largest fence, by default one of the term's group. In a cluster, all keys must share a hash tag with it. */
  readonly key?: string
}

/** The server evicts keys without an expiry when its memory is full, and the fence with them. */
export class EvictionError extends BellwetherError {
  override readonly name = 'EvictionError'
  readonly code = 'eviction'
}

/** What the script answers first; 1: done. */
const OUTCOME = { stale: 0, doneUnseen: 2, evicts: 3 }

/**
 * Numbers have 53 bits in Lua as in JavaScript: the comparison is exact. A policy `volatile-…` evicts only keys that
 * expire, and the fence does not. Some servers let nobody read the policy.
 */
const SCRIPT = `
local info, seen = redis.pcall('INFO', 'memory'), 1
if type(info) ~= 'string' then seen = 2
elseif string.find(info, 'maxmemory_policy:allkeys', 1, true)
  and not string.find(info, '\\nmaxmemory:0\\r', 1, true) then return { 3 } end
if tonumber(redis.call('GET', KEYS[1]) or '0') > tonumber(ARGV[1]) then return { 0 } end
redis.call('SET', KEYS[1], ARGV[1])
local answers = { seen }
for i, command in ipairs(cjson.decode(ARGV[2])) do
  local answer = redis.call(unpack(command))
  if type(answer) == 'table' and answer['ok'] then answer = answer['ok'] end
  answers[i + 1] = answer
end
return answers`

let isWarned = false

/** A mistake in the list would be an error of Lua after some of the commands had run. */
function checkCommands(commands: unknown): void {
  const isCommand = (one: unknown): boolean =>
    Array.isArray(one) && one.length > 0 && one.every((word) => typeof word === 'string')
  if (Array.isArray(commands) && commands.every(isCommand)) return
  throw new ConfigurationError(
    'commands',
    "must be a list of commands, each a list of texts, such as [['SET', 'x', '1']]",
  )
}

/**
 * Runs the commands, each a list of words, and returns their answers. Throws StaleFenceError, and runs none, where a
 * larger fence was seen; EvictionError, and runs none, where the server may evict the fence.
 */
export async function redis(
  term: FencedTerm,
  client: RedisClient,
  commands: readonly (readonly string[])[],
  options: RedisFenceOptions = {},
): Promise<unknown[]> {
  checkTerm(term)
  if (typeof (client as Partial<RedisClient> | undefined)?.sendCommand !== 'function') {
    throw new ConfigurationError(
      'client',
      'must have sendCommand, as a client of @redis/client has',
    )
  }
  checkCommands(commands)
  checkNames(options, ['key'], 'fence.redis')
  const { key = `bellwether:fence:{${term.group}}` } = options
  const values = [String(term.fence), JSON.stringify(commands)]
  const answer = await client.sendCommand(['EVAL', SCRIPT, '1', key, ...values])
  const [outcome, ...answers] = answer as [number, ...unknown[]]
  if (outcome === OUTCOME.stale) throw new StaleFenceError(term.fence, key)
  if (outcome === OUTCOME.evicts) {
    throw new EvictionError(
      'Redis evicts keys when its memory is full (maxmemory-policy allkeys-…), and a fence that is evicted protects ' +
        'nothing: set maxmemory-policy to noeviction or to a policy volatile-…',
    )
  }
  if (outcome === OUTCOME.doneUnseen && !isWarned) {
    isWarned = true
    process.emitWarning(
      'fence.redis cannot read the maxmemory-policy of Redis (INFO is not permitted): it must be noeviction or volatile-…',
    )
  }
  return answers
}
