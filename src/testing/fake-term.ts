/** Makes a term for tests of a handler of `lead`: it behaves as a real one, and the test ends it or lets time pass. */
import type { Clock } from '../clock/monotonic.ts'
import { checkCall } from '../runtime/options/call-options.ts'
import { name, number, type OptionRow } from '../runtime/options/option-kinds.ts'
import { HeldTerm, type FencedTerm, type LostReason } from '../runtime/term.ts'

export interface FakeTermOptions {
  readonly group?: string
  readonly number?: number
  /** How long the term lasts, by the time that `pass` lets pass; by default for ever. */
  readonly lastsMs?: number
}

export interface FakeTerm {
  /** What the handler gets. */
  readonly term: FencedTerm
  /** The leader loses its term: the signal is aborted, and `assert` throws. */
  readonly end: (reason?: LostReason) => void
  /** Lets time pass for this term. It ends where that was its time. */
  readonly pass: (ms: number) => void
}

const OPTIONS = {
  group: name(''),
  number: number(0, Number.MAX_SAFE_INTEGER)(''),
  lastsMs: number(0, Infinity)(''),
} satisfies Record<keyof FakeTermOptions, OptionRow>

export function fakeTerm(options?: FakeTermOptions): FakeTerm {
  const { group = 'test', number = 1, lastsMs = Infinity } = checkCall(OPTIONS, options)
  let nowMs = 0
  const clock: Pick<Clock, 'now'> = { now: () => nowMs }
  const held = new HeldTerm({
    group,
    number,
    text: String(number),
    fenced: true,
    clock,
    deadline: () => lastsMs,
    check: () => undefined,
  })
  const end = (reason: LostReason = 'deposed'): void => {
    if (held.reason === null) held.end(reason)
  }
  const pass = (ms: number): void => {
    nowMs += ms
    if (nowMs >= lastsMs) end('expired')
  }
  return { term: held as unknown as FencedTerm, end, pass }
}
