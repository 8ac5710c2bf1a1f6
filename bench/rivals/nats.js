/** A candidate that creates and renews a key of a NATS bucket with a time to live, and watches the key. */
import { Kvm } from '@nats-io/kv'
import { connect } from '@nats-io/transport-node'
import { candidateArguments, reportLeader } from './candidate.js'

const { slot, settings } = candidateArguments()
const { url, ttlMs, renewMs, retryMs } = settings
const connection = await connect({ servers: url })
const bucket = await new Kvm(connection).create('rivals', { history: 1, ttl: ttlMs })
let revision = 0

async function watch() {
  for await (const entry of await bucket.watch({ key: 'leader' })) {
    if (revision === 0) reportLeader(entry.operation === 'PUT' ? Number(entry.string()) : null)
  }
}

/** Takes the key, or renews it; a refusal means that another candidate holds it. */
async function turn() {
  try {
    if (revision > 0) revision = await bucket.update('leader', `${slot}`, revision)
    else revision = await bucket.create('leader', `${slot}`)
    reportLeader(slot)
  } catch {
    revision = 0
  }
}

void watch()
for (;;) {
  await turn()
  await new Promise((resolve) => {
    setTimeout(resolve, revision > 0 ? renewMs : retryMs)
  })
}
