/** What a leader lets others know of itself: JSON of the user's, on its way out and on its way in. */
import { CodecError, type Json } from '../core/schema.ts'
import { ConfigurationError } from './errors.ts'

/** It goes to every peer in one frame, and into the register of an engine. */
const LARGEST = 8 * 1024
/** Far deeper, it could be read, but not be written again: a frame has room for thousands of brackets. */
const DEEPEST = 64

/** A copy: what happens to the object afterwards is told to nobody. Throws ConfigurationError. */
export function metadataOf(given: unknown): Json {
  if (given === undefined) return null
  const text = textOf(given)
  if (text === undefined) wrong(`must be JSON, not a ${typeof given}`)
  const bytes = Buffer.byteLength(text)
  if (bytes > LARGEST) wrong(`is ${bytes} bytes long as JSON, and may be ${LARGEST}`)
  const copy = JSON.parse(text) as Json
  if (isDeep(copy)) wrong(`is nested more than ${DEEPEST} deep`)
  return copy
}

/** Throws CodecError on what no member would send. */
export function receivedMetadata(json: Json): Json {
  if (isDeep(json)) throw new CodecError('frame.m', `must not be nested more than ${DEEPEST} deep`)
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

function isDeep(json: Json, room = DEEPEST): boolean {
  if (typeof json !== 'object' || json === null) return false
  return room === 0 || Object.values(json).some((part) => isDeep(part, room - 1))
}
