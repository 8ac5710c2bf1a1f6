/**
 * What a configuration file may hold: the fields of `join()`, and how the member is protected and shown.
 * Shapes are checked here, so that an error names the field; what values mean is checked by `join`.
 */
import { UsageError } from '../errors.ts'

/** Throws UsageError unless the value has this shape. `path` is how the user calls it. */
type Shape = (value: unknown, path: string) => void

const text: Shape = (value, path) => {
  if (typeof value !== 'string' || value === '') wrong(path, 'must be a text', value)
}
const flag: Shape = (value, path) => {
  if (typeof value !== 'boolean') wrong(path, 'must be true or false', value)
}
const number: Shape = (value, path) => {
  if (typeof value !== 'number') wrong(path, 'must be a number', value)
}
const duration: Shape = (value, path) => {
  if (typeof value === 'number' || (typeof value === 'string' && value !== '')) return
  wrong(path, "must be milliseconds, or a text such as '500ms' or '30s'", value)
}
const anything: Shape = () => undefined

function oneOf(...words: readonly string[]): Shape {
  return (value, path) => {
    if (!words.includes(value as string)) wrong(path, `must be one of ${words.join(', ')}`, value)
  }
}

function object(fields: Readonly<Record<string, Shape>>, needed: readonly string[] = []): Shape {
  return (value, path) => {
    for (const [name, part] of Object.entries(record(value, path))) {
      const own = path === '' ? name : `${path}.${name}`
      const possible = Object.keys(fields).join(', ')
      if (!Object.hasOwn(fields, name)) wrong(own, `no such field; possible: ${possible}`)
      fields[name](part, own)
    }
    const missing = needed.find((name) => !Object.hasOwn(value as object, name))
    if (missing !== undefined) wrong(`${path}.${missing}`, 'is missing')
  }
}

function mapOf(shape: Shape): Shape {
  return (value, path) => {
    for (const [name, part] of Object.entries(record(value, path))) shape(part, `${path}.${name}`)
  }
}

/** An object of this shape, or something simpler. */
function objectOr(simple: Shape, shape: Shape): Shape {
  return (value, path) => (typeof value === 'object' ? shape : simple)(value, path)
}

function record(value: unknown, path: string): Record<string, unknown> {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
    return value as Record<string, unknown>
  }
  return wrong(path, 'must be an object', value)
}

function wrong(path: string, problem: string, value?: unknown): never {
  const found = value === undefined ? '' : `, not ${shown(value)}`
  throw new UsageError(`${path === '' ? 'the file' : path}: ${problem}${found}`)
}

function shown(value: unknown): string {
  const json = JSON.stringify(value)
  return json.length > 40 ? `${json.slice(0, 40)}…` : json
}

const configuration = object({
  group: text,
  id: text,
  members: mapOf(objectOr(text, object({ address: text, priority: number }, ['address']))),
  state: text,
  listen: text,
  safety: oneOf('quorum', 'advisory'),
  engine: text,
  vouch: oneOf('nobody', 'majority', 'all'),
  algorithm: text,
  detector: text,
  preemption: objectOr(
    oneOf('sticky', 'always'),
    object({ after: duration, stableFor: duration, maxPerHour: number }, ['after']),
  ),
  trustRefusals: flag,
  timing: object({ period: duration, detection: duration, lease: duration, message: duration }),
  metadata: anything,
  drain: duration,
  http: text,
  tls: object({ ca: text, certificate: text, key: text }, ['ca', 'certificate', 'key']),
  sharedKey: text,
  insecurePlaintext: flag,
})

/** Throws UsageError, which names the field. */
export function checkConfiguration(json: unknown): Record<string, unknown> {
  configuration(json, '')
  return json as Record<string, unknown>
}
