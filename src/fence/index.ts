/**
 * The checking side. A token that nobody checks protects nothing: the resource itself must refuse one that is below
 * the largest it has seen. All of these take the term that `lead` gives; an advisory one is a type error.
 */
import { http } from './http.ts'
import { postgres } from './postgres.ts'
import { redis } from './redis.ts'

export const fence = { postgres, redis, http }

export { Guard, StaleFenceError, type GuardOptions } from './guard.ts'
export type { HttpFenceOptions, Incoming, Outgoing } from './http.ts'
export type { PostgresFenceOptions, SqlClient, SqlPool } from './postgres.ts'
export type { RedisClient, RedisFenceOptions } from './redis.ts'
