/** Tests the metrics and spans with the real SDK of OpenTelemetry. */
import {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
  type MetricData,
} from '@opentelemetry/sdk-metrics'
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  SimpleSpanProcessor,
} from '@opentelemetry/sdk-trace-base'
import { expect, test } from 'vitest'
import { Cluster } from '../../test/support/members.ts'
import { until } from '../testing/wait.ts'
import { telemetry } from './index.ts'

function recorder() {
  const exporter = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE)
  const reader = new PeriodicExportingMetricReader({ exporter, exportIntervalMillis: 3_600_000 })
  const spans = new InMemorySpanExporter()
  const metrics = async (): Promise<Map<string, MetricData>> => {
    exporter.reset()
    await reader.forceFlush()
    const scopes = exporter.getMetrics().flatMap(({ scopeMetrics }) => scopeMetrics)
    const all = scopes.flatMap((scope) => scope.metrics)
    return new Map(all.map((one) => [one.descriptor.name, one]))
  }
  const meterProvider = new MeterProvider({ readers: [reader] })
  const tracerProvider = new BasicTracerProvider({
    spanProcessors: [new SimpleSpanProcessor(spans)],
  })
  return { options: { meterProvider, tracerProvider }, metrics, spans }
}

test('who leads, terms, peers and errors are measured, and a term and its work are spans', async () => {
  const cluster = new Cluster(['a', 'b'])
  await cluster.startAll()
  await cluster.agreed()
  const { leader } = cluster
  const { options, metrics, spans } = recorder()
  using recorded = telemetry(leader, options)
  leader.on('error', () => undefined)
  void leader
    .lead(
      recorded.traced(async () => Promise.reject(new Error('broken'))),
      { onError: 'throw' },
    )
    .catch(() => undefined)
  const own = { 'bellwether.group': 'test', 'bellwether.member': leader.id }
  const valueOf = (all: Map<string, MetricData>, name: string) =>
    all.get(name)?.dataPoints.map(({ attributes, value }) => ({ attributes, value }))
  expect(valueOf(await metrics(), 'bellwether.is_leader')).toEqual([{ attributes: own, value: 1 }])
  await until(() => leader.current === null && spans.getFinishedSpans().length === 2)
  const after = await metrics()
  const lost = { ...own, 'bellwether.reason': 'stepped-down' }
  expect(valueOf(after, 'bellwether.lost')).toEqual([{ attributes: lost, value: 1 }])
  expect(after.get('bellwether.term.duration')?.dataPoints[0]?.value).toMatchObject({ count: 1 })
  const failed = { ...own, 'error.type': 'work-failed' }
  expect(valueOf(after, 'bellwether.errors')).toEqual([{ attributes: failed, value: 1 }])
  const [work, term] = spans.getFinishedSpans().toSorted((a, b) => b.name.localeCompare(a.name))
  expect([work?.name, term?.name]).toEqual(['bellwether.work', 'bellwether.term'])
  expect(work?.parentSpanContext?.spanId).toBe(term?.spanContext().spanId)
  expect(work?.events.map(({ name }) => name)).toEqual(['exception'])
  expect(term?.attributes).toMatchObject({
    ...lost,
    'bellwether.detail': 'the work failed: broken',
    'bellwether.term.text': expect.stringMatching(/^\d+·[ab]$/u),
  })
})

test('nothing is recorded after stop, and an open span is ended', async () => {
  const cluster = new Cluster(['a'])
  const [only] = await cluster.startAll()
  await cluster.agreed()
  const { options, metrics, spans } = recorder()
  const recorded = telemetry(only, options)
  recorded.stop()
  expect(spans.getFinishedSpans().map(({ name }) => name)).toEqual(['bellwether.term'])
  await only.stepDown()
  expect((await metrics()).get('bellwether.lost')).toBeUndefined()
})
