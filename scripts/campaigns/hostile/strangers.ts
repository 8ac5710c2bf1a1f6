/** Attacks a group that runs with its defaults on the loopback interface, as another user without a key. */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { localKeyFile } from '../../../src/transports/tcp/security/local-key.ts'
import { TestCluster } from '../../support/test-cluster.ts'
import type { StrangerOrder, StrangerReport } from './stranger-process.ts'

const GROUP = 'cluster'
const script = fileURLToPath(new URL('stranger-process.ts', import.meta.url))

interface StrangerResult extends StrangerReport {
  readonly sameLeader: boolean
  /** What happened in the group instead. */
  readonly events?: readonly string[]
  readonly ok: boolean
}

export async function attackAsStranger(
  tries: number,
  report: (result: StrangerResult) => void,
): Promise<boolean> {
  // No flags of protection: the members find the key of this user by themselves.
  await using cluster = await TestCluster.open({ members: 3, protection: [] })
  await cluster.agreed(() => cluster.names)
  const from = cluster.entries.length
  const stranger = fork(script, { execArgv: ['--import', 'tsx'] })
  const addresses = Object.fromEntries(cluster.processes.addresses)
  const keyFile = localKeyFile(GROUP)
  stranger.send({ group: GROUP, addresses, keyFile, tries } satisfies StrangerOrder)
  let ok = true
  stranger.on('message', (result: StrangerReport) => {
    const changes = cluster.entries.slice(from).filter(({ event }) => event !== 'refused')
    const sameLeader = changes.length === 0
    const isKept = result.isOtherUser ? !result.couldReadKey : true
    const isFine = sameLeader && result.answered === 0 && isKept
    ok &&= isFine
    const events = changes.map(({ time, node, event, reason }) =>
      [time, node, event, reason ?? ''].join(' '),
    )
    report({ ...result, sameLeader, ...(!sameLeader && { events }), ok: isFine })
  })
  const [code] = (await once(stranger, 'exit')) as [number | null]
  return ok && code === 0
}
