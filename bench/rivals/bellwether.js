/** A candidate that is a member of a bellwether group, opened with `join` as a service opens it, its state on the disk. */
import { join } from '../../dist/index.js'
import { candidateArguments, reportLeader } from './candidate.js'

const { slot, ports, settings } = candidateArguments()
const members = Object.fromEntries(ports.map((port, i) => [`m${i}`, `127.0.0.1:${port}`]))
const election = await join({ group: 'rivals', id: `m${slot}`, members, ...settings })

/** @param {import('../../dist/index.js').View} view */
function report(view) {
  reportLeader(view.kind === 'leader' ? Number(view.leader.slice(1)) : null)
}
election.on('leader', report)
report(election.view)
