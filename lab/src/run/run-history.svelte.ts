/** Keeps the runs that the viewer has made in the history of the browser, so that Back, Forward, undo and redo return to them. */
import type { RunPlayer } from '../simulation/run-player.svelte.ts'

interface Entry {
  /** How many runs the viewer can undo from here. */
  readonly depth: number
  /** The moment that was shown when the viewer went on to the next run. */
  readonly time?: number
}

export class RunHistory {
  private readonly player: Pick<RunPlayer, 'time'>
  private depth = $state(0)
  private deepest = $state(0)

  constructor(player: Pick<RunPlayer, 'time'>) {
    this.player = player
    this.depth = this.deepest = entry().depth
  }

  get canUndo(): boolean {
    return this.depth > 0
  }

  get canRedo(): boolean {
    return this.depth < this.deepest
  }

  // The browser knows where it is before the page has read it: quick input counts.
  undo(): void {
    if (entry().depth > 0) history.back()
  }

  redo(): void {
    if (entry().depth < this.deepest) history.forward()
  }

  /** The address of the run that is shown. A run that the viewer made is a new entry. */
  show(hash: string): void {
    if (hash === location.hash) return
    const isFirst = location.hash === '' || history.state === null
    if (isFirst) {
      history.replaceState({ depth: this.depth } satisfies Entry, '', hash)
      return
    }
    history.replaceState({ depth: this.depth, time: this.player.time } satisfies Entry, '')
    this.depth += 1
    this.deepest = this.depth
    history.pushState({ depth: this.depth } satisfies Entry, '', hash)
  }

  /** The moment to show of a run that Back or Forward returned to; null: the run is a new one. */
  returnedTo(): number | null {
    const { depth, time } = entry()
    this.depth = depth
    return time ?? null
  }
}

function entry(): Entry {
  return (history.state as Entry | null) ?? { depth: 0 }
}
