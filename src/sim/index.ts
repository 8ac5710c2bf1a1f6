/**
 * The public entry `bellwether/sim`: exports the simulator, deterministic worlds in virtual time, with their settings,
 * faults, records and stepper.
 */
export {
  DEFAULT_DETECTION,
  DEFAULT_NETWORK,
  type NetworkConfig,
  type SimConfig,
  SimConfigError,
  type SimOptions,
  configure,
  hasRegister,
  leadersResign,
  refuseImpossibleFaults,
} from './config.ts'
export { captionOf, parseFault, showFault } from './faults/fault-text.ts'
export {
  FAULTS,
  FAULT_KINDS,
  type Fault,
  type FaultConditions,
  type FaultFields,
  type FaultKind,
  declarationOf,
  isFaultKind,
} from './faults/fault-catalogue.ts'
export { FAMILIES, type Family, drawDisturbances, endOf, pick } from './hunt/disturbances.ts'
export { type Draft, type HuntPlan, configurationOf, drawRun, toleratedBy } from './hunt/draft.ts'
export { type Catch, type HuntPart, huntPart, judge } from './hunt/hunt.ts'
export { type Shrunk, shrink } from './hunt/shrink.ts'
export { type Counts, type Tally, TallyRecorder, addTally, emptyTally } from './hunt/tally.ts'
export { type Latency, boundUs, draw } from './network/latency.ts'
export { Monitors, type Violation } from './record/monitors.ts'
export type { Part, Recorder, Sending, Step } from './record/step.ts'
export { type RecordedStep, Recording } from './record/recording.ts'
export { type Replay, replay } from './record/replay.ts'
export {
  type FaultStep,
  StepReader,
  type Trace,
  type TraceEntry,
  TraceError,
  type TraceStep,
  isFaultStep,
  parseTrace,
  writeStep,
  writeTrace,
} from './record/trace.ts'
export {
  type MemberSummary,
  type Summary,
  finish,
  limitUs,
  recordRun,
  summarize,
  summarizeMembers,
  traceOf,
} from './run.ts'
export { InputError } from './settings/input-error.ts'
export {
  parseLatency,
  parseNumber,
  parseRange,
  showLatency,
  showRange,
} from './settings/latency-text.ts'
export { commandOf, queryOf } from './settings/settings-link.ts'
export {
  MAX_NODES,
  type Settings,
  type SettingsRegistry,
  parseSettings,
  showSettings,
} from './settings/settings.ts'
export { StepError, type SteppedMember, Stepper, type StepperConfig } from './stepper/stepper.ts'
export { World } from './world/world.ts'
