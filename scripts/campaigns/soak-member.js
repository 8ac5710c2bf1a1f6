/**
 * The program of a member of soak.ts and soak-changes.ts: records every event and every valid `term.assert()`, cuts its
 * links and changes its group when told to. Takes the flags of `node`.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { join, tcp } from '../../dist/index.js'
import { CuttableTransport } from '../../dist/testing/cuttable-transport.js'
import { endWithParent, joinOptions, memberFlags, record } from '../support/member-program.js'

const { id, ...flags } = memberFlags()
// Without a key, plaintext: each member may be in a network namespace of its own, which is not loopback.
const { SOAK_KEY: key } = process.env
const { 'shared-key': keyFile } = flags
const transport = new CuttableTransport(
  tcp(
    key !== undefined ? { key } : keyFile !== undefined ? { keyFile } : { insecurePlaintext: true },
  ),
)
const election = await join({ ...joinOptions('soak', id, flags), transport })

record(election, 'started')
election.on('elected', ({ term }) => record(election, 'elected', { term, leader: id }))
election.on('lost', ({ term, reason }) => record(election, 'lost', { term, reason }))
election.on('renewed', ({ term, untilMs }) => record(election, 'renewed', { term, untilMs }))
election.on('error', (error) => record(election, 'error', { reason: error.message }))
election.on('leader', (view) => {
  record(election, 'leader', view.kind === 'leader' ? { leader: view.leader, term: view.term } : {})
})
void election.lead(async (term) => {
  while (!term.signal.aborted) {
    // Before the question: a valid answer holds at a later moment.
    const at = process.hrtime.bigint().toString()
    try {
      term.assert()
    } catch {
      return
    }
    record(election, 'valid', { at, term: term.number })
    await sleep(10)
  }
})
election.on('removed', () => void election.close().then(() => process.exit()))
process.on('message', (message) => {
  const { cut, change, order } =
    /** @type {{ cut?: string[], change: import('../../dist/index.js').GroupChange, order: number }} */ (
      message
    )
  if (cut !== undefined) return transport.cut(cut)
  election.change(change, { timeoutMs: 2500 }).then(
    () => record(election, 'changed', { order, reason: 'done' }),
    (/** @type {unknown} */ error) => record(election, 'changed', { order, reason: String(error) }),
  )
})
endWithParent(election)
