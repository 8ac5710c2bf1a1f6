/**
 * Tests a handler of `lead` by ending its term at every await, one run for each, and checks that it settles within its
 * drain. The handler runs many times; in the k-th run the term ends when the handler resumes for the k-th time. The
 * handler must then settle within its drain.
 */
import { AsyncLocalStorage, createHook } from 'node:async_hooks'
import { BellwetherError } from '../core/errors/bellwether-error.ts'
import { monotonic } from '../clock/monotonic.ts'
import { sleep } from '../clock/sleep.ts'
import { checkCall, checkFunction } from '../runtime/options/call-options.ts'
import { number, type OptionRow } from '../runtime/options/option-kinds.ts'
import { HeldTerm, type FencedTerm } from '../runtime/term.ts'

export interface LossOptions {
  /** How long the handler may take to stop; milliseconds. By default 1000. */
  readonly drainMs?: number
  /** How many times to run a handler that never ends by itself. By default 100. */
  readonly mostRuns?: number
}

export class StillRunningError extends BellwetherError {
  override readonly name = 'StillRunningError'
  readonly code = 'still-running'
  /** The resumption at which the term ended. */
  readonly resumption: number

  constructor(resumption: number, drainMs: number) {
    super(
      `the term ended at resumption ${resumption} of the handler, and ${drainMs} ms later it ` +
        'was still running: pass term.signal to what it waits for, or look at term.signal.aborted',
    )
    this.resumption = resumption
  }
}

const OPTIONS = {
  drainMs: number(0, Infinity)(''),
  mostRuns: number(1, Infinity)(''),
} satisfies Record<keyof LossOptions, OptionRow>

/**
 * Returns how many times the handler ran. Rejects with StillRunningError, and with what the handler throws while it
 * leads: after the loss it may end with any error.
 */
export async function loseLeadershipAtEveryAwait(
  handler: (term: FencedTerm) => unknown,
  options?: LossOptions,
): Promise<number> {
  checkFunction(handler, 'handler')
  const { drainMs = 1000, mostRuns = 100 } = checkCall(OPTIONS, options)
  for (let run = 1; run <= mostRuns; run++) {
    const ended = await loseAt(run, handler, drainMs)
    if (ended) return run
  }
  return mostRuns
}

/** Returns whether the handler settled, or waited for ever, before its k-th resumption: it then has no more. */
async function loseAt(
  k: number,
  handler: (term: FencedTerm) => unknown,
  drainMs: number,
): Promise<boolean> {
  const term = new HeldTerm({
    group: 'lose-leadership',
    number: k,
    text: String(k),
    fenced: true,
    clock: monotonic,
    deadline: () => Infinity,
    check: () => undefined,
  })
  const settled = new AbortController()
  let resumptions = 0
  const context = new AsyncLocalStorage<HeldTerm>()
  // Promises only: a timer that is cleared while it fires would break Node.
  const promises = new Set<number>()
  const hook = createHook({
    init(id, type) {
      if (type === 'PROMISE' && context.getStore() === term) promises.add(id)
    },
    before(id) {
      if (!promises.delete(id) || term.reason !== null) return
      resumptions += 1
      if (resumptions === k) term.end('deposed')
    },
  }).enable()
  try {
    const work = context.run(term, async () => {
      await handler(term as unknown as FencedTerm)
    })
    let failure: { readonly error: unknown } | undefined
    const noteFailure = (error: unknown): void => {
      if (term.reason === null) failure = { error }
    }
    void work.catch(noteFailure).then(() => settled.abort())
    await sleep(drainMs, AbortSignal.any([settled.signal, term.signal]))
    if (failure !== undefined) throw failure.error
    const early = term.reason === null
    if (early) term.end('deposed')
    await sleep(drainMs, settled.signal)
    if (!settled.signal.aborted) throw new StillRunningError(resumptions, drainMs)
    return early
  } finally {
    hook.disable()
  }
}
