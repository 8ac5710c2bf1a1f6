/** The state of the Write page: the program, what is wrong with it, its run and its check. */
import { CheckSession } from '../checker/check-session.svelte.ts'
import { t, told } from '../language/translate.ts'
import { withAlgorithm, withSetting } from '../run/edit-settings.ts'
import { recall, remember } from '../shell/preferences.svelte.ts'
import { RunPlayer } from '../simulation/run-player.svelte.ts'
import type { AlgorithmInfo, Run, Settings } from '../simulation/worker-protocol.ts'
import { algorithmSource } from '../sources/algorithm-sources.ts'
import { brokenText, lineOf, type Exercise } from './exercises.ts'
import type { Problem } from './program-problem.ts'
import { Sandbox } from './sandbox.ts'

/** How long the viewer must not type before the program runs again. */
const PAUSE_MS = 500
const OPENING: Settings = [
  ['algorithm', ''],
  ['nodes', '4'],
  ['seed', '1'],
]
const FAULTS: Settings = [['crash', '4@60ms']]

export class WriteSession {
  text = $state.raw('')
  problems = $state.raw<readonly Problem[]>([])
  /** What the sandbox knows of the program that was loaded last; null: it could not be loaded. */
  algorithm = $state.raw<AlgorithmInfo | null>(null)
  exercise = $state.raw<{ readonly of: Exercise; readonly line: number } | null>(null)
  /** The text came with a link: it runs when the viewer asks for it. */
  untrusted = $state(false)
  loading = $state(false)
  /** Rises with each text that does not come from the editor itself. */
  opened = $state(0)
  readonly sandbox = new Sandbox(
    (problem) => this.meet(problem),
    (seconds) => t('write.problem.silent', { seconds }),
  )
  readonly player = new RunPlayer(this.sandbox.simulation)
  readonly check = new CheckSession(this.sandbox.checker, this.sandbox.simulation)
  private settings: Settings = OPENING
  private timer: ReturnType<typeof setTimeout> | undefined
  private turn = 0

  /** The settings of the run, for a link. */
  get runSettings(): Settings {
    const { settings } = this.player
    return settings.length > 0 ? settings : this.settings
  }

  /** The lines that the shown step ran. */
  get executed(): readonly number[] {
    const { run, index } = this.player
    return index < 0 ? [] : (run?.lines?.[index]?.lines ?? [])
  }

  /** The program that the viewer left, or the first algorithm. */
  async start(): Promise<void> {
    const left = recall('program')
    if (left === null) await this.openFile('bully')
    else await this.open(left)
  }

  async openFile(path: string): Promise<void> {
    await this.open(await algorithmSource(path))
  }

  async openExercise(exercise: Exercise): Promise<void> {
    const text = await algorithmSource(exercise.file)
    await this.open(brokenText(exercise, text))
    this.exercise = { of: exercise, line: lineOf(exercise, text) }
    this.check.choose(this.checkSettings(exercise.budget))
  }

  /** Another program. With settings, it came with a link. */
  async open(text: string, settings?: Settings): Promise<void> {
    this.exercise = null
    this.settings = settings ?? OPENING
    this.untrusted = settings !== undefined
    this.text = text
    this.opened += 1
    this.problems = []
    if (this.untrusted) this.algorithm = null
    else await this.run()
  }

  /** The viewer types. */
  edit(text: string): void {
    this.text = text
    clearTimeout(this.timer)
    if (!this.untrusted) this.timer = setTimeout(() => void this.run(), PAUSE_MS)
  }

  /** Loads the program and runs it. */
  async run(): Promise<void> {
    clearTimeout(this.timer)
    this.untrusted = false
    const turn = ++this.turn
    const { text } = this
    remember('program', text)
    if (this.check.busy) this.check.cancel()
    this.loading = true
    const loaded = await this.sandbox.load(text).catch(() => null)
    if (turn !== this.turn) return
    this.loading = false
    this.algorithm = loaded?.algorithm ?? null
    // The sandbox ended a program that never returned, and has said so.
    if (loaded === null) return
    this.problems = loaded.problems
    if (loaded.algorithm === null) return this.player.pause()
    this.check.choose(this.checkSettings(this.check.settings))
    await this.play(loaded.algorithm)
  }

  private async play(algorithm: AlgorithmInfo): Promise<void> {
    const { player } = this
    const first = this.settings === OPENING && player.settings.length === 0
    const before = player.settings.length > 0 ? player.settings : this.settings
    const faults = first && algorithm.topology === 'complete' ? FAULTS : []
    if (!(await player.load(withAlgorithm([...before, ...faults], algorithm)))) return
    this.tellBroken(player.run)
    player.play()
  }

  async set(key: string, value: string): Promise<void> {
    const settings = withSetting(this.player.settings, key, value)
    this.problems = []
    if (await this.player.load(settings)) this.tellBroken(this.player.run)
  }

  async runCheck(): Promise<void> {
    this.problems = []
    await this.check.check()
  }

  /** Shows the run that breaks a promise, step by step. */
  async showRun(trace: string): Promise<void> {
    if (await this.player.open(trace)) this.tellBroken(this.player.run)
  }

  chooseBudget(settings: Settings): void {
    this.check.choose(this.checkSettings(settings))
  }

  private checkSettings(budget: Settings): Settings {
    const rest = budget.filter(([key]) => key !== 'algorithm')
    const usual: Settings = [
      ['nodes', '2'],
      ['crashes', '1'],
      ['recoveries', '1'],
    ]
    return [['algorithm', this.algorithm?.name ?? ''], ...(rest.length > 0 ? rest : usual)]
  }

  /** A promise is broken at the line that changed the leader in that step. */
  private tellBroken(run: Run | null): void {
    if (run === null || run.stop < 0) return
    const { leader, lines } = run.lines?.[run.stop] ?? { leader: null, lines: [] }
    const sentence = told(run.steps[run.stop].violations[0] ?? run.remark)
    const values = { sentence, step: run.stop + 1 }
    this.meet({ kind: 'broken', values, line: leader ?? lines.at(-1) ?? null })
  }

  private meet(problem: Problem): void {
    this.problems = [problem]
    this.player.pause()
  }

  close(): void {
    clearTimeout(this.timer)
    this.player.pause()
    this.sandbox.close()
  }
}
