/** The recipes for schedulers, run with a scheduler that fires every few milliseconds on every replica. */
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { scheduleOnLeader, type Cron } from '../examples/node-cron.ts'
import { LeaderElection, LeaderOnly } from '../examples/nest-schedule.ts'
import type { Election } from '../src/index.ts'
import { Cluster } from './support/members.ts'
import { until } from '../src/testing/wait.ts'

/** Behaves as node-cron does, whatever the expression. */
const cron: Cron = {
  schedule: (_expression, job) => {
    const timer = setInterval(job, 5)
    return { stop: () => clearInterval(timer) }
  },
}

async function three(): Promise<{ cluster: Cluster; all: Election<'quorum'>[] }> {
  const cluster = new Cluster(['a', 'b', 'c'], { safety: 'quorum' })
  const all = await Promise.all(
    ['a', 'b', 'c'].map(async (id) => cluster.start<'quorum'>(id, { safety: 'quorum' })),
  )
  return { cluster, all }
}

test('node-cron: the job runs on the leader only, and the next leader waits for the current run', async () => {
  const { cluster, all } = await three()
  const ran: { readonly id: string; readonly fence: number }[] = []
  let running = 0
  let most = 0
  for (const election of all) {
    void scheduleOnLeader(election, cron, '* * * * *', async ({ fence }) => {
      ran.push({ id: election.id, fence })
      running += 1
      most = Math.max(most, new Set(ran.slice(-running).map(({ id }) => id)).size)
      await sleep(20)
      running -= 1
    })
  }
  const first = await cluster.agreed()
  await until(() => ran.length > 3)
  expect(new Set(ran.map(({ id }) => id))).toEqual(new Set([first]))
  await cluster.leader.stepDown({ coolOff: 5000 })
  await until(() => ran.at(-1)!.id !== first)
  expect(most).toBe(1)
  const fences = ran.map(({ fence }) => fence)
  expect(fences).toEqual(fences.toSorted((a, b) => a - b))
})

test('NestJS: a decorated method runs with the term on the leader, and on no other member', async () => {
  const { cluster, all } = await three()
  const ran: { readonly id: string; readonly fence: number }[] = []
  class Reports {
    readonly election: LeaderElection
    constructor(election: LeaderElection) {
      this.election = election
    }
    nightly(term?: { readonly fence: number }): string {
      ran.push({ id: this.election.election.id, fence: term!.fence })
      return 'done'
    }
  }
  // As a compiler with `experimentalDecorators` applies it.
  const descriptor = Object.getOwnPropertyDescriptor(Reports.prototype, 'nightly')!
  LeaderOnly()(Reports.prototype, 'nightly', descriptor)
  Object.defineProperty(Reports.prototype, 'nightly', descriptor)
  const leader = await cluster.agreed()
  const services = all.map((election) => new Reports(new LeaderElection(election)))
  expect(services.map((service) => service.nightly()).filter(Boolean)).toEqual(['done'])
  expect(ran).toEqual([{ id: leader, fence: cluster.leader.current!.number }])
  await Promise.all(services.map(async ({ election }) => election.onApplicationShutdown()))
  expect(services.map((service) => service.nightly())).toEqual([undefined, undefined, undefined])
})
