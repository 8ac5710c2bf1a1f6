/**
 * The public entry `bellwether/fence`: exports the checks of a fence for PostgreSQL, Redis, HTTP and own code. A token
 * protects nothing unless the resource itself refuses one below the largest that it has seen. All take the term of
 * `lead`; an advisory term is a type error.
 */
import { http } from './http.ts'
import { postgres } from './postgres.ts'
import { redis } from './redis.ts'

export const fence = { postgres, redis, http }

export { FenceLeapError, Guard, StaleFenceError, type GuardOptions } from './guard.ts'
export type { FencedRequest, HttpFenceOptions, Incoming, Outgoing, RequestFence } from './http.ts'
export { NotCommittedError } from './postgres.ts'
export { EvictionError } from './redis.ts'
export type { PostgresFenceOptions, SqlClient, SqlPool } from './postgres.ts'
export type { RedisClient, RedisFenceOptions } from './redis.ts'
