/**
 * Random faults in virtual time against candidates of a group without a mesh, whose clocks drift apart by a tenth: an
 * engine that is slow, carries calls out late or loses answers, and candidates that crash, step down and stand again. A
 * monitor that knows grants, losses and deadlines only judges each grant.
 */
import { setImmediate as turn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import type { Cancel, Clock } from '../../clock/monotonic.ts'
import { Random } from '../../core/random.ts'
import { MemoryEngine, MemoryRegisters } from '../../engines/memory.ts'
import { EngineError } from '../../engines/engine.ts'
import { Candidate } from './candidate.ts'
import type { FencingEvents } from './fencing-config.ts'
import { TokenStore } from './token-store.ts'
import { MemoryDisk } from '../../../test/support/members.ts'

const LEASE_MS = 200
const PERIOD_MS = 50
const RUN_MS = 6000
const CANDIDATES = 4

/** Time passes from one event to the next, when everything that the last one caused has run. */
class VirtualTime {
  now = 0
  private events: { readonly at: number; readonly action: () => void }[] = []

  after(ms: number, action: () => void): Cancel {
    const event = { at: this.now + ms, action }
    this.events.push(event)
    return () => void (this.events = this.events.filter((one) => one !== event))
  }

  async sleep(ms: number): Promise<void> {
    await new Promise<void>((resolve) => {
      this.after(ms, resolve)
    })
  }

  async runUntil(isOver: () => boolean): Promise<void> {
    for (let idle = 0; !isOver() && idle < 100; idle++) {
      // A call of the engine in memory takes two turns of the event loop, and its caller may make another.
      for (let i = 0; i < 4; i++) await turn()
      if (this.events.length === 0) continue
      idle = 0
      const next = this.events.reduce((a, b) => (b.at < a.at ? b : a))
      this.events = this.events.filter((one) => one !== next)
      this.now = next.at
      next.action()
    }
  }

  /** A clock that runs at another rate than the others, and shows another time. */
  drifting(rate: number, offset: number): Clock {
    return {
      now: () => this.now * rate + offset,
      after: (ms, action) => this.after(ms / rate, action),
      timer: () => {
        throw new Error('candidates use no such timer')
      },
    }
  }
}

/** Carries calls out late, also after the caller has given up, and loses some answers. */
class SlowEngine extends MemoryEngine {
  private readonly random: Random
  private readonly time: VirtualTime

  constructor(server: MemoryRegisters, random: Random, time: VirtualTime) {
    super(server)
    this.random = random
    this.time = time
  }

  override async read(...call: Parameters<MemoryEngine['read']>) {
    return this.slowly(call[1], async () => super.read(call[0], NEVER))
  }

  override async take(...call: Parameters<MemoryEngine['take']>) {
    return this.slowly(call[3], async () => super.take(call[0], call[1], call[2], NEVER))
  }

  override async renew(...call: Parameters<MemoryEngine['renew']>) {
    return this.slowly(call[2], async () => super.renew(call[0], call[1], NEVER))
  }

  private delayMs(): number {
    const { random } = this
    if (random.chance(0.6)) return random.unit()
    return random.unit() * (random.chance(0.2) ? 2 * LEASE_MS : PERIOD_MS)
  }

  private async slowly<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    const { random, time } = this
    const [thereMs, backMs] = [this.delayMs(), this.delayMs()]
    const isLost = random.chance(0.05)
    const answer = (async () => {
      await time.sleep(thereMs)
      const result = await work()
      await time.sleep(backMs)
      if (isLost) throw new EngineError('the answer was lost')
      return result
    })()
    answer.catch(() => undefined)
    return new Promise((resolve, reject) => {
      signal.addEventListener('abort', () => reject(new EngineError('not in time')))
      answer.then(resolve, reject)
    })
  }
}
const NEVER = new AbortController().signal

interface Standing {
  readonly name: string
  readonly engine: SlowEngine
  readonly candidate: Candidate
  readonly now: () => number
  /** The token between `granted` and `revoked` or `leave`; a candidate that crashed keeps it. */
  token: number
}

class Group {
  readonly violations: string[] = []
  grants = 0
  readonly them: Standing[] = []
  private readonly crashed: Standing[] = []
  private readonly server = new MemoryRegisters()
  private readonly time: VirtualTime
  private readonly random: Random
  private largest = 0

