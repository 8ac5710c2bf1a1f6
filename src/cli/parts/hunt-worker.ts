/** The program of a thread of `bellwether hunt`: runs the parts of the hunt that it is asked for. */
import { parentPort, workerData } from 'node:worker_threads'
import { huntPart } from '../../sim/hunt/hunt.ts'
import { planOf, type HuntRequest } from '../hunt/hunt-plan.ts'
import type { Part } from './run-parts.ts'

const request = workerData as HuntRequest
const plan = planOf(request)
parentPort!.on('message', ({ first, last }: Part) => {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
  parentPort!.postMessage(huntPart(plan, first, last, request.goesOn))
})
