/** Waits for a view or for a promise, and gives up with the reason of an AbortSignal. */
import type { LatestValue } from './latest-value.ts'

export interface WaitOptions {
  /** Ends the waiting: it rejects with the signal's reason. */
  readonly signal?: AbortSignal
}

/** What `pick` makes of the first view for which it makes something; throws `closed()` where the views end before. */
export async function firstOf<V, T>(
  views: LatestValue<V>,
  pick: (view: V) => T | null,
  closed: () => Error,
  signal?: AbortSignal,
): Promise<T> {
  signal?.throwIfAborted()
  for await (const view of views.watch(signal)) {
    const found = pick(view)
    if (found !== null) return found
  }
  signal?.throwIfAborted()
  throw closed()
}

/** Follows the promise until the signal is aborted; what it stands for goes on. */
export async function abortable<T>(promise: Promise<T>, signal?: AbortSignal): Promise<T> {
  if (signal === undefined) return promise
  let abort: () => void = () => undefined
  const aborted = new Promise<never>((_, reject) => {
    abort = () => reject(signal.reason as Error)
    if (signal.aborted) abort()
    else signal.addEventListener('abort', abort, { once: true })
  })
  try {
    return await Promise.race([promise, aborted])
  } finally {
    signal.removeEventListener('abort', abort)
  }
}
