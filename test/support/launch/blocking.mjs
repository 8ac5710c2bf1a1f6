/**
 * A member whose event loop is blocked for two seconds at each SIGUSR2, as by a long computation. Each of its records
 * says whether the term's signal was aborted by then. Takes the flags of `node`.
 */
import { join } from '../../../dist/index.js'
import {
  endWithParent,
  memberFlags,
  pairs,
  record,
} from '../../../scripts/support/member-program.js'

const BLOCKED_MS = 2000
const { id, members, state, detection, lease, safety } = memberFlags()
const election = await join({
  group: 'cluster',
  id,
  members: pairs(members),
  state,
  safety: safety === 'advisory' ? 'advisory' : 'quorum',
  timing: { detection, lease },
})
/** @type {import('../../../dist/index.js').Term | null} */
let term = null
let wasBlocked = false

/** @param {string} event @param {object} more */
function write(event, more = {}) {
  record(election, event, {
    aborted: wasBlocked && term !== null ? term.signal.aborted : null,
    ...more,
  })
}
write('started')
election.on('elected', (event) => write('elected', event))
election.on('lost', (event) => write('lost', event))
election.on('leader', () => write('leader'))
election.on('peer', ({ peer, state }) => write(state, { peer }))
void election.lead(async (mine) => {
  term = mine
  await new Promise((resolve) => {
    mine.signal.addEventListener('abort', resolve)
  })
})
process.on('SIGUSR2', () => {
  const end = performance.now() + BLOCKED_MS
  while (performance.now() < end);
  wasBlocked = true
})
endWithParent(election)
