/**
 * Attacks two processes of a port that many groups share as the third one, which holds the key; then ends the rogue, kills
 * one of the two, and measures how soon each group has a leader.
 */
import { fork, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { algorithms } from '../../../src/algorithms/index.ts'
import { Random } from '../../../src/core/random.ts'
import { detectors } from '../../../src/detectors/index.ts'
import { firstConfiguration } from '../../../src/runtime/membership/group-configuration.ts'
import { resolveOptions } from '../../../src/runtime/options/resolve-options.ts'
import { freePorts } from '../../../src/testing/local-cluster.ts'
import { until } from '../../../src/testing/wait.ts'
import type { Held, PortMemberOrder, PortMemberReport } from './port-member.ts'
import { rogueMessages, SeenNumbers } from './rogue-frames.ts'
import { RoguePairFrames } from './rogue-pair-frames.ts'
import { RogueProcess } from './rogue-process.ts'

const ROGUE = 'c'
const HONEST = ['a', 'b'] as const
const KEY = 'the key of three processes, of which one is malicious'
/** The rogue has the seat of a member in three groups, and none in the fourth one. */
const APART = 'apart'
const SHARED = ['group-0', 'group-1', 'group-2']
const ELECT_MS = 10_000
const MAX_GROWTH_MB = 20
/** What one peer may announce is kept while it is connected. */
const MAX_PEAK_MB = 250
const IMPLEMENTATIONS = {
  algorithms,
  detectors,
  byDefault: { advisory: 'bully-fd', quorum: 'bully-fd-quorum', detector: 'link' },
} as const
const script = fileURLToPath(new URL('port-member.ts', import.meta.url))
const execArgv = [
  '--conditions=bellwether-source',
  '--import',
  'tsx',
  '--expose-gc',
  '--no-warnings',
]

interface PortResult {
  readonly attack: 'a malicious process of a shared port'
  readonly run: number
  readonly frames: number
  /** Handshakes that passed, dialled by either side. */
  readonly connections: number
  /** Frames of members that had accepted the rogue as a member of their group. */
  readonly groupFrames: number
  /** Whether the genuine process started after the rogue, and follows in every group. */
  readonly genuine: 'not started' | 'follows' | 'rejected'
  /** After the end of the rogue and the death of a process: from its next start to a leader in each group. */
  readonly electedMs: number
  readonly deaths: number
  /** Leaders and terms that the group without the rogue had during the attack: one. */
  readonly leadersApart: readonly string[]
  /** Two leaders of a group at once. */
  readonly overlaps: readonly string[]
  /** Of the resident memory during the attack, and of the heap after it. */
  readonly peakMb: number
  readonly grownMb: number
  readonly ok: boolean
}

/** One process, started again and again. */
class PortMember {
  last: PortMemberReport | undefined
  deaths = 0
  peakMb = 0
  private child: ChildProcess | undefined
  private isEnding = false
  private measured: number | undefined
  private readonly order: PortMemberOrder
  private readonly heard: (report: PortMemberReport) => void

  constructor(order: PortMemberOrder, heard: (report: PortMemberReport) => void) {
    this.order = order
    this.heard = heard
  }

  get isRunning(): boolean {
    const { child } = this
    return child !== undefined && child.exitCode === null && child.signalCode === null
  }

  start(): void {
    const child = fork(script, { execArgv })
    this.child = child
    this.isEnding = false
    child.on('message', (report: PortMemberReport) => {
      if (child !== this.child) return
      this.last = report
      this.measured ??= report.heapMb
      this.peakMb = Math.max(this.peakMb, report.rssMb)
      this.heard(report)
    })
    child.on('exit', () => {
      if (!this.isEnding) this.deaths += 1
    })
    child.send(this.order)
  }

  async kill(): Promise<void> {
    if (this.child === undefined) return
    const { child, isRunning: wasRunning } = this
    this.isEnding = true
    this.child = undefined
    this.last = undefined
    if (!wasRunning) return
    const exited = once(child, 'exit')
    child.kill('SIGKILL')
    await exited
  }

  /** The heap after a collection of garbage. */
  async heapMb(): Promise<number> {
    if (!this.isRunning) return 0
    this.measured = undefined
    this.child?.send('measure')
    return until(() => this.measured, 'a measurement')
  }
}

class Scene implements AsyncDisposable {
  readonly members = new Map<string, PortMember>()
  readonly addresses: Readonly<Record<string, string>>
  leadersApart = new Set<string>()
  readonly overlaps: string[] = []
  private readonly held = new Map<string, Held[]>()
  private readonly folder = mkdtempSync(join(tmpdir(), 'bellwether-hostile-port-'))

  private constructor(addresses: Readonly<Record<string, string>>) {
    this.addresses = addresses
    const { [ROGUE]: _, ...others } = addresses
    const shared = Object.fromEntries(SHARED.map((group) => [group, addresses]))
    for (const [id, listen] of Object.entries(addresses)) {
      const groups = id === ROGUE ? shared : { ...shared, [APART]: others }
      const order = { id, key: KEY, listen, state: join(this.folder, id), groups }
      this.members.set(id, new PortMember(order, (report) => this.note(id, report)))
    }
  }

  static async open(): Promise<Scene> {
    const ports = await freePorts(3)
    const ids = [...HONEST, ROGUE]
    const scene = new Scene(Object.fromEntries(ids.map((id, i) => [id, `127.0.0.1:${ports[i]}`])))
    for (const member of scene.members.values()) member.start()
    // New groups begin with all of their members.
    await scene.led(ids, 60_000)
    await scene.member(ROGUE).kill()
    await scene.led(HONEST, 60_000)
    return scene
  }

  member(id: string): PortMember {
    return this.members.get(id)!
  }

  get deaths(): number {
    return HONEST.reduce((sum, id) => sum + this.member(id).deaths, 0)
  }

  /** Waits until these processes agree on a leader in each of their groups, whose process runs and whose term passes. */
  async led(ids: readonly string[], limitMs: number): Promise<void> {
    await until(() => this.areLed(ids), `leaders that ${ids.join()} follow`, limitMs)
  }

  private areLed(ids: readonly string[]): boolean {
    return [...SHARED, APART].every((group) => {
      const leader = this.leaderOf(group)
      const views = ids.map((id) => this.viewOf(id, group)).filter((view) => view !== undefined)
      return leader !== undefined && views.every((view) => view === leader)
    })
  }

  /** Whether each group has a leader whose term passes, and which a majority of its members name. */
  haveLeaders(): boolean {
    return [...SHARED, APART].every((group) => this.leaderOf(group) !== undefined)
  }

  private leaderOf(group: string): string | undefined {
    const ids = [...this.members.keys()].filter((id) => group !== APART || id !== ROGUE)
    return ids.find((leader) => {
      const followers = ids.filter((id) => this.viewOf(id, group) === leader)
      const passes = this.member(leader).last?.leads.includes(group) === true
      return passes && 2 * followers.length > ids.length
    })
  }

  /** The leader that the process names, empty: none; undefined: it does not take part. */
  private viewOf(id: string, group: string): string | undefined {
    if (group === APART && id === ROGUE) return undefined
    return this.member(id).last?.views[group]?.leader ?? ''
  }

  private note(id: string, { held, views }: PortMemberReport): void {
    for (const one of held) this.hold(id, one)
    const apart = id === ROGUE ? undefined : views[APART]
    this.leadersApart.add(apart === undefined ? 'none' : `${apart.leader} in ${apart.term}`)
  }

  /** Terms of two members that both passed within some time are two leaders at once. */
  private hold(id: string, held: Held): void {
    const key = `${id} ${held.group}`
    const own = this.held.get(key) ?? []
    this.held.set(key, [...own.filter(({ first }) => first !== held.first), held].slice(-8))
    for (const other of this.members.keys()) {
      if (other === id) continue
      for (const theirs of this.held.get(`${other} ${held.group}`) ?? []) {
        const ms = Math.min(held.last, theirs.last) - Math.max(held.first, theirs.first)
        if (ms <= 0) continue
        const terms = `${id} in ${held.term} and ${other} in ${theirs.term}`
        const text = `${held.group}: ${terms}`
        if (!this.overlaps.includes(text)) this.overlaps.push(text)
      }
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([...this.members.values()].map(async (member) => member.kill()))
    rmSync(this.folder, { recursive: true })
  }
}

export async function attackPort(
  runs: number,
  framesPerRun: number,
  report: (result: PortResult) => void,
): Promise<boolean> {
  await using scene = await Scene.open()
  let ok = true
  for (let run = 1; run <= runs; run++) {
    const result = await attackOnce(scene, run, framesPerRun)
    ok &&= result.ok
    report(result)
  }
  return ok
}

async function attackOnce(scene: Scene, run: number, count: number): Promise<PortResult> {
  const [deathsBefore, overlapsBefore] = [scene.deaths, scene.overlaps.length]
  const rogue = await openRogue(scene, run)
  const honest = HONEST.map((id) => scene.member(id))
  const heapsBefore = await Promise.all(honest.map(async (member) => member.heapMb()))
  const rssBefore = honest.map(({ last }) => last!.rssMb)
  for (const member of honest) member.peakMb = 0
  scene.leadersApart = new Set()
  await rogue.attack(count, () => scene.deaths > deathsBefore)
  const leadersApart = [...scene.leadersApart]
  await rogue[Symbol.asyncDispose]()
  const peakMb = Math.max(...honest.map(({ peakMb: peak }, i) => peak - rssBefore[i]))
  const heaps = await Promise.all(honest.map(async (member) => member.heapMb()))
  const grownMb = Math.max(...heaps.map((heap, i) => heap - heapsBefore[i]))
  const deaths = scene.deaths - deathsBefore
  const { electedMs, genuine } = await removeAndElect(scene, run)
  const { sent: frames, connections, groupFrames } = rogue
  const overlaps = scene.overlaps.slice(overlapsBefore)
  const isKept = leadersApart.length === 1 && overlaps.length === 0 && deaths === 0
  const isBounded = peakMb < MAX_PEAK_MB && grownMb < MAX_GROWTH_MB
  const hasAttacked = connections > 0 && groupFrames > 0
  return {
    attack: 'a malicious process of a shared port',
    run,
    frames,
    connections,
    groupFrames,
    genuine,
    electedMs: Math.round(electedMs),
    deaths,
    leadersApart,
    overlaps,
    peakMb: Math.round(peakMb),
    grownMb: Math.round(grownMb * 10) / 10,
    ok: isKept && isBounded && hasAttacked && electedMs < ELECT_MS,
  }
}

async function openRogue(scene: Scene, run: number): Promise<RogueProcess> {
  const random = new Random(run)
  const seen = new SeenNumbers()
  const group = SHARED[run % SHARED.length]
  const options = resolveOptions({ group, id: ROGUE, members: scene.addresses }, IMPLEMENTATIONS)
  const messages = rogueMessages(random, firstConfiguration(options), seen)
  return RogueProcess.open({
    id: ROGUE,
    address: scene.addresses[ROGUE],
    key: KEY,
    peers: HONEST.map((id) => ({ id, address: scene.addresses[id] })),
    foreign: [APART],
    random,
    frames: new RoguePairFrames(random, messages),
    seen,
  })
}

/** Kills one process; starts it again, and in every other run the genuine one in the place of the rogue. */
async function removeAndElect(
  scene: Scene,
  run: number,
): Promise<Pick<PortResult, 'electedMs' | 'genuine'>> {
  const isStarted = run % 2 === 1
  const victim = scene.member(HONEST[Math.floor(run / 2) % 2])
  await victim.kill()
  for (const id of HONEST) if (!scene.member(id).isRunning) scene.member(id).start()
  if (isStarted) scene.member(ROGUE).start()
  // Before that the group apart has no majority, nor have the others where the genuine process does not start.
  await until(() => victim.last, 'the restarted process', 3 * ELECT_MS)
  const startedMs = performance.now()
  await until(() => scene.haveLeaders(), 'leaders', 3 * ELECT_MS).catch(() => undefined)
  const electedMs = performance.now() - startedMs
  if (!isStarted) {
    await scene.led(HONEST, 3 * ELECT_MS).catch(() => undefined)
    return { electedMs, genuine: 'not started' }
  }
  // A rogue may have claimed a later incarnation, which rejects earlier ones for ten minutes, or until a restart.
  const follows = await scene.led([...HONEST, ROGUE], ELECT_MS).then(
    () => true,
    () => false,
  )
  await scene.member(ROGUE).kill()
  await scene.led(HONEST, 3 * ELECT_MS).catch(() => undefined)
  return { electedMs, genuine: follows ? 'follows' : 'rejected' }
}
