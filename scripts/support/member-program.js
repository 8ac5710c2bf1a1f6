/** Shared by the member programs of campaigns and tests: parses flags and lists, writes records to standard output, ends with the parent. */

/** @typedef {import('../../dist/index.js').Election} Election */

/** The flags that follow the program and its verb, each with the word behind it. @returns {Record<string, string>} */
export function memberFlags() {
  const words = process.argv.slice(3)
  const flags = words.flatMap((word, i) =>
    word.startsWith('--') ? [[word.slice(2), words[i + 1]]] : [],
  )
  return /** @type {Record<string, string>} */ (Object.fromEntries(flags))
}

/** The options of `join` that the flags give. @param {string} group @param {string} id @param {Record<string, string>} flags */
export function joinOptions(group, id, { members, join, state, detection, lease }) {
  if (members === undefined) return { group, id, seeds: join, state }
  return { group, id, members: pairs(members), state, timing: { detection, lease } }
}

/** Reads `a=x,b=y`. @param {string} list @returns {Record<string, string>} */
export function pairs(list) {
  const at = list.split(',').map((it) => /** @type {const} */ ([it, it.indexOf('=')]))
  return Object.fromEntries(at.map(([it, i]) => [it.slice(0, i), it.slice(i + 1)]))
}

/** Writes an event record. @param {Election} election @param {string} event @param {object} more */
export function record(election, event, more = {}) {
  const { id: node, view, term } = election
  const at = process.hrtime.bigint().toString()
  const leader = view.kind === 'leader' ? view.leader : null
  const entry = { at, node, pid: process.pid, event, leader, term, reason: null, ...more }
  process.stdout.write(`${JSON.stringify(entry)}\n`)
}

/** Leaves on SIGTERM and when the parent is gone. @param {Election} election */
export function endWithParent(election) {
  const stop = async () => {
    await election.close()
    if (process.connected) process.disconnect()
  }
  process.on('SIGTERM', () => void stop())
  process.on('disconnect', () => void stop())
}
