/** A moment of a run, as people count: milliseconds, or steps from 1. */
import { showSpan } from '../../../src/diagram/layout/time-scale.ts'
import type { Diagram } from '../simulation/worker-protocol.ts'

export function when({ clock }: Pick<Diagram, 'clock'>, at: number): string {
  return clock ? showSpan(at) : `step ${Math.floor(at) + 1}`
}
