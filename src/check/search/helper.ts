/** A thread that helps a search: it joins, does its part of each phase, and returns when the search stops. */
import type { CheckConfig } from '../options.ts'
import type { Observed, Observer } from './judging.ts'
import { Control, SearchMemory, type SharedMemory } from './search-memory.ts'
import { Phase, SearchThread } from './search-thread.ts'

/** What a search hands to the threads that help it. */
export interface SearchToHelp {
  readonly config: CheckConfig
  readonly memory: SharedMemory
}

/** Starts threads that call `help`, at any time from now on; each ends by itself. */
export interface Helpers {
  /** A search with this many states starts them. */
  readonly fromStates: number
  start(search: SearchToHelp): void
}

export function help(
  { config, memory: shared }: SearchToHelp,
  observe: (observed: Observed) => Observer,
): void {
  const memory = new SearchMemory(shared)
  const thread = new SearchThread(config, false, memory, observe)
  const { control } = memory
  // As in the first thread, the initial state has the first numbers.
  thread.actions.initialize()
  thread.log.attach()
  let phases = Atomics.load(control, Control.PHASES)
  const number = 1 + Atomics.add(control, Control.JOINED, 1)
  while (Atomics.load(control, Control.PHASE) !== Phase.STOP) {
    Atomics.wait(control, Control.PHASES, phases)
    phases = Atomics.load(control, Control.PHASES)
    const phase = Atomics.load(control, Control.PHASE)
    if (phase === Phase.STOP) return
    if (number > Atomics.load(control, Control.PARTY)) continue
    takePart(memory, thread, phase, number)
    if (Atomics.sub(control, Control.WORKING, 1) === 1) Atomics.notify(control, Control.WORKING)
  }
}

function takePart(memory: SearchMemory, thread: SearchThread, phase: number, number: number): void {
  const { control, table } = memory
  try {
    memory.refresh()
    thread.log.catchUp()
    table.adopt(control[Control.SIZE], control[Control.LENGTH], control[Control.SLOT_BITS])
    thread.model.codec.adopt(control[Control.MEMBER_BITS], control[Control.INBOX_BITS])
    thread.perform(phase, number, 1 + control[Control.PARTY])
    if (phase === Phase.EXPAND) tell(control, thread)
  } catch {
    Atomics.store(control, Control.BROKEN, 1)
  }
}

/** Tells the others what the handlers have shown. */
function tell(control: Int32Array, { model }: SearchThread): void {
  const { runner } = model
  Atomics.or(control, Control.SHORT_TIMERS, runner.shortTimersMet)
  Atomics.or(control, Control.HANDLED, runner.handledBits)
  if (runner.resigned) Atomics.store(control, Control.RESIGNED, 1)
}
