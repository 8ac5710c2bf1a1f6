/** Replays a trace: computes its steps and effects again, and compares the result with the text. */
import { parseTrace, TraceError, writeTrace, type Trace } from './trace.ts'
import { members, recordRun, summarize, traceOf, type MemberSummary } from '../run.ts'
import { InputError } from '../settings/input-error.ts'
import { parseSettings, type SettingsRegistry, type Settings } from '../settings/settings.ts'
import { Stepper } from '../stepper/stepper.ts'
import type { Recording } from './recording.ts'
import type { Violation } from './monitors.ts'

export interface Replay {
  readonly mode: 'timed' | 'stepped'
  /** The trace as computed now. */
  readonly text: string
  readonly recording: Recording
  readonly members: readonly MemberSummary[]
  readonly violations: readonly Violation[]
  /** The first line that differs from the computed one, or null. */
  readonly difference: { line: number; read: string; computed: string } | null
}

/**
 * Throws TraceError, InputError or StepError where the text cannot be played. `watch` sees the host of a
 * stepped trace before its first step and after each.
 */
export function replay(
  text: string,
  registry: SettingsRegistry,
  watch: (stepper: Stepper) => void = () => undefined,
): Replay {
  const trace = parseTrace(text)
  const mode = trace.settings.find(([key]) => key === 'mode')?.[1]
  const settings = trace.settings.filter(([key]) => key !== 'mode')
  if (mode === 'timed') return compare(text, { mode, ...replayTimed(settings, registry) })
  if (mode === 'stepped') return compare(text, { mode, ...replayStepped(trace, registry, watch) })
  throw new TraceError(`the setting "mode" must be timed or stepped, not "${mode ?? '(nothing)'}"`)
}

type Played = Omit<Replay, 'difference'>

function replayTimed(settings: Settings, registry: SettingsRegistry): Omit<Played, 'mode'> {
  const config = parseSettings(settings, registry)
  const { world, recording } = recordRun(config)
  return {
    text: traceOf(config, recording),
    recording,
    members: summarize(world).members,
    violations: world.monitors.violations,
  }
}

/** The settings of a stepped trace: those of a run that make sense without a clock, and `start`. */
function replayStepped(
  trace: Trace,
  registry: SettingsRegistry,
  watch: (stepper: Stepper) => void,
): Omit<Played, 'mode'> {
  const settings = trace.settings.filter(([key]) => key !== 'mode')
  const start = settings.find(([key]) => key === 'start')?.[1] ?? 'boot'
  if (start !== 'boot' && start !== 'settled') {
    throw new InputError('start', start, 'must be boot or settled')
  }
  const config = parseSettings(
    settings.filter(([key]) => key !== 'start'),
    registry,
  )
  const stepper = new Stepper({ ...config, start })
  const { labels } = config
  watch(stepper)
  for (const { step } of trace.entries) {
    stepper.take(step)
    watch(stepper)
  }
  const entries = stepper.recording.trace(false)
  const text = writeTrace({ settings: trace.settings, entries })
  const { recording, monitors } = stepper
  return {
    text,
    recording,
    members: members(labels, monitors, (id) => stepper.stateOf(id)),
    violations: monitors.violations,
  }
}

/** A scenario that was written without effects has nothing to compare. */
function compare(read: string, played: Played): Replay {
  if (parseTrace(read).entries.every(({ effects }) => effects.length === 0)) {
    return { ...played, difference: null }
  }
  const significant = (text: string): [string, number][] =>
    text
      .split(/\r?\n/u)
      .map((line, i): [string, number] => [line.trimEnd(), i + 1])
      .filter(([line]) => line !== '' && !line.startsWith('#'))
  const [before, now] = [significant(read), significant(played.text)]
  const place = before.findIndex(([line], i) => line !== now[i]?.[0])
  if (place < 0 && before.length === now.length) return { ...played, difference: null }
  const at = place < 0 ? before.length : place
  const difference = {
    line: before[at]?.[1] ?? read.split('\n').length,
    read: before[at]?.[0] ?? '(nothing)',
    computed: now[at]?.[0] ?? '(nothing)',
  }
  return { ...played, difference }
}
