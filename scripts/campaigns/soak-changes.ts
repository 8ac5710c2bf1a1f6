/**
 * `npm run soak:changes`: changes the members and the timing of a running group of real processes while members are
 * killed, paused and cut off, and checks the records that the members wrote. First come changes without faults, which
 * show how long each leaves the group without a leader.
 */
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { namesOf } from '../../src/cli/commands/up.ts'
import { Random } from '../../src/core/random.ts'
import type { GroupChange } from '../../src/runtime/membership/changed-configuration.ts'
import type { Namespaces } from '../../src/testing/namespaces.ts'
import { until } from '../../src/testing/wait.ts'
import { commandLine, count } from '../support/command-line.ts'
import { runSoak, SOAK_FLAGS } from '../support/soak-command.ts'
import { nowMs, TestCluster } from '../support/test-cluster.ts'
import { holdingsOf, leaderlessMs, violationsOf, type Noted } from './soak-check.ts'

export interface ChangeSoakOptions {
  readonly quiet: number
  readonly changes: number
  readonly faults: number
  readonly seed: number
  readonly network?: Namespaces
  readonly progress?: (text: string) => void
}

const PROGRAM = fileURLToPath(new URL('./soak-member.js', import.meta.url))
const FOUNDERS = 3
const MACHINES = 7
const FEWEST_VOTERS = 3
const LIMIT_MS = 60_000
const KINDS = ['kill', 'kill', 'pause', 'pause', 'stop', 'cut', 'cut'] as const

export async function soakChanges(options: ChangeSoakOptions) {
  const names = namesOf(MACHINES)
  const founders = names.slice(0, FOUNDERS)
  /** Who is started with the list of the founders. */
  const listed = new Set(founders)
  await using cluster = await TestCluster.open({
    members: MACHINES,
    program: PROGRAM,
    late: names.slice(FOUNDERS),
    ...(options.network && { network: options.network }),
    joinOf: (name, addresses) =>
      listed.has(name)
        ? [
            '--members',
            founders.map((one) => `${one}=${addresses.get(one)}`).join(','),
            '--detection',
            '600ms',
            '--lease',
            '800ms',
          ]
        : ['--join', [...addresses.values()].join(',')],
  })
  const group = new ChangingGroup(cluster, listed, options.seed)
  const windows: { readonly fromMs: number; readonly untilMs: number; readonly what: string }[] = []
  let [faults, stuck]: [Record<string, number>, string[]] = [{}, []]
  try {
    await group.agreed()
    for (let i = 0; i < options.quiet; i++) {
      const fromMs = nowMs()
      const what = await group.changeOnce()
      windows.push({ fromMs, untilMs: nowMs(), what })
      await group.agreed()
    }
    faults = await group.underFaults(options)
    await group.quiet()
  } catch (error) {
    stuck = [(error as Error).message]
  }
  await cluster.close()
  const notes: readonly Noted[] = cluster.entries
  const holdings = holdingsOf(notes)
  return {
    faults,
    changes: group.changes,
    terms: holdings.length,
    leaderlessMs: windows.map(({ fromMs, untilMs, what }) => ({
      what,
      ms: Math.round(10 * leaderlessMs(holdings, fromMs, untilMs)) / 10,
    })),
    violations: [...violationsOf(notes), ...stuck],
    notes,
  }
}

/** The members as the changes so far should have left them. */
class ChangingGroup {
  readonly changes: Record<string, number> = {}
  private readonly cluster: TestCluster
  private readonly random: Random
  private readonly listed: Set<string>
  private readonly voters: Set<string>
  private observer: string | undefined
  private orders = 0

  constructor(cluster: TestCluster, listed: Set<string>, seed: number) {
    this.cluster = cluster
    this.random = new Random(seed)
    this.listed = listed
    this.voters = new Set(listed)
  }

  /** All that should be members follow one leader. */
  async agreed(): Promise<void> {
    await this.cluster.agreed(() => this.members, undefined, LIMIT_MS)
  }

  /** Takes the next step of a random plan, and waits until a majority has it. Returns what it was. */
  async changeOnce(): Promise<string> {
    const change = this.next()
    const [what, name] = Object.entries(change)[0] as [string, string]
    if (what === 'add') this.cluster.processes.start(name)
    const end = performance.now() + LIMIT_MS
    while (!(await this.order(change))) {
      if (performance.now() > end) throw new Error(`no majority has ${JSON.stringify(change)}`)
      await sleep(20)
    }
    this.changes[what] = (this.changes[what] ?? 0) + 1
    if (what === 'add') this.observer = name
    if (what === 'promote') {
      this.observer = undefined
      this.voters.add(name)
    }
    if (what === 'remove') await this.retire(name)
    return what
  }

