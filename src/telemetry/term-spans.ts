/** Records a span of OpenTelemetry for each term of a member, and one inside it for each run of the work. */
import { context, SpanStatusCode, trace, type Span, type Tracer } from '@opentelemetry/api'
import type { ElectionEvents } from '../runtime/election-events.ts'
import type { Election } from '../runtime/handle.ts'
import { observing } from '../runtime/listeners.ts'
import type { LostReason, Term } from '../runtime/term.ts'

/** What a leader loses its term for without a fault. */
const ORDERLY: ReadonlySet<LostReason> = new Set(['stepped-down', 'closed', 'deposed'])

export class TermSpans {
  private readonly election: Election
  private readonly tracer: Tracer
  private readonly spans = new Map<number, Span>()
  private readonly elected = observing(({ term }: ElectionEvents['elected']) => this.begin(term))
  private readonly lost = observing((event: ElectionEvents['lost']) => this.end(event))

  constructor(election: Election, tracer: Tracer) {
    this.election = election
    this.tracer = tracer
    if (election.current !== null) this.begin(election.current.number)
    election.on('elected', this.elected)
    election.on('lost', this.lost)
  }

  stop(): void {
    this.election.off('elected', this.elected)
    this.election.off('lost', this.lost)
    for (const span of this.spans.values()) span.end()
    this.spans.clear()
  }

  traced<T extends Term, R>(work: (term: T) => R): (term: T) => R {
    return (term) => {
      const parent = this.spans.get(term.number)
      const outer =
        parent === undefined ? context.active() : trace.setSpan(context.active(), parent)
      const span = this.tracer.startSpan('bellwether.work', { attributes: this.of(term) }, outer)
      const fail = (error: unknown): never => {
        span.recordException(error as Error)
        span.setStatus({ code: SpanStatusCode.ERROR, message: String(error) })
        span.end()
        throw error
      }
      try {
        const result = context.with(trace.setSpan(outer, span), () => work(term))
        if (!(result instanceof Promise)) {
          span.end()
          return result
        }
        const ended = result.then((value: unknown) => {
          span.end()
          return value
        }, fail)
        return ended as R
      } catch (error) {
        return fail(error)
      }
    }
  }

  private begin(number: number): void {
    const term = { number, text: this.election.termText(number) }
    this.spans.set(number, this.tracer.startSpan('bellwether.term', { attributes: this.of(term) }))
  }

  private end({ term, reason, detail }: ElectionEvents['lost']): void {
    const span = this.spans.get(term)
    this.spans.delete(term)
    if (span === undefined) return
    span.setAttribute('bellwether.reason', reason)
    if (detail !== undefined) span.setAttribute('bellwether.detail', detail)
    if (!ORDERLY.has(reason)) span.setStatus({ code: SpanStatusCode.ERROR, message: reason })
    span.end()
  }

  private of({ number, text }: Pick<Term, 'number' | 'text'>) {
    return {
      'bellwether.group': this.election.group,
      'bellwether.member': this.election.id,
      'bellwether.term': number,
      'bellwether.term.text': text,
    }
  }
}
