/** The state of the Check page: the settings, the check that runs or has ended, and the walk through its states. */
import type { WalkView } from '../../../src/explore/walk.ts'
import { RunPlayer } from '../simulation/run-player.svelte.ts'
import type { SimulationClient } from '../simulation/simulation-client.ts'
import { CancelledError, type WorkerClient } from '../simulation/worker-client.ts'
import type { Settings } from '../simulation/worker-protocol.ts'
import { checker } from './checker-client.ts'
import type { CheckerQuestions, CheckOutcome, GraphView } from './checker-protocol.ts'

/** How many states the graph begins with, and how many it has at most. */
const FIRST_STATES = 300
const MOST_STATES = 20_000

/** What a session needs of the worker that checks. */
export type CheckerClient = Pick<WorkerClient<CheckerQuestions>, 'ask' | 'cancel'>

export class CheckSession {
  settings = $state.raw<Settings>([])
  progress = $state.raw<CheckerQuestions['check']['progress'] | null>(null)
  outcome = $state.raw<CheckOutcome | null>(null)
  error = $state('')
  walk = $state.raw<WalkView | null>(null)
  graph = $state.raw<GraphView | null>(null)
  /** Shows the walk as a run. */
  readonly player: RunPlayer
  private states = FIRST_STATES
  private readonly client: () => CheckerClient

  /** `client` checks; `simulates`: where the walk is played. */
  constructor(client: () => CheckerClient = checker, simulates?: () => SimulationClient) {
    this.client = client
    this.player = new RunPlayer(simulates)
  }

  get busy(): boolean {
    return this.progress !== null
  }

  /** Other settings: what was found for the earlier ones is gone. */
  choose(settings: Settings): void {
    if (this.busy) this.cancel()
    this.settings = settings
    this.outcome = this.walk = this.graph = null
    this.error = ''
    this.states = FIRST_STATES
  }

  async check(): Promise<void> {
    this.outcome = null
    this.error = ''
    this.progress = { states: 0, transitions: 0, depth: 0, frontier: 0, bytes: 0, ms: 0 }
    await this.attempt(async () => {
      const told = (progress: CheckerQuestions['check']['progress']) => (this.progress = progress)
      this.outcome = await this.client().ask('check', this.settings, told)
    })
    this.progress = null
  }

  cancel(): void {
    this.client().cancel()
  }

  /** Walks this way from the initial state. */
  async go(path: readonly number[]): Promise<void> {
    await this.attempt(async () => {
      const { settings } = this
      const walk = await this.client().ask('walk', { settings, path })
      if (settings !== this.settings) return
      this.walk = walk
      await this.player.open(walk.trace)
      this.player.goTo(Infinity)
      await this.look(this.states)
    })
  }

  back(): Promise<void> {
    return this.go(this.walk?.path.slice(0, -1) ?? [])
  }

  /** Walks a shortest way to a state of the graph. */
  async goTo(state: number): Promise<void> {
    await this.attempt(async () => {
      const { settings } = this
      await this.go(await this.client().ask('shortest', { settings, state }))
    })
  }

  get canFindMore(): boolean {
    return this.graph !== null && !this.graph.complete && this.states < MOST_STATES
  }

  async findMore(): Promise<void> {
    await this.attempt(() => this.look(Math.min(MOST_STATES, 4 * this.states)))
  }

  private async look(states: number): Promise<void> {
    this.states = states
    const { settings } = this
    const graph = await this.client().ask('graph', { settings, states })
    if (settings === this.settings) this.graph = graph
  }

  private async attempt(work: () => Promise<void>): Promise<void> {
    try {
      await work()
      this.error = ''
    } catch (error) {
      if (error instanceof CancelledError) return
      this.error = error instanceof Error ? error.message : String(error)
    }
  }
}