  /** Members are hurt at random while changes go on. */
  async underFaults(options: ChangeSoakOptions): Promise<Record<string, number>> {
    const counts: Record<string, number> = {}
    const progress = { isOver: false }
    const changing = this.changeMany(options).finally(() => (progress.isOver = true))
    changing.catch(() => undefined) // awaited below
    for (let i = 1; i <= options.faults || !progress.isOver; i++) {
      if (i <= options.faults) await this.hurt(counts)
      else await sleep(50)
      this.restartDead()
      if (i > options.faults) this.heal()
    }
    await changing
    return counts
  }

  private async changeMany({ changes, progress }: ChangeSoakOptions): Promise<void> {
    for (let i = 1; i <= changes; i++) {
      await this.changeOnce()
      if (i % 10 === 0) progress?.(`${i} of ${changes} changes\n`)
    }
  }

  async quiet(): Promise<void> {
    this.heal()
    const end = performance.now() + LIMIT_MS
    for (;;) {
      this.restartDead()
      try {
        return void (await this.cluster.agreed(() => this.members, undefined, 2000))
      } catch (error) {
        if (performance.now() > end) throw error
      }
    }
  }

  private get members(): string[] {
    return [...this.voters, ...(this.observer === undefined ? [] : [this.observer])]
  }

  private some(of: readonly string[]): string {
    return of[this.random.below(of.length)]
  }

  private next(): GroupChange {
    const { random, voters, observer } = this
    if (observer !== undefined) {
      return random.chance(0.85) ? { promote: observer } : { remove: observer }
    }
    if (random.chance(0.15)) return { timing: { lease: 700 + 50 * random.below(6) } }
    const outside = this.cluster.names.filter((name) => !voters.has(name))
    const mayShrink = voters.size > FEWEST_VOTERS
    if (outside.length > 0 && (!mayShrink || random.chance(0.5))) {
      const name = this.some(outside)
      return { add: name, address: this.cluster.processes.addresses.get(name)! }
    }
    return { remove: this.some([...voters]) }
  }

  /** Any member is asked; it asks the leader. Returns whether a majority has the change. */
  private async order(change: GroupChange): Promise<boolean> {
    const { processes } = this.cluster
    const running = this.members.filter((name) => processes.conditionOf(name) === 'running')
    if (running.length === 0) return false
    this.orders += 1
    const order = this.orders
    const asked = this.some(running)
    processes.send(asked, { change, order })
    const answer = (): Noted | undefined =>
      (this.cluster.entries as readonly Noted[]).findLast((note) => note.order === order)
    // A member that is paused or killed does not answer.
    const answered = await until(() => answer(), 'an answer', 3000).catch(() => undefined)
    return answered?.reason === 'done'
  }

  private async retire(name: string): Promise<void> {
    const { processes, state } = this.cluster
    this.voters.delete(name)
    this.listed.delete(name)
    if (this.observer === name) this.observer = undefined
    // A removed member ends by itself where it learns of it; a machine that is paused or cut off goes.
    await until(() => processes.conditionOf(name) === 'dead', 'its end', 4000).catch(() =>
      processes.kill(name),
    )
    await until(() => processes.conditionOf(name) === 'dead')
    rmSync(join(state, `cluster.${name}.state`), { force: true })
    rmSync(join(state, `soak.${name}.state`), { force: true })
  }

  private async hurt(counts: Record<string, number>): Promise<void> {
    const { random, cluster } = this
    const { processes } = cluster
    const kind = KINDS[random.below(KINDS.length)]
    const leader = cluster.leader()
    const leads = leader !== undefined && processes.conditionOf(leader) === 'running'
    // Two of five faults hit the leader.
    const name = leads && random.chance(0.4) ? leader : this.some(this.members)
    counts[kind] = (counts[kind] ?? 0) + 1
    if (kind === 'cut') processes.cut(name, this.some(this.members))
    else processes[kind](name)
    await sleep(50 + random.below(700))
    if (kind === 'pause' && random.chance(0.9)) processes.resume(name)
    if (random.chance(0.6)) processes.heal()
    if (random.chance(0.1)) for (const one of cluster.names) processes.resume(one)
  }

  private heal(): void {
    const { processes, names } = this.cluster
    for (const name of names) processes.resume(name)
    processes.heal()
  }

  private restartDead(): void {
    const { processes } = this.cluster
    for (const name of this.members) {
      if (processes.conditionOf(name) === 'dead') processes.start(name)
    }
  }
}

async function main(): Promise<void> {
  const run = 'npm run soak:changes'
  const { flags } = commandLine({
    run,
    does:
      'Changes the members and the timing of a running group of real processes, first without and then with random\n' +
      'faults, and checks the records that they wrote. Prints JSON; exit code 1 if a promise was broken.',
    flags: {
      quiet: count(20, 'how many changes without faults'),
      changes: count(80, 'how many changes during faults'),
      faults: count(300, 'how many faults'),
      seed: count(1, 'the random seed'),
      ...SOAK_FLAGS,
    },
  })
  await runSoak({ run, members: MACHINES, ...flags }, (surroundings) =>
    soakChanges({ ...flags, ...surroundings }),
  )
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await main()
