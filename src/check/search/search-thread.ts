/**
 * One thread of a search: its own model, whose components have the same numbers in all threads, and its part in each
 * phase of a block. The memory is shared.
 */
import type { CheckConfig } from '../options.ts'
import { SharedLog } from '../tables/shared-log.ts'
import { Actions } from '../transitions/actions.ts'
import { Model } from '../transitions/model.ts'
import { Expansion } from './expansion.ts'
import { Judging, type Observed, type Observer } from './judging.ts'
import { lookUp, number } from './numbering.ts'
import { Control, SLICE_STRIDE, SliceWord, type SearchMemory } from './search-memory.ts'

export const Phase = { EXPAND: 0, LOOK_UP: 1, NUMBER: 2, JUDGE: 3, FILL_SLOTS: 4, STOP: 5 } as const

export class SearchThread {
  readonly model: Model
  readonly actions: Actions
  readonly log: SharedLog
  /** The errors of the slices that this thread could not expand to the end. */
  readonly errors = new Map<number, Error>()
  private readonly memory: SearchMemory
  private readonly expansion: Expansion
  private readonly judging: Judging

  constructor(
    config: CheckConfig,
    exactIds: boolean,
    memory: SearchMemory,
    observe: (observed: Observed) => Observer,
  ) {
    this.memory = memory
    this.model = new Model(config, exactIds)
    this.actions = new Actions(this.model)
    this.log = new SharedLog(memory.parts.log, this.model.tables)
    this.expansion = new Expansion(memory, this.model, this.actions)
    this.judging = new Judging(memory, this.observed, observe(this.observed))
  }

  get observed(): Observed {
    const { model, actions } = this
    return { config: model.config, model, actions, goals: this.memory.goals }
  }

  /** Does this thread's part of a phase. Thread 0 is the one that leads the search. */
  perform(phase: number, thread: number, threads: number): void {
    const { memory } = this
    switch (phase) {
      case Phase.EXPAND:
        return this.expand(thread)
      case Phase.LOOK_UP:
        return lookUp(memory, thread, threads)
      case Phase.NUMBER:
        return this.forEachSlice((slice) => number(memory, slice))
      case Phase.JUDGE:
        return this.forEachSlice((slice) => this.judging.judge(slice))
      case Phase.FILL_SLOTS:
        return memory.table.fillSlots(thread, threads)
    }
  }

  private expand(thread: number): void {
    const { memory, model } = this
    const { control } = memory
    this.errors.clear()
    model.runner.shortTimers = control[Control.SHORT_TIMERS]
    this.expansion.begin(thread)
    this.forEachSlice((slice) => {
      try {
        return this.expansion.expand(slice)
      } catch (error) {
        this.errors.set(slice, error as Error)
        memory.slices[slice * SLICE_STRIDE + SliceWord.FAILED] = 1
        return true
      }
    })
  }

  /** Takes one slice after the other, until there are no more or `work` returns false. */
  private forEachSlice(work: (slice: number) => boolean | void): void {
    const { control } = this.memory
    const slices = control[Control.SLICES]
    for (;;) {
      const slice = Atomics.add(control, Control.NEXT_SLICE, 1)
      if (slice >= slices || work(slice) === false) return
    }
  }
}
