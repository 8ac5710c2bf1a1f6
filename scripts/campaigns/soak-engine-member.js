/**
 * The program of a member of soak-engines.ts: writes to the resource all the time while its work runs, without asking
 * whether it still leads, so that only the resource can refuse a stale write. Takes the flags of `node`, `--engines` and `--resource`.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { engineFrom } from '../../dist/cli/options/engine-url.js'
import { fence } from '../../dist/fence/index.js'
import { fenced, join, logEvents, tcp } from '../../dist/index.js'
import { CuttableTransport } from '../../dist/testing/cuttable-transport.js'
import { endWithParent, joinOptions, memberFlags, pairs } from '../support/member-program.js'

const { id, engines, resource, ...flags } = memberFlags()
const transport = new CuttableTransport(tcp())
const safety = fenced(engineFrom(pairs(engines)[id]), { vouch: 'majority' })
const election = await join({ ...joinOptions('soak', id, flags), safety, transport })
logEvents(election, (entry) => process.stdout.write(`${JSON.stringify(entry)}\n`))

void election.lead(async (term) => {
  while (!term.signal.aborted) {
    const headers = { ...fence.http.headers(term), writer: id }
    await fetch(resource, { method: 'POST', headers }).then(
      async (answer) => answer.text(),
      () => '',
    )
    await sleep(15)
  }
})
process.on('message', (order) => transport.cut(/** @type {{ cut: string[] }} */ (order).cut))
endWithParent(election)
