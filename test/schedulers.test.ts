/** The recipes for schedulers with the real packages: node-cron and NestJS with @nestjs/schedule. */
import 'reflect-metadata'
import { Injectable, Module } from '@nestjs/common'
import { NestFactory } from '@nestjs/core'
import { Cron, ScheduleModule } from '@nestjs/schedule'
import cron from 'node-cron'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { scheduleOnLeader } from '../src/cron/index.ts'
import { BellwetherModule, LeaderElection, LeaderOnly } from '../src/nest/index.ts'
import { workOnLeader } from '../examples/bullmq.ts'
import { memory } from '../src/engines/index.ts'
import { fenced, type Election, type Fenced } from '../src/index.ts'
import { MemoryHub } from '../src/transports/memory.ts'
import { MemoryStore } from '../src/stores/memory.ts'
import { until } from '../src/testing/wait.ts'
import { Cluster } from './support/members.ts'

const EVERY_SECOND = '* * * * * *'

test('node-cron: the job runs on the leader only, and the next leader waits for the current run', async () => {
  const cluster = new Cluster(['a', 'b', 'c'], { timing: {} })
  const ran: string[] = []
  let running = 0
  for (const election of await cluster.startAll()) {
    void scheduleOnLeader(election, cron, EVERY_SECOND, async () => {
      ran.push(election.id)
      expect((running += 1)).toBe(1)
      await sleep(300)
      running -= 1
    })
  }
  const first = await cluster.agreed()
  await until(() => running === 1)
  await cluster.leader.stepDown({ coolOff: 5000 })
  expect(running).toBe(0)
  await until(() => ran.at(-1) !== first)
})

test('node-cron: a run that throws is reported', async () => {
  const only = await new Cluster(['a'], { timing: {} }).start('a')
  const errors: Error[] = []
  only.on('error', (error) => errors.push(error))
  void scheduleOnLeader(only, cron, EVERY_SECOND, () => {
    throw new Error('no paper')
  })
  await until(() => errors.length > 0)
  expect(errors[0]?.message).toContain('no paper')
})

test.each([
  ['below @Cron', true],
  ['above @Cron', false],
])(
  'NestJS, %s: a method runs with the term on the leader, and on no other member; close() leaves',
  async (_where, isBelow) => {
    const transport = new MemoryHub()
    const members = { a: 'a:1', b: 'b:1', c: 'c:1' }
    const ran: { readonly id: string; readonly fence: number | undefined }[] = []
    class Reports {
      private readonly leader: LeaderElection
      constructor(election: LeaderElection) {
        this.leader = election
      }
      nightly(term?: { readonly fence: number }): void {
        ran.push({ id: this.leader.election.id, fence: term?.fence })
      }
    }
    // As a compiler with `experimentalDecorators` and `emitDecoratorMetadata` applies them: the lower one first.
    const descriptor = Object.getOwnPropertyDescriptor(Reports.prototype, 'nightly')!
    const decorators = [LeaderOnly(), Cron(EVERY_SECOND)]
    for (const decorate of isBelow ? decorators : decorators.toReversed()) {
      decorate(Reports.prototype, 'nightly', descriptor)
    }
    Object.defineProperty(Reports.prototype, 'nightly', descriptor)
    Reflect.defineMetadata('design:paramtypes', [LeaderElection], Reports)
    Injectable()(Reports)
    const open = async (id: string) => {
      class Application {
        readonly id = id
      }
      const options = { group: 'reports', id, members, transport, state: new MemoryStore() }
      const election = BellwetherModule.forRoot(options)
      Module({ imports: [ScheduleModule.forRoot(), election], providers: [Reports] })(Application)
      return NestFactory.createApplicationContext(Application, { logger: false })
    }
    const applications = await Promise.all(Object.keys(members).map(open))
    await until(() => ran.length >= 2)
    const elections = applications.map((one) => one.get(LeaderElection).election)
    const leader = elections.find(({ current }) => current !== null)!
    expect(new Set(ran.map(({ id }) => id))).toEqual(new Set([leader.id]))
    expect(ran[0]?.fence).toBe(leader.current?.number)
    await applications[elections.indexOf(leader)].close()
    expect(leader.view.kind).toBe('unknown')
    await until(() => ran.at(-1)?.id !== leader.id)
    await Promise.all(applications.map(async (one) => one.close()))
  },
)

test('NestJS: a class without a LeaderElection is told so', () => {
  class Reports {
    nightly(): void {}
  }
  const descriptor = Object.getOwnPropertyDescriptor(Reports.prototype, 'nightly')!
  LeaderOnly()(Reports.prototype, 'nightly', descriptor)
  const method = descriptor.value as (this: Reports) => void
  expect(() => method.call(new Reports())).toThrow(
    'Reports.nightly: is @LeaderOnly(), and no property of the class holds a LeaderElection',
  )
})

test('NestJS and the example for BullMQ take an election that is fenced', () => {
  const use = (): unknown =>
    BellwetherModule.forRoot({ group: 'g', id: 'a', safety: fenced(memory()) })
  const work = async (election: Election<Fenced>): Promise<void> =>
    workOnLeader(election, 'queue', {}, () => Promise.resolve())
  expect([use, work]).toHaveLength(2)
})
