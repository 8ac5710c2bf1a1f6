/** The simulator: deterministic worlds in virtual time. */
export * from './config.ts'
export * from './faults.ts'
export * from './latency.ts'
export * from './monitors.ts'
export * from './record.ts'
export * from './world.ts'
