/** Measures a member with instruments of OpenTelemetry: who leads, terms, peers, errors and the lag of the event loop. */
import type { Attributes, Meter, ObservableCallback } from '@opentelemetry/api'
import { monotonic } from '../clock/monotonic.ts'
import { BellwetherError } from '../core/errors/bellwether-error.ts'
import type { ElectionEvents } from '../runtime/election-events.ts'
import type { Election } from '../runtime/handle.ts'
import { observing, type Listener } from '../runtime/listeners.ts'

/** Returns the function that ends it. */
export function measure(election: Election, meter: Meter): () => void {
  const own = { 'bellwether.group': election.group, 'bellwether.member': election.id }
  const stopGauges = observeGauges(election, meter, own)
  const stopCounters = countEvents(election, meter, own)
  return () => {
    stopGauges()
    stopCounters()
  }
}

function observeGauges(election: Election, meter: Meter, own: Attributes): () => void {
  const gauges: [name: string, description: string, unit: string, observe: ObservableCallback][] = [
    [
      'bellwether.is_leader',
      'Whether this member leads. The sum over a group should be 1.',
      '1',
      (result) => result.observe(election.current === null ? 0 : 1, own),
    ],
    [
      'bellwether.term',
      'The latest term that this member accepted.',
      '1',
      (result) => result.observe(election.term, own),
    ],
    [
      'bellwether.ready',
      'Whether this member takes part.',
      '1',
      (result) => result.observe(election.status().status === 'off' ? 0 : 1, own),
    ],
    [
      'bellwether.peer.up',
      'The verdict of the failure detector, where there is one.',
      '1',
      (result) => {
        for (const { id, state } of election.status().peers) {
          if (state === 'unknown') continue
          result.observe(state === 'up' ? 1 : 0, { ...own, 'bellwether.peer': id })
        }
      },
    ],
    [
      'bellwether.event_loop.lag',
      'The largest delay of a timer lately.',
      's',
      (result) => result.observe(election.status().loopLagMs / 1000, own),
    ],
  ]
  const ends = gauges.map(([name, description, unit, observe]) => {
    const gauge = meter.createObservableGauge(name, { description, unit })
    gauge.addCallback(observe)
    return () => gauge.removeCallback(observe)
  })
  return () => ends.forEach((end) => end())
}

function countEvents(election: Election, meter: Meter, own: Attributes): () => void {
  const counter = (name: string, description: string) => meter.createCounter(name, { description })
  const elected = counter('bellwether.elected', 'Terms that this member won.')
  const lost = counter('bellwether.lost', 'Terms that this member lost, by reason.')
  const errors = counter('bellwether.errors', 'Errors that were reported, by type.')
  const duration = meter.createHistogram('bellwether.term.duration', {
    description: 'How long a term of this member lasted.',
    unit: 's',
  })
  let electedAt = election.current === null ? undefined : monotonic.now()
  const listeners = {
    elected: observing(() => {
      electedAt = monotonic.now()
      elected.add(1, own)
    }),
    lost: observing(({ reason, atMs }: ElectionEvents['lost']) => {
      const attributes = { ...own, 'bellwether.reason': reason }
      lost.add(1, attributes)
      if (electedAt !== undefined) duration.record((atMs - electedAt) / 1000, attributes)
      electedAt = undefined
    }),
    error: observing((error: Error) => {
      const type = error instanceof BellwetherError ? error.code : error.name
      errors.add(1, { ...own, 'error.type': type })
    }),
  } satisfies Partial<{ [K in keyof ElectionEvents]: Listener<ElectionEvents[K]> }>
  election.on('elected', listeners.elected)
  election.on('lost', listeners.lost)
  election.on('error', listeners.error)
  return () => {
    election.off('elected', listeners.elected)
    election.off('lost', listeners.lost)
    election.off('error', listeners.error)
  }
}
