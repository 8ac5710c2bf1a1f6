/**
 * Checks the metadata of a member, JSON that its user gives to `join`, for size and depth: before it is sent and when
 * it arrives.
 */
import { CodecError, type Json } from '../core/schema.ts'
import { ConfigurationError } from './errors.ts'

/** It must fit into one frame, and into the register of an engine. */
const MAX_BYTES = 8 * 1024
/** JSON that is nested much deeper can be parsed, but not be written again. */
const MAX_DEPTH = 64

/** Returns a copy: later changes of the object have no effect. Throws ConfigurationError. */
export function metadataOf(given: unknown): Json {
  if (given === undefined) return null
  refuseLosses(given)
  const text = textOf(given)
  if (text === undefined) wrong(`must be JSON, not a ${typeof given}`)
  const bytes = Buffer.byteLength(text)
  if (bytes > MAX_BYTES) wrong(`is ${bytes} bytes long as JSON; the limit is ${MAX_BYTES}`)
  const copy = JSON.parse(text) as Json
  if (isDeep(copy)) wrong(`is nested more than ${MAX_DEPTH} deep`)
  return copy
}

/** What JSON would leave out or turn into something else without a word. */
function refuseLosses(value: unknown, path = '', above: readonly object[] = []): void {
  const at = path === '' ? '' : ` (${path})`
  if (typeof value === 'function' || typeof value === 'symbol' || typeof value === 'bigint') {
    wrong(`must be JSON${at}, not a ${typeof value}`)
  }
  if (typeof value === 'number' && !Number.isFinite(value)) wrong(`must be JSON${at}, not ${value}`)
  if (typeof value !== 'object' || value === null || above.includes(value)) return
  const isList = Array.isArray(value)
  const tag = Object.prototype.toString.call(value).slice(8, -1)
  if (!isList && (tag !== 'Object' || 'toJSON' in value)) {
    wrong(`must be JSON${at}, not of type ${tag}: write it as text or as a plain object`)
  }
  if (above.length > MAX_DEPTH) return
  for (const [name, part] of Object.entries(value)) {
    // An optional field that is not set is no loss; an element of a list would become null.
    if (part === undefined && !isList) continue
    if (part === undefined) wrong(`must be JSON (${path}[${name}]), not undefined`)
    refuseLosses(part, isList ? `${path}[${name}]` : `${path}${path === '' ? '' : '.'}${name}`, [
      ...above,
      value,
    ])
  }
}

/** Throws CodecError. */
export function receivedMetadata(json: Json): Json {
  if (isDeep(json))
    throw new CodecError('frame.m', `must not be nested more than ${MAX_DEPTH} deep`)
  return json
}

function textOf(given: unknown): string | undefined {
  try {
    return JSON.stringify(given)
  } catch (error) {
    return wrong(`must be JSON: ${(error as Error).message.split('\n')[0]}`)
  }
}

function wrong(problem: string): never {
  throw new ConfigurationError('metadata', problem)
}

function isDeep(json: Json, room = MAX_DEPTH): boolean {
  if (typeof json !== 'object' || json === null) return false
  return room === 0 || Object.values(json).some((part) => isDeep(part, room - 1))
}
