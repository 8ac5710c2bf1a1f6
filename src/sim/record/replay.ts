/** Replays a trace: computes its steps and effects again, and compares the result with the text. */
import type { Settings } from '../../core/settings.ts'
import { recordRun, summarizeMembers, traceOf, type MemberSummary } from '../run.ts'
import { InputError } from '../settings/input-error.ts'
import { parseSettings, type SettingsRegistry } from '../settings/settings.ts'
import { Stepper } from '../stepper/stepper.ts'
import type { Violation } from './monitors.ts'
import type { Recording } from './recording.ts'
import { parseTrace, TraceError, writeTrace, type Trace } from './trace.ts'

export interface Replay {
  readonly mode: 'timed' | 'stepped'
  readonly text: string
  readonly recording: Recording
  readonly members: readonly MemberSummary[]
  readonly violations: readonly Violation[]
  readonly difference: { line: number; read: string; computed: string } | null
}

/** Throws TraceError, InputError or StepError. `observe` gets the host of a stepped trace first, and after each step. */
export function replay(
  text: string,
  registry: SettingsRegistry,
  observe: (stepper: Stepper) => void = () => undefined,
): Replay {
  const trace = parseTrace(text)
  const mode = trace.settings.find(([key]) => key === 'mode')?.[1]
  const settings = trace.settings.filter(([key]) => key !== 'mode')
  if (mode !== 'timed' && mode !== 'stepped') {
    const given = mode ?? '(nothing)'
    throw new TraceError(`the setting "mode" must be timed or stepped, not "${given}"`)
  }
  const computed =
    mode === 'timed'
      ? replayTimed(settings, registry)
      : replayStepped(trace, settings, registry, observe)
  // A scenario that was written without effects has nothing to compare.
  const hasEffects = trace.entries.some(({ effects }) => effects.length > 0)
  return { mode, ...computed, difference: hasEffects ? firstDifference(text, computed.text) : null }
}

type Computed = Omit<Replay, 'mode' | 'difference'>

function replayTimed(settings: Settings, registry: SettingsRegistry): Computed {
  const config = parseSettings(settings, registry)
  const { world, recording } = recordRun(config)
  return {
    text: traceOf(config, recording),
    recording,
    members: summarizeMembers(config.labels, world.monitors, (id) => world.states[id]),
    violations: world.monitors.violations,
  }
}

/** The settings of a stepped trace: those of a run that make sense without a clock, and `start`. */
function replayStepped(
  trace: Trace,
  settings: Settings,
  registry: SettingsRegistry,
  observe: (stepper: Stepper) => void,
): Computed {
  const start = settings.find(([key]) => key === 'start')?.[1] ?? 'boot'
  if (start !== 'boot' && start !== 'settled') {
    throw new InputError('start', start, 'must be boot or settled')
  }
  const runSettings = settings.filter(([key]) => key !== 'start')
  const stepper = new Stepper({ ...parseSettings(runSettings, registry), start })
  observe(stepper)
  for (const { step } of trace.entries) {
    stepper.take(step)
    observe(stepper)
  }
  const { recording, monitors, labels } = stepper
  return {
    text: writeTrace({ settings: trace.settings, entries: recording.trace(false) }),
    recording,
    members: summarizeMembers(labels, monitors, (id) => stepper.stateOf(id)),
    violations: monitors.violations,
  }
}

function firstDifference(read: string, computed: string): Replay['difference'] {
  const significant = (text: string): [string, number][] =>
    text
      .split(/\r?\n/u)
      .map((line, i): [string, number] => [line.trimEnd(), i + 1])
      .filter(([line]) => line !== '' && !line.startsWith('#'))
  const [before, now] = [significant(read), significant(computed)]
  const place = before.findIndex(([line], i) => line !== now[i]?.[0])
  if (place < 0 && before.length === now.length) return null
  const at = place < 0 ? before.length : place
  return {
    line: before[at]?.[1] ?? read.split('\n').length,
    read: before[at]?.[0] ?? '(nothing)',
    computed: now[at]?.[0] ?? '(nothing)',
  }
}
