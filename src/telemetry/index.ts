/**
 * The public entry `bellwether/telemetry`: metrics and spans of a member through the API of OpenTelemetry. The
 * application installs `@opentelemetry/api` and an SDK; without an SDK nothing is recorded.
 */
import {
  metrics,
  trace,
  type MeterProvider,
  type Tracer,
  type TracerProvider,
} from '@opentelemetry/api'
import type { Election } from '../runtime/handle.ts'
import type { Term } from '../runtime/term.ts'
import { measure } from './measure.ts'
import { TermSpans } from './term-spans.ts'

export interface TelemetryOptions {
  /** By default the global one. */
  readonly meterProvider?: MeterProvider
  /** By default the global one. */
  readonly tracerProvider?: TracerProvider
}

export interface Telemetry extends Disposable {
  /** Wraps the work of `lead`: each run is a span `bellwether.work` inside the span of its term. */
  traced<T extends Term, R>(work: (term: T) => R): (term: T) => R
  /** Records nothing more. A span that is open is ended. */
  stop(): void
}

const NAME = 'bellwether'

/** Records metrics, and a span `bellwether.term` for each term of this member, until `stop` is called. */
export function telemetry(election: Election, options: TelemetryOptions = {}): Telemetry {
  const { meterProvider = metrics, tracerProvider = trace } = options
  const tracer: Tracer = tracerProvider.getTracer(NAME)
  const spans = new TermSpans(election, tracer)
  const stopMeasuring = measure(election, meterProvider.getMeter(NAME))
  const stop = (): void => {
    stopMeasuring()
    spans.stop()
  }
  return { traced: (work) => spans.traced(work), stop, [Symbol.dispose]: stop }
}
