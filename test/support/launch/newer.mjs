/** Loaded before a member: it becomes one of the next wire version, which still supports the version before. */
import { readFileSync } from 'node:fs'
import { register } from 'node:module'

const dist = new URL('../../../dist/', import.meta.url)

/** In each of these files, a text becomes another one. */
/** @type {Record<string, [RegExp, (found: string, ...groups: string[]) => string]>} */
const CHANGES = {
  'transports/handshake.js': [
    /const PROTOCOL = (\d+);/u,
    (_, version) => `const PROTOCOL = ${Number(version) + 1};`,
  ],
  // It sends what older members do not know: a new type of frames, a further field of each frame.
  'transports/tcp/link.js': [
    /setConnected\(\) \{/u,
    (found) => `${found} this.queue.push(Buffer.from('{"p":"z","m":{"type":"new"}}'));`,
  ],
  'runtime/host/wire.js': [/const json = \{ p,/u, () => 'const json = { v: 2, p,'],
}

/** @type {[url: string, source: string][]} */
const changed = Object.entries(CHANGES).map(([file, [from, to]]) => {
  const url = new URL(file, dist)
  const source = readFileSync(url, 'utf8')
  if (!from.test(source)) throw new Error(`nothing to change in ${file}`)
  return [url.href, source.replace(from, to)]
})

const hooks = `
const changed = new Map(${JSON.stringify(changed)})
export async function load(url, context, next) {
  const source = changed.get(url)
  return source === undefined ? next(url, context) : { format: 'module', shortCircuit: true, source }
}`
register(`data:text/javascript,${encodeURIComponent(hooks)}`)