  constructor(seed: number, time: VirtualTime) {
    this.time = time
    this.random = new Random(seed)
    for (let i = 0; i < CANDIDATES; i++) this.add()
  }

  private add(): void {
    const { random, time } = this
    const clock = time.drifting(random.chance(0.5) ? 0.955 : 1.045, random.below(1e6))
    const engine = new SlowEngine(this.server, random, time)
    // A pod may be replaced by one of the same name while it still runs.
    const name = `pod-${random.below(2 * CANDIDATES)}`
    const events: FencingEvents = {
      granted: (token) => this.judge(one, token),
      revoked: () => void (one.token = 0),
      renewed: () => undefined,
      holderChanged: () => undefined,
      failed: () => undefined,
      ...NO_PEERS,
    }
    const config = {
      engine,
      vouch: 'nobody' as const,
      group: 'races',
      me: 1,
      names: ['', name],
      members: [1],
      metadata: null,
      leaseMs: LEASE_MS,
      periodMs: PERIOD_MS,
      detectionMs: 3 * PERIOD_MS,
      clock,
      store: new TokenStore(new MemoryDisk()),
    }
    const candidate = new Candidate(config, events)
    const one: Standing = { name, engine, candidate, now: () => clock.now(), token: 0 }
    this.them.push(one)
    candidate.open()
    candidate.stand()
  }

  /** A later token, and no other candidate whose term is valid by its own clock. */
  private judge(one: Standing, token: number): void {
    this.grants += 1
    if (token <= this.largest) this.violations.push(`${one.name}: ${token} after ${this.largest}`)
    this.largest = token
    for (const other of [...this.them, ...this.crashed]) {
      if (other === one || other.token === 0) continue
      const leftMs = other.candidate.deadline - other.now()
      if (leftMs <= 0) continue
      this.violations.push(
        `${one.name} got ${token} while ${other.name} had ${other.token} for ${leftMs} ms more`,
      )
    }
    one.token = token
  }

  async disturb(): Promise<void> {
    const { random, server, them, time } = this
    await time.sleep(random.below(4 * LEASE_MS))
    const leader = them.find(({ token }) => token > 0)
    const one =
      random.chance(0.7) && leader !== undefined ? leader : them[random.below(them.length)]
    switch (random.below(4)) {
      case 0: // steps down, and stands again
        one.token = 0
        one.candidate.leave()
        await time.sleep(random.below(PERIOD_MS))
        return one.candidate.stand()
      case 1: // crashes: it makes no further call, and its clock runs on
        one.engine.cut = true
        this.crashed.push(...them.splice(them.indexOf(one), 1))
        return this.add()
      case 2: // is cut off
        one.engine.cut = true
        await time.sleep(random.below(3 * LEASE_MS))
        one.engine.cut = false
        return
      default: // the engine is down
        server.down = true
        await time.sleep(random.below(2 * LEASE_MS))
        server.down = false
    }
  }

  get leads(): boolean {
    return this.them.some(({ token }) => token > 0)
  }

  async close(): Promise<void> {
    await Promise.all([...this.them, ...this.crashed].map(async (one) => one.candidate.close()))
  }
}

const NO_PEERS = {
  send: () => undefined,
  inquire: async () => Promise.resolve('down' as const),
  leader: () => 1,
  standAside: () => undefined,
  rejoin: () => undefined,
}

async function run(seed: number): Promise<Group> {
  const time = new VirtualTime()
  const group = new Group(seed, time)
  let isOver = false
  const script = async (): Promise<void> => {
    while (time.now < RUN_MS) await group.disturb()
    const end = time.now + 20 * LEASE_MS
    while (!group.leads && time.now < end) await time.sleep(PERIOD_MS)
    if (!group.leads) group.violations.push('nobody leads after the faults')
    await group.close()
    isOver = true
  }
  const scripted = script()
  await time.runUntil(() => isOver)
  await scripted
  return group
}

const FIRST = Number(process.env['SEED'] ?? 1)
const RUNS = Number(process.env['RUNS'] ?? 40)

test(
  'under random faults tokens rise, no two terms are valid at once, and one leads in the end',
  { timeout: 600_000 },
  async () => {
    let grants = 0
    for (let seed = FIRST; seed < FIRST + RUNS; seed++) {
      const group = await run(seed)
      expect(group.violations, `SEED=${seed} RUNS=1`).toEqual([])
      grants += group.grants
    }
    expect(grants).toBeGreaterThan(5 * RUNS)
  },
)
