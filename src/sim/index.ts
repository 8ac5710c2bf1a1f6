/**
 * The public entry `bellwether/sim`: exports the simulator, deterministic worlds in virtual time, with their settings,
 * faults, records and stepper.
 */
export * from './config.ts'
export * from './faults/fault-text.ts'
export * from './faults/fault-catalogue.ts'
export * from './network/latency.ts'
export * from './record/monitors.ts'
export * from './record/step.ts'
export * from './record/recording.ts'
export * from './record/replay.ts'
export * from './record/trace.ts'
export * from './run.ts'
export * from './settings/input-error.ts'
export * from './settings/latency-text.ts'
export * from './settings/settings.ts'
export * from './stepper/stepper.ts'
export * from './world/world.ts'
